import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN, OAuthServer } from '../oauth/oauth-server.ts';
import { Browser } from '../oauth/browser.ts';
import { asAccount, open, run, readBody, createWorkflow, useConnections } from './oauth-accounts.ts';

/** Another Weft: an authorization server of a library, with rotation and theft detection. */
let other: OAuthServer;
const fixture = useConnections();
beforeAll(async () => {
  other = await OAuthServer.open();
});
afterAll(() => other.close());

const addresses = () => ({
  authorization_url: `${other.origin}/oauth/authorize`,
  token_url: `${other.origin}/oauth/token`,
});
const shown = async () => readBody(await fixture.call('GET', '/connections/ACCOUNT'));

it('a person logs in there, allows it, and workflows here read theirs there; rotation is followed', async () => {
  const client = await other.ownClient({ redirect_uris: [`${fixture.service.url}/connections/callback`] });
  const made = readBody(
    await fixture.call('POST', '/connections', {
      body: { name: 'ACCOUNT', ...addresses(), ...client_(client), scopes: ['workflows:read'] },
    }),
  );
  const browser = new Browser(other.origin);
  const consent = await other.toConsent(browser, String(made['connect_url']));
  const { left } = await browser.press(consent, 'allow');
  expect((await open(left!.href)).status).toBe(200);
  expect(await shown()).toMatchObject({
    status: 'connected',
    refreshable: true,
    granted_scopes: ['workflows:read'],
  });

  const id = await createWorkflow(fixture.call, asAccount(`${other.origin}/v1/workflows`));
  expect((await run(fixture.call, id)).output).toMatchObject({ status: 200, body: { workflows: [] } });
  for (let i = 0; i < 3; i++)
    expect(readBody(await fixture.call('POST', '/connections/ACCOUNT/refresh')).status).toBe('connected');
  expect((await run(fixture.call, id)).status).toBe('completed');

  // Taken back there: the token ends at once, and the refresh token with it.
  const session = await other.session();
  const { grants } = (await other.api('GET', '/oauth/grants', session)).body as unknown as {
    grants: { id: string }[];
  };
  for (const grant of grants) await other.api('DELETE', `/oauth/grants/${grant.id}`, session);
  expect((await run(fixture.call, id)).error?.message).toMatch(/must be authorized again: .*invalid_grant/);
  expect((await shown()).status).toBe('needs_reauthorization');
});

it('a user who denies access', async () => {
  const client = await other.ownClient({ redirect_uris: [`${fixture.service.url}/connections/callback`] });
  const made = readBody(
    await fixture.call('POST', '/connections', {
      body: { name: 'ACCOUNT', ...addresses(), ...client_(client), scopes: ['workflows:read'] },
    }),
  );
  const browser = new Browser(other.origin);
  const consent = await other.toConsent(browser, String(made['connect_url']), ADMIN);
  const { left } = await browser.press(consent, 'deny');
  const page = await open(left!.href);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('access_denied')]);
  expect(await shown()).toMatchObject({ status: 'pending', error: expect.stringContaining('access_denied') });
});

it('client credentials', async () => {
  const client = await other.ownClient({ grant_types: ['client_credentials'] });
  readBody(
    await fixture.call('POST', '/connections', {
      body: {
        name: 'ACCOUNT',
        grant_type: 'client_credentials',
        token_url: addresses().token_url,
        ...client_(client),
        scopes: ['workflows:read'],
        test_url: `${other.origin}/v1/workflows`,
      },
    }),
  );
  expect(readBody(await fixture.call('POST', '/connections/ACCOUNT/test'))).toMatchObject({
    ok: true,
    http_status: 200,
    status: 'connected',
  });
});

function client_({ client_id, client_secret }: { client_id: string; client_secret: string }) {
  return { client_id, client_secret };
}
