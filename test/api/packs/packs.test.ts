import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocumentText, createPetstore } from '../../support/openapi/petstore.ts';
import { caller, type ApiResponse, type Call } from '../../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../../support/upstream.ts';
import { useService } from '../../support/use-service.ts';
import { manual } from '../definitions.ts';

const service = useService();
const { api } = service;
let upstream: Upstream;
/** The document that the upstream serves at /openapi.json. */
let published: unknown = {};
let member: Call;

beforeAll(async () => {
  upstream = await startUpstream(({ path }: ReceivedRequest) => {
    if (path === '/openapi.json') return { body: published };
    if (path === '/moved') return { status: 302, headers: { location: '/openapi.json' } };
    if (path === '/private-redirect') return { status: 302, headers: { location: 'http://127.0.0.2:9/x' } };
    if (path === '/missing') return { status: 404 };
    return { body: { path } };
  });
  const person = { email: 'member@example.com', password: 'another good password' };
  const made = await api('POST', '/users', { body: person });
  expect(made.status, made.text).toBe(201);
  const login = await service.weft.call('POST', '/auth/login', { body: person });
  member = caller(service.weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
});
afterAll(() => upstream.close());

const install = (body: object, call = api): Promise<ApiResponse> => call('POST', '/packs', { body });
async function installPack(body: object): Promise<void> {
  const response = await install(body);
  expect(response.status, response.text).toBe(201);
}
const withNode = (type: string, config: object, more: object = {}) => ({
  nodes: [manual, { id: 'call', type, config, ...more }],
  connections: [{ from: 'start', to: 'call' }],
});
async function save(definition: object, call = api): Promise<string> {
  const response = await call('POST', '/workflows', { body: { name: 'W', definition } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
async function run(id: string, call = api) {
  const response = await call('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
  return response.body as {
    status: string;
    output: unknown;
    error: { type: string; message: string } | null;
  };
}
const readError = ({ body }: ApiResponse) =>
  (body as { error: { code: string; message: string; details: Record<string, unknown> } }).error;

test('an administrator installs a document, and every user runs its operations', async () => {
  const response = await install({ document: createDocumentText(`${upstream.url}/v1`) });
  expect(response.status, response.text).toBe(201);
  expect(response.body).toMatchObject({
    outcome: 'installed',
    dry_run: false,
    suggested_version: '1.0.0',
    changes: { from_version: null, added_count: 3, removed_count: 0, changed_count: 0 },
    pack: {
      name: 'pet_store',
      version: '1.0.0',
      node_type: 'openapi.pet_store',
      operations: 3,
      servers: [{ url: `${upstream.url}/v1` }],
      authentication: [
        {
          id: 'key',
          kind: 'api_key',
          description: 'Of the store.',
          field: 'apiKeys.key',
          in: 'header',
          name: 'x-key',
          grants: [],
        },
      ],
      versions: ['1.0.0'],
      document: { url: null },
    },
  });

  expect((await member('GET', '/packs')).body).toMatchObject({
    packs: [{ name: 'pet_store', operations: 3 }],
    pagination: { total: 1 },
  });
  expect((await member('GET', '/packs?search=nothing')).body).toMatchObject({ packs: [] });
  const { nodes } = (await member('GET', '/nodes?category=connector')).body as { nodes: { id: string }[] };
  const entry = nodes.find(({ id }) => id === 'openapi.pet_store');
  expect(entry).toMatchObject({
    version: '1.0.0',
    effects: 'external',
    pack: { name: 'pet_store', operations: 3 },
  });
  expect(JSON.stringify(entry).length).toBeLessThan(2_000);

  const found = await member('GET', '/packs/pet_store/operations?search=pets%20create');
  expect(found.body).toMatchObject({
    operations: [{ id: 'pets/create', method: 'POST', path: '/pets', title: 'Create a pet', tags: ['pets'] }],
    pagination: { total: 1 },
  });
  const page = await member('GET', '/packs/pet_store/operations?limit=2&page=2');
  expect(page.body).toMatchObject({ operations: [{ id: 'pets/get' }], pagination: { total: 3 } });
  const one = await member('GET', `/packs/pet_store/operations/${encodeURIComponent('pets/create')}`);
  expect(one.body).toMatchObject({
    id: 'pets/create',
    config_schema: {
      required: expect.arrayContaining(['operation', 'body']),
      properties: { body: { required: ['name'] }, retryPolicy: {} },
    },
    secret_fields: expect.arrayContaining(['body', 'apiKeys']),
    security: [[{ id: 'key', scopes: [] }]],
    response_type: 'application/json',
  });
  // Editors complete the fields of the output before the first run.
  expect((one.body as { config_schema: object }).config_schema).toMatchObject({
    'x-output': { properties: { status: {}, headers: {}, body: { type: 'object' } } },
  });
  const names = await member('GET', '/packs/pet_store/operation-names');
  expect(names.body).toEqual({
    name: 'pet_store',
    version: '1.0.0',
    operations: [
      ['pets/list', 'List the pets', 'GET', '/pets'],
      ['pets/create', 'Create a pet', 'POST', '/pets'],
      ['pets/get', 'Get a pet', 'GET', '/pets/{id}'],
    ].map(([key, title, method, path]) => ({
      id: key,
      title,
      method,
      path,
      tags: ['pets'],
      deprecated: false,
    })),
  });

  const id = await save(
    withNode('openapi.pet_store', { operation: 'pets/create', body: { name: 'Rex', age: 3 } }),
    member,
  );
  const saved = (await member('GET', `/workflows/${id}`)).body as { definition: { nodes: object[] } };
  expect(saved.definition.nodes[1]).toMatchObject({ version: '1.0.0' });
  expect(await run(id, member)).toMatchObject({
    status: 'completed',
    output: { body: { path: '/v1/pets' } },
  });
  expect(upstream.received.at(-1)).toMatchObject({ method: 'POST', body: { name: 'Rex', age: 3 } });
  expect(upstream.received.at(-1)!.headers['idempotency-key']).toBeTypeOf('string');
});

test('an authentication scheme has its URLs and scopes, and the field that uses it', async () => {
  const document = createPetstore(upstream.url);
  const schemes = {
    'api key': { type: 'apiKey', in: 'query', name: 'key' },
    login: { type: 'http', scheme: 'basic' },
    account: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://id.example.com/authorize',
          tokenUrl: 'https://id.example.com/token',
          scopes: { 'pets.read': 'Read pets' },
        },
      },
    },
    certificate: { type: 'mutualTLS' },
  };
  const reply = await install({
    document: JSON.stringify({ ...document, components: { securitySchemes: schemes } }),
    name: 'accounts',
    dry_run: true,
  });
  const { authentication } = (reply.body as { pack: { authentication: { id: string }[] } }).pack;
  const none = { in: null, name: null, grants: [], fields: [] };
  expect(new Map(authentication.map((one) => [one.id, one]))).toEqual(
    new Map<string, unknown>([
      [
        'api key',
        {
          ...none,
          id: 'api key',
          kind: 'api_key',
          description: '',
          field: 'apiKeys.api_key',
          in: 'query',
          name: 'key',
        },
      ],
      ['login', { ...none, id: 'login', kind: 'basic', description: '', field: 'authentication' }],
      [
        'account',
        {
          ...none,
          id: 'account',
          kind: 'oauth2',
          description: '',
          field: 'authentication',
          grants: [
            {
              grant_type: 'authorization_code',
              authorization_url: 'https://id.example.com/authorize',
              token_url: 'https://id.example.com/token',
              scopes: [{ name: 'pets.read', description: 'Read pets' }],
              authorization_params: {},
              pkce: null,
            },
          ],
        },
      ],
      ['certificate', { ...none, id: 'certificate', kind: 'other', description: '', field: null }],
    ]),
  );
});

test('the issues of an invalid configuration name the field', async () => {
  for (const [config, field] of [
    [{ operation: 'pets/none' }, 'config.operation'],
    [{ operation: 'pets/get' }, 'config.id'],
    [{ operation: 'pets/create', body: { age: 3 } }, 'config.body.name'],
  ] as const) {
    const response = await api('POST', '/workflows', {
      body: { name: 'W', definition: withNode('openapi.pet_store', config) },
    });
    expect(response.body).toMatchObject({ issues: [{ node_id: 'call', field }] });
  }
});

test('a version is immutable; installing the same document again has no effect', async () => {
  const document = createDocumentText(`${upstream.url}/v1`, '1.0.0', {
    '/toys': createPetstore('').paths['/pets'],
  });
  const again = await install({ document: createDocumentText(`${upstream.url}/v1`) });
  expect([again.status, again.body]).toMatchObject([
    200,
    { outcome: 'unchanged', changes: { changed_count: 0 } },
  ]);
  const refused = await install({ document });
  expect([refused.status, readError(refused)]).toMatchObject([
    400,
    { code: 'CONFLICT', details: { field: 'version', suggested_version: '1.1.0' } },
  ]);
  const shown = await install({ document, dry_run: true });
  expect([shown.status, shown.body]).toMatchObject([
    200,
    { outcome: 'conflict', suggested_version: '1.1.0' },
  ]);
});

test('several versions can be used at once, and a dry run shows the changes of a new one', async () => {
  const next = createPetstore(`${upstream.url}/v2`, '2.0.0');
  next.paths['/pets'].get.parameters[0]!.schema.maximum = 50;
  const document = JSON.stringify({
    ...next,
    paths: {
      '/pets': next.paths['/pets'],
      '/pets/{id}/owner': { get: { operationId: 'owner', responses: {} } },
    },
  });
  const shown = await install({ document, dry_run: true });
  expect([shown.status, shown.body]).toMatchObject([
    200,
    {
      outcome: 'installed',
      dry_run: true,
      pack: { version: '2.0.0', installed_at: null, versions: ['1.0.0'] },
      changes: {
        from_version: '1.0.0',
        added: [{ id: 'owner' }],
        removed: [{ id: 'pets/get', title: 'Get a pet' }],
        changed: [{ id: 'pets/list', changed: ['query.limit'] }],
      },
    },
  ]);
  expect((await api('GET', '/packs/pet_store?version=2.0.0')).status).toBe(404);

  const old = await save(withNode('openapi.pet_store', { operation: 'pets/get', id: '7' }));
  await installPack({ document });
  const newer = await save(withNode('openapi.pet_store', { operation: 'pets/list' }));
  const pinned = await save(withNode('openapi.pet_store', { operation: 'pets/list' }, { version: '1.0.0' }));
  expect((await run(old)).output).toMatchObject({ body: { path: '/v1/pets/7' } });
  expect((await run(newer)).output).toMatchObject({ body: { path: '/v2/pets' } });
  expect((await run(pinned)).output).toMatchObject({ body: { path: '/v1/pets' } });
  expect((await api('GET', '/nodes/openapi.pet_store')).body).toMatchObject({ version: '2.0.0' });
  const { versions } = (await api('GET', '/nodes/openapi.pet_store/versions')).body as {
    versions: { version: string }[];
  };
  expect(versions.map(({ version }) => version)).toEqual(['2.0.0', '1.0.0']);
});

test('a document is loaded from a URL, also after a redirect; only administrators see its URL', async () => {
  published = createPetstore(`${upstream.url}/remote`);
  await installPack({ url: `${upstream.url}/moved`, name: 'remote' });
  const document = { url: `${upstream.url}/moved` };
  expect((await api('GET', '/packs/remote')).body).toMatchObject({ document });
  expect((await member('GET', '/packs/remote')).body).toMatchObject({ document: { url: null } });
  expect((await api('DELETE', '/packs/remote')).body).toEqual({ name: 'remote', deleted: true });
  expect((await api('GET', '/packs/remote')).status).toBe(404);
  const nodes = await api('GET', '/nodes/openapi.remote');
  expect(nodes.status).toBe(404);
});

test.each([
  ['no document', {}, 'document', /without url/],
  ['a document and a URL', { document: '{}', url: 'http://a.example' }, 'document', /together/],
  ['text that is not a document', { document: 'hello' }, 'document', /./],
  ['JSON that is not a document', { document: '{"a":1}' }, 'document', /./],
  ['a wrong name', { document: '{}', name: 'Über' }, 'name', /lower-case/],
  ['a wrong version', { document: '{}', version: 'v1' }, 'version', /major\.minor\.patch/],
  ['an unknown field', { document: '{}', force: true }, 'force', /./],
])('%s is refused, with the field', async (_what, body, field, issue) => {
  const response = await install(body);
  expect([response.status, readError(response).code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(readError(response).details).toMatchObject({ field, issue: expect.stringMatching(issue) });
});

test('a URL that cannot be loaded is refused; so are private addresses', async () => {
  for (const [url, issue] of [
    [`${upstream.url}/missing`, /404/],
    ['http://127.0.0.2:9/openapi.json', /could not be loaded/],
    [`${upstream.url}/private-redirect`, /could not be loaded/],
    ['file:///etc/passwd', /could not be loaded/],
  ] as const) {
    const response = await install({ url });
    expect([response.status, readError(response).details['field']], url).toEqual([400, 'url']);
    expect(readError(response).details['issue']).toMatch(issue);
  }
});

test('a server with a private address is refused when an operation runs', async () => {
  await installPack({ document: createDocumentText('http://127.0.0.2:9'), name: 'inside' });
  const id = await save(withNode('openapi.inside', { operation: 'pets/list' }));
  const { status, error } = await run(id);
  expect([status, error?.message]).toEqual(['failed', expect.stringMatching(/127\.0\.0\.2/)]);
});

test('only administrators install and remove', async () => {
  for (const response of [
    await install({ document: createDocumentText('http://a.example') }, member),
    await member('DELETE', '/packs/pet_store'),
  ])
    expect([response.status, readError(response).details]).toEqual([403, { role: 'admin' }]);
});

test('a pack in use cannot be deleted; only owners see the names of their workflows', async () => {
  await installPack({ document: createDocumentText(upstream.url), name: 'used' });
  const mine = await save(withNode('openapi.used', { operation: 'pets/list' }));
  const theirs = await save(withNode('openapi.used', { operation: 'pets/list' }), member);
  const response = await api('DELETE', '/packs/used?version=1.0.0');
  expect(response.status).toBe(400);
  const { workflows } = readError(response).details as { workflows: { id: string; name: string | null }[] };
  expect(new Map(workflows.map(({ id, name }) => [id, name]))).toEqual(
    new Map([
      [mine, 'W'],
      [theirs, null],
    ]),
  );
  const users = (version: string) => api('GET', `/packs/used/workflows${version}`);
  expect((await users('')).body).toEqual({ workflows, complete: true });
  expect((await users('?version=1.0.0')).body).toEqual({ workflows, complete: true });
  expect(readError(await users('?version=9.0.0')).code).toBe('NOT_FOUND');
  expect((await member('GET', '/packs/used/workflows')).status).toBe(403);
  for (const [id, call] of [
    [mine, api],
    [theirs, member],
  ] as const)
    await call('DELETE', `/workflows/${id}`);
  expect((await api('DELETE', '/packs/used?version=9.0.0')).status).toBe(404);
  expect((await api('DELETE', '/packs/used?version=1.0.0')).status).toBe(200);
});

test('the name of a pack cannot be used by custom nodes, and a pack is not deleted as a node', async () => {
  const implementation = { runtime: 'javascript', handler: 'export default () => ({})' };
  const taken = await member('POST', '/nodes', { body: { nodeType: 'openapi.pet_store', implementation } });
  expect([taken.status, readError(taken).message]).toEqual([400, expect.stringContaining('pack')]);
  const kept = await api('DELETE', '/nodes/openapi.pet_store');
  expect([kept.status, readError(kept).message]).toEqual([400, expect.stringContaining('pack')]);
});
