import { describe, expect, it } from 'vitest';
import {
  asAccount,
  connect,
  grantConsent,
  open,
  run,
  readBody,
  createWorkflow,
  useConnections,
  type ConnectionBody,
} from './oauth-accounts.ts';

const fixture = useConnections();

describe('a person connects an account', () => {
  it('redirects to the provider with PKCE and a state, returns, and nodes use the account', async () => {
    const provider = await fixture.provider({ scope: 'repo,user' });
    const made = readBody(
      await fixture.call('POST', '/connections', {
        body: { name: 'ACCOUNT', ...provider.settings, scopes: ['repo', 'user'], description: 'The shop' },
      }),
    );
    expect(made).toMatchObject({ status: 'pending', has_client_secret: true, refreshable: false });
    const address = new URL(String(made['connect_url']));
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'weft-app',
      redirect_uri: `${fixture.service.url}/connections/callback`,
      scope: 'repo user',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const back = await grantConsent(address.href);
    expect([back.status, back.text]).toEqual([200, expect.stringContaining('ACCOUNT')]);
    const shown = readBody(await fixture.call('GET', '/connections/ACCOUNT'));
    expect(shown).toMatchObject({
      status: 'connected',
      error: null,
      refreshable: true,
      granted_scopes: ['repo', 'user'],
      expires_at: expect.any(String),
      authorized_at: expect.any(String),
    });
    const id = await createWorkflow(fixture.call, asAccount(`${provider.url}/orders`));
    const { status, output } = await run(fixture.call, id);
    expect(status).toBe('completed');
    // What the API echoed of the token is redacted by the API.
    expect(output).toMatchObject({ status: 200, body: { path: '/orders', seen: 'Bearer •••' } });
    expect(provider.apiCalls[0]?.authorization).toMatch(/^Bearer canary-access-/);
    expect(provider.refreshes).toEqual([]);
  });

  it('the address works once', async () => {
    const provider = await fixture.provider();
    const made = readBody(
      await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }),
    );
    const at = await open(String(made['connect_url']));
    expect((await open(at.location ?? '')).status).toBe(200);
    const again = await open(at.location ?? '');
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('This link is not valid')]);
    expect(provider.tokenCalls.length).toBe(1);
    const invited = readBody(await fixture.call('POST', '/connections/ACCOUNT/authorize'));
    const next = await open(String(invited['connect_url']));
    expect((await fetch(next.location ?? '', { method: 'HEAD' })).status).toBe(401);
    expect((await open(next.location ?? '')).status).toBe(200);
    for (const state of ['', 'x', '%00'])
      expect((await open(`${fixture.service.url}/connections/callback?code=c&state=${state}`)).status).toBe(
        400,
      );
    expect((await open(`${fixture.service.url}/connections/callback`)).status).toBe(400);
    expect(provider.tokenCalls.length).toBe(2);
  });

  it('redirects to the page with the result', async () => {
    const provider = await fixture.provider();
    const made = readBody(
      await fixture.call('POST', '/connections', {
        body: { name: 'ACCOUNT', ...provider.settings, return_to: '/settings?tab=accounts#top' },
      }),
    );
    const back = await grantConsent(String(made['connect_url']));
    expect([back.status, back.location]).toEqual([
      303,
      '/settings?tab=accounts&connection=ACCOUNT&status=connected#top',
    ]);
    const invited = readBody(
      await fixture.call('POST', '/connections/ACCOUNT/authorize', { body: { return_to: '/x' } }),
    );
    const state = new URL(String(invited['connect_url'])).searchParams.get('state');
    const no = await open(
      `${fixture.service.url}/connections/callback?state=${state}&error=access_denied&error_description=${encodeURIComponent('<b>No</b>')}`,
    );
    expect(no.status).toBe(303);
    expect(new URLSearchParams(no.location?.split('?')[1]).get('error')).toBe(
      'The provider denied access: access_denied: <b>No</b>',
    );
    // It was connected before, and still is.
    expect(readBody(await fixture.call('GET', '/connections/ACCOUNT'))).toMatchObject({
      status: 'connected',
      error: null,
    });
  });

  it.each([
    '//evil.example/',
    '/.//evil.example',
    '/x/..//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    'x',
    '/a\nb',
    '/\t/evil.example',
  ])('never leads elsewhere: %j', async (path) => {
    const provider = await fixture.provider();
    const body = { name: 'ACCOUNT', ...provider.settings, return_to: path };
    const refused = await fixture.call('POST', '/connections', { body });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { details: { field: 'return_to' } } },
    ]);
  });

  it('shows the error of the provider, escaped, and stores it with the connection', async () => {
    const provider = await fixture.provider();
    const made = readBody(
      await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }),
    );
    const state = new URL(String(made['connect_url'])).searchParams.get('state');
    const no = await open(
      `${fixture.service.url}/connections/callback?state=${state}&error=access_denied&error_description=<script>alert(1)</script>`,
    );
    expect(no.status).toBe(400);
    expect(no.text).not.toContain('<script>');
    expect(no.text).toContain('access_denied: &lt;script&gt;');
    expect(readBody(await fixture.call('GET', '/connections/ACCOUNT'))).toMatchObject({
      status: 'pending',
      error: 'The provider denied access: access_denied: <script>alert(1)</script>',
    });
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    const { error } = await run(fixture.call, id);
    expect(error).toMatchObject({
      type: 'client_error',
      message: expect.stringContaining('ACCOUNT is not connected yet'),
    });
    expect(provider.apiCalls).toEqual([]);
  });

  it.each([
    ['none', ''],
    ['an empty one', '&code='],
    ['two', '&code=a&code=b'],
    ['a long one', `&code=${'c'.repeat(9_000)}`],
  ])('a redirect back without one valid code leaves it unconnected: %s', async (_title, code) => {
    const provider = await fixture.provider();
    const body = { name: 'ACCOUNT', ...provider.settings };
    const made = readBody(await fixture.call('POST', '/connections', { body }));
    const state = new URL(String(made['connect_url'])).searchParams.get('state') ?? '';
    const back = await open(`${fixture.service.url}/connections/callback?state=${state}${code}`);
    expect([back.status, provider.tokenCalls]).toEqual([400, []]);
    expect(readBody(await fixture.call('GET', '/connections/ACCOUNT'))).toMatchObject({
      status: 'pending',
      error: 'The provider redirected back without a valid code',
    });
  });

  it('a code that the provider refuses leaves it unconnected, and nothing secret in the words', async () => {
    const provider = await fixture.provider();
    const made = readBody(
      await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }),
    );
    const state = new URL(String(made['connect_url'])).searchParams.get('state');
    provider.instead = (response, form) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: 'invalid_grant', error_description: `bad ${form['code']}` }));
    const no = await open(`${fixture.service.url}/connections/callback?state=${state}&code=canary-code-x`);
    expect(no.status).toBe(400);
    expect(no.text).toContain('invalid_grant (bad •••)');
    expect(no.text).not.toContain('canary');
  });

  it('an ended session, a deleted user and a changed connection end the authorization', async () => {
    const provider = await fixture.provider();
    const session = await fixture.service.login();
    const made = readBody(
      await session('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }),
    );
    readBody(await session('POST', '/auth/logout'));
    expect((await grantConsent(String(made['connect_url']))).status).toBe(400);
    const invited = readBody(await fixture.call('POST', '/connections/ACCOUNT/authorize'));
    readBody(await fixture.call('PUT', '/connections/ACCOUNT', { body: { client_id: 'another' } }));
    expect((await grantConsent(String(invited['connect_url']))).status).toBe(400);
    expect(provider.tokenCalls).toEqual([]);
  });
});

describe('token responses in many formats', () => {
  it.each([
    [
      'GitHub: a form, without an end and without a refresh token',
      { answers: 'form', expiresIn: null, refreshTokens: 'none', takes: 'body' },
      { refreshable: false, expires_at: null },
    ],
    [
      'Slack: ok',
      { answers: 'slack', expiresIn: 43_200, takes: 'body', scope: 'chat:write,users:read' },
      { refreshable: true, granted_scopes: ['chat:write', 'users:read'] },
    ],
    [
      'Salesforce: an address of its own, and no end',
      { expiresIn: null, refreshTokens: 'keep', instanceUrl: true },
      { refreshable: true, expires_at: null },
    ],
    ['the end as a text', { expiresIn: '3600' }, { refreshable: true, expires_at: expect.any(String) }],
    ['only by HTTP Basic', { takes: 'basic' }, { refreshable: true }],
  ] as const)('%s', async (_title, quirks, shape) => {
    const provider = await fixture.provider(quirks);
    expect(await connect(fixture.call, provider)).toMatchObject({ status: 'connected', ...shape });
    const id = await createWorkflow(fixture.call, asAccount(`${provider.url}/x`));
    expect((await run(fixture.call, id)).status).toBe('completed');
  });

  it.each([
    ['nothing', { body: '' }],
    ['no JSON', { body: '<html>' }],
    ['no token', { body: '{"token_type":"bearer"}' }],
    ['a token that no header carries', { body: '{"access_token":"a\\r\\nb"}' }],
    ['a kind of token that needs a signature', { body: '{"access_token":"abc","token_type":"mac"}' }],
    ['a redirect', { status: 302, body: '{"access_token":"abc"}' }],
    ['a token that is too large', { body: `{"access_token":"${'a'.repeat(300_000)}"}` }],
  ])('refuses %s', async (_title, { status = 200, body }: { status?: number; body: string }) => {
    const provider = await fixture.provider();
    const made = readBody(
      await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }),
    );
    provider.instead = (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', location: `${provider.url}/elsewhere` })
        .end(body);
    expect((await grantConsent(String(made['connect_url']))).status).toBe(400);
    expect(readBody(await fixture.call('GET', '/connections/ACCOUNT'))).toMatchObject({ status: 'pending' });
    expect(provider.apiCalls).toEqual([]);
  });
});

describe('settings', () => {
  it('what makes it another account disconnects it; a description does not', async () => {
    const provider = await fixture.provider();
    const shown = await connect(fixture.call, provider);
    const put = async (body: object): Promise<ConnectionBody> =>
      readBody(await fixture.call('PUT', '/connections/ACCOUNT', { body }));
    // Get, edit, put.
    expect(await put({ ...shown, description: 'Other' })).toMatchObject({
      description: 'Other',
      status: 'connected',
    });
    const elsewhere = await fixture.call('PUT', '/connections/ACCOUNT', {
      body: { token_url: `${provider.url}/other` },
    });
    expect(elsewhere.body).toMatchObject({ error: { details: { field: 'client_secret' } } });
    expect(await put({ hosts: ['api.example.com'] })).toMatchObject({ status: 'pending', expires_at: null });
  });

  it('errors name the field', async () => {
    const fields = async (body: object): Promise<string[]> => {
      const reply = await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...body } });
      expect(reply.status, reply.text).toBe(400);
      const { error } = reply.body as { error: { details: { errors: { field: string }[] } } };
      return error.details.errors.map(({ field }) => field);
    };
    expect(await fields({})).toEqual(['authorization_url', 'token_url', 'client_id']);
    expect(await fields({ provider: 'nobody', client_id: 'x' })).toEqual(['provider']);
    expect(
      await fields({ client_id: 'x', authorization_url: 'ftp://x', token_url: 'https://u:p@x.example/' }),
    ).toEqual(['authorization_url', 'token_url']);
    expect(
      await fields({ provider: 'github', client_id: 'x', authorization_params: { state: 'x' } }),
    ).toEqual(['authorization_params.state']);
    expect(
      await fields({
        provider: 'github',
        client_id: 'x',
        hosts: ['a.example'],
        base_url: 'https://b.example',
      }),
    ).toEqual(['base_url']);
    expect(await fields({ provider: 'github', client_id: 'x', grant_type: 'client_credentials' })).toEqual([
      'client_secret',
    ]);
    expect(await fields({ provider: 'github', client_id: 'x', tokens: 1 })).toEqual(['tokens']);
    expect(await fields({ provider: 'github', client_id: 'x', test_url: '//evil.example/' })).toEqual([
      'test_url',
    ]);
    expect(await fields({ name: 'callback', provider: 'github', client_id: 'x' })).toEqual(['name']);
    expect(await fields({ name: '1 2', provider: 'github', client_id: 'x' })).toEqual(['name']);
  });

  it('known providers fill in their settings', async () => {
    const address = async (provider: string, scopes: string[]): Promise<URL> => {
      const body = { name: 'ACCOUNT', provider, client_id: 'app', client_secret: 's3cr3t', scopes };
      const made = readBody(await fixture.call('POST', '/connections', { body }));
      readBody(await fixture.call('DELETE', '/connections/ACCOUNT'));
      return new URL(String(made['connect_url']));
    };
    const google = await address('google', ['a', 'b']);
    expect([google.origin, google.searchParams.get('access_type'), google.searchParams.get('scope')]).toEqual(
      ['https://accounts.google.com', 'offline', 'a b'],
    );
    const slack = await address('slack', ['chat:write', 'users:read']);
    expect([
      slack.href.split('?')[0],
      slack.searchParams.get('scope'),
      slack.searchParams.has('code_challenge'),
    ]).toEqual(['https://slack.com/oauth/v2/authorize', 'chat:write,users:read', false]);
    for (const name of ['github', 'hubspot', 'salesforce'])
      expect((await address(name, [])).searchParams.get('client_id')).toBe('app');
  });

  it('a connection that an active workflow uses stays, unless forced', async () => {
    const provider = await fixture.provider();
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    readBody(await fixture.call('PUT', `/workflows/${id}`, { body: { status: 'active' } }));
    const refused = await fixture.call('DELETE', '/connections/ACCOUNT');
    expect(refused.body).toMatchObject({ error: { code: 'CONFLICT', details: { workflows: [id] } } });
    readBody(await fixture.call('PUT', `/workflows/${id}`, { body: { status: 'inactive' } }));
    readBody(await fixture.call('DELETE', '/connections/ACCOUNT'));
    const { issues } = readBody<{ issues: { field: string; issue: string }[] }>(
      await fixture.call('GET', `/workflows/${id}`),
    );
    expect(issues).toMatchObject([
      {
        node_id: 'call',
        field: 'config.authentication.credential',
        issue: 'needs the connection ACCOUNT, which is not there',
      },
    ]);
  });
});
