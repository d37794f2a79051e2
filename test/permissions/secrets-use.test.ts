import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminScopes, scopes, type Scope } from '../../src/contract/scopes.ts';
import type { ApiResponse, Call } from '../support/service.ts';
import { startServiceWithAccounts, type ServiceWithAccounts } from '../support/service-with-accounts.ts';
import { listScopesWithout } from './scopes-without.ts';

/** Only a credential with `secrets:use` adds or changes nodes that use a secret or a connection. */
const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
const call = (config: object) => ({ id: 'call', type: 'http_request', config });
const plain = call({ url: 'http://127.0.0.1:9/' });
const using = call({ url: 'http://127.0.0.1:9/', headers: { 'x-key': '{{ secrets.KEY }}' } });
const uses: [string, object][] = [
  ['a secret in a template', using],
  ['a secret by a filter', call({ url: 'http://127.0.0.1:9/', body: '{{ secrets.KEY | slice: 0, 2 }}' })],
  [
    'the secret of a webhook',
    {
      id: 'call',
      type: 'trigger',
      config: { triggerType: 'webhook', endpoint: 'x', authentication: 'bearer', secret: 'KEY' },
    },
  ],
  [
    'a connection',
    call({ url: 'http://127.0.0.1:9/', authentication: { type: 'oauth2', credential: 'SHOP' } }),
  ],
  [
    'the connection of a connector',
    { id: 'call', type: 'slack', config: { operation: 'post_message', connection: 'SHOP', text: 'x' } },
  ],
];
const definition = (node: object, at = 0) => ({
  nodes: [start, { ...node, position: { x: at, y: 0 } }],
  connections: (node as { type: string }).type === 'trigger' ? [] : [{ from: 'start', to: 'call' }],
});

let fixture: ServiceWithAccounts;
let session: Call;
const limited: Record<string, Call> = {};

beforeAll(async () => {
  fixture = await startServiceWithAccounts();
  session = fixture.as(await fixture.session(fixture.member));
  expect(
    (await session('PUT', '/secrets/KEY', { body: { value: 'a-secret-of-twenty-characters' } })).status,
  ).toBe(200);
  const wanted: Scope[] = listScopesWithout('secrets:use').filter((scope) => !adminScopes.has(scope));
  limited['API key'] = fixture.as({
    'x-api-key': (await fixture.apiKey(fixture.member, wanted))['x-api-key']!,
  });
  limited['OAuth token'] = fixture.as((await fixture.oauthToken(fixture.member, wanted)).headers);
});
afterAll(() => fixture.close());

async function create(by: Call, node: object, more: object = {}): Promise<ApiResponse> {
  return by('POST', '/workflows', { body: { name: 'w', definition: definition(node), ...more } });
}
const readId = (response: ApiResponse) => (response.body as { id: string }).id;

function expectRefused(response: ApiResponse, what?: string): void {
  expect([what, response.status], response.text).toEqual([what, 403]);
  expect(response.body).toMatchObject({
    error: { code: 'FORBIDDEN', details: { scope: 'secrets:use', node_id: 'call' } },
  });
}

describe.each(['API key', 'OAuth token'])('an %s without secrets:use', (kind) => {
  const by: Call = (...args) => limited[kind]!(...args);

  test('creates workflows that use no secret', async () => {
    expect((await create(by, plain)).status).toBe(201);
  });

  test.each(uses)('cannot create a workflow with %s', async (what, node) => {
    expectRefused(await create(by, node), what);
    expectRefused(await create(by, node, { dry_run: true }), what);
    expect((await create(session, node)).status).toBe(201);
  });

  test.each(uses)('cannot add %s', async (what, node) => {
    const id = readId(await create(by, plain));
    expectRefused(await by('PUT', `/workflows/${id}`, { body: { definition: definition(node) } }), what);
  });

  test('edits the rest of a workflow that uses a secret', async () => {
    const id = readId(await create(session, using));
    const shown = await by('GET', `/workflows/${id}`);
    expect(shown.status).toBe(200);
    const workflow = shown.body as { definition: { nodes: object[] } };
    const moved = await by('PUT', `/workflows/${id}`, {
      body: { ...workflow, name: 'renamed', definition: definition(using, 100) },
    });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.body).toMatchObject({ name: 'renamed', version: 2 });
    expect((await by('PUT', `/workflows/${id}`, { body: { definition: definition(plain) } })).status).toBe(
      200,
    );
  });

  test('cannot send a secret that is in use somewhere else', async () => {
    const id = readId(await create(session, using));
    const elsewhere = call({ ...using.config, url: 'http://127.0.0.1:10/' });
    expectRefused(await by('PUT', `/workflows/${id}`, { body: { definition: definition(elsewhere) } }));
  });

  test('cannot restore a version that uses one', async () => {
    const id = readId(await create(session, using));
    await session('PUT', `/workflows/${id}`, { body: { definition: definition(plain) } });
    expectRefused(await by('POST', `/workflows/${id}/versions/1/restore`));
    expect((await by('POST', `/workflows/${id}/versions/2/restore`)).status).toBe(200);
  });

  test('cannot register or instantiate a template that uses one', async () => {
    const template = (name: string) => ({
      templateName: name,
      workflow: { name: 'w', definition: definition(using) },
    });
    expectRefused(await by('POST', '/templates', { body: template('refused') }));
    const name = `uses-${kind === 'API key' ? 'key' : 'token'}`;
    expect((await session('POST', '/templates', { body: template(name) })).status).toBe(201);
    expectRefused(await by('POST', `/templates/${name}/instantiate`, { body: {} }));
  });

  test('is refused over GraphQL alike', async () => {
    const response = await by('POST', '/graphql', {
      body: {
        query: 'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { id } }',
        variables: { input: { name: 'w', definition: definition(using) } },
      },
    });
    expect(response.body).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN', details: { scope: 'secrets:use' } } }],
    });
  });
});

test('with secrets:use they are saved', async () => {
  const key = await fixture.apiKey(fixture.member, ['workflows:write', 'secrets:use']);
  expect((await create(fixture.as({ 'x-api-key': key['x-api-key']! }), using)).status).toBe(201);
});

test('workflows:write alone changes a workflow that it sends, and reads none', async () => {
  const key = await fixture.apiKey(fixture.member, ['workflows:write']);
  const by = fixture.as({ 'x-api-key': key['x-api-key']! });
  const id = readId(await create(by, plain));
  for (const response of [
    await by('PUT', `/workflows/${id}`, { body: { name: 'x' } }),
    await by('POST', `/workflows/${id}/publish`),
    await by('POST', `/workflows/${id}/versions/1/restore`),
  ]) {
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ error: { details: { scope: 'workflows:read' } } });
  }
  expect((await by('DELETE', `/workflows/${id}`)).status).toBe(200);
});

test('the scope is in the documents and the metadata', async () => {
  const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', fixture.weft.url));
  expect(((await metadata.json()) as { scopes_supported: string[] }).scopes_supported).toEqual(
    expect.arrayContaining([...scopes]),
  );
});
