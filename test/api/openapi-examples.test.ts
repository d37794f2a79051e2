import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createVectorCollection } from '../support/ai/vector-collection.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { startModelLists } from '../support/ai/model-lists.ts';
import { startMcpServer } from '../support/servers/mcp-server.ts';
import { Provider } from '../connections/provider.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeGroups } from '../../src/api/rest/routes.ts';
import { bodyExamples } from '../../src/api/docs/example-bodies.ts';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  caller,
  createTempFolder,
  waitUntil,
  type ApiResponse,
  type Call,
} from '../support/service.ts';

/*
 * Sends the examples of the OpenAPI document to a running service. The fixture validates each response
 * against the document. These tests verify that the examples are accepted, and that every operation is
 * called.
 */

const routes = routeGroups({} as never).flatMap((group) => group.routes);
/** Tested by the tests of their subject. */
const elsewhere = new Set([
  'getFile',
  'getDecisionAttachment',
  'streamExecution',
  'deleteOAuthGrant',
  'resumeExecution',
  'openCookieSession',
  'refreshCookieSession',
  'closeCookieSession',
  // Need a public URL.
  'getPackApp',
  'putPackApp',
  'deletePackApp',
]);

const folder = createTempFolder();
const succeeded = new Set<string>();
const codes = new Set<string>();
let service: SpawnedService;
let call: Call;

/** Notes which operation was answered, and how. */
function noting(inner: Call): Call {
  return async (method, path, options) => {
    const response = await inner(method, path, options);
    const segments = path.split('?', 1)[0]!.split('/');
    const fits = (pattern: string): boolean => {
      const parts = pattern.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith('{') || part === segments[index])
      );
    };
    const route = routes
      .filter((one) => one.method === method && fits(one.path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
    if (route !== undefined && response.status === route.status) succeeded.add(route.operation);
    if (response.status >= 400) codes.add((response.body as { error: { code: string } }).error.code);
    return response;
  };
}

function example(operation: string, index = 0): { body: Record<string, unknown> } {
  return { body: bodyExamples[operation]![index]!.value as Record<string, unknown> };
}

function taken(response: ApiResponse): Record<string, unknown> {
  if (response.status >= 300) throw new Error(`${response.status} ${response.text}`);
  return response.body as Record<string, unknown>;
}

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path, env: { WEFT_RATE_LIMIT_STANDARD: '3' } });
  const login = { body: { email: adminEmail, password: adminPassword } };
  const { token } = taken(await noting(service.call)('POST', '/auth/login', login));
  call = noting(caller(service.url, { authorization: `Bearer ${String(token)}` }));
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

/** Operations that need a real token endpoint. */
async function connectAndRefresh(): Promise<void> {
  const { body } = example('createConnection', 2);
  const provider = await new Provider().open();
  const settings = {
    token_url: `${provider.url}/token`,
    client_id: 'weft-app',
    client_secret: 'canary-client-secret',
  };
  taken(await call('PUT', `/connections/${String(body['name'])}`, { body: settings }));
  taken(await call('POST', `/connections/${String(body['name'])}/refresh`));
  await provider.close();
}

describe('the examples are accepted', () => {
  it('secrets', async () => {
    for (const name of ['ORDERS_KEY', 'WAREHOUSE_TOKEN', 'SPARE'])
      taken(await call('PUT', `/secrets/${name}`, example('putSecret')));
    taken(await call('GET', '/secrets'));
    taken(await call('DELETE', '/secrets/SPARE'));
  });

  it('connections', async () => {
    for (const { value } of bodyExamples['createConnection']!)
      taken(await call('POST', '/connections', { body: value }));
    taken(await call('GET', '/connections'));
    taken(await call('GET', '/connection-providers?search=git'));
    taken(await call('GET', '/connection-providers/github'));
    taken(await call('GET', '/connections/GITHUB'));
    for (const { value } of bodyExamples['updateConnection']!)
      taken(await call('PUT', '/connections/GITHUB', { body: value }));
    for (const { value } of bodyExamples['authorizeConnection']!)
      taken(await call('POST', '/connections/GITHUB/authorize', { body: value }));
    expect(taken(await call('POST', '/connections/GITHUB/test'))['ok']).toBe(false);
    expect((await call('POST', '/connections/GITHUB/refresh')).status).toBe(400);
    await connectAndRefresh();
    taken(await call('DELETE', '/connections/GITHUB?force=false'));
  });

  it('workflows: each can be created without errors', async () => {
    for (const { value } of bodyExamples['createWorkflow']!) {
      const made = taken(await call('POST', '/workflows', { body: value }));
      const { nodes = [] } = (value as { definition?: { nodes?: unknown[] } }).definition ?? {};
      // A definition without nodes cannot run.
      if (nodes.length > 0) expect(made['issues']).toEqual([]);
    }
    taken(await call('GET', '/workflows?page=1&limit=2&search=ORDER&status=draft'));
  });

  it('a workflow is put to work, renamed, restored and deleted', async () => {
    const { id } = taken(await call('POST', '/workflows', example('createWorkflow')));
    const path = `/workflows/${String(id)}`;
    expect(taken(await call('PUT', path, example('updateWorkflow', 1)))['version']).toBe(2);
    expect(taken(await call('PUT', path, example('updateWorkflow', 0)))['status']).toBe('active');
    taken(await call('POST', `${path}/publish`));
    taken(await call('POST', `${path}/listen`, example('listenToWebhook')));
    taken(await call('DELETE', `${path}/listen`));
    taken(await call('GET', `${path}/statistics`));
    taken(await call('GET', '/statistics'));
    taken(await call('PUT', '/model-prices', example('setModelPrices')));
    taken(await call('GET', '/model-prices'));
    taken(await call('GET', '/model-usage'));
    taken(await call('PUT', `${path}/pinned-outputs/order`, example('putPinnedOutput')));
    taken(await call('GET', `${path}/pinned-outputs`));
    taken(await call('DELETE', `${path}/pinned-outputs/order`));
    taken(await call('GET', `${path}/versions`));
    taken(await call('GET', `${path}/versions/1`));
    taken(await call('PUT', `${path}/versions/1`, example('nameWorkflowVersion')));
    taken(await call('POST', `${path}/versions/1/restore`));
    taken(await call('GET', path));
    taken(await call('DELETE', path));
    taken(await call('GET', '/workflows/deleted'));
    taken(await call('POST', `${path}/undelete`));
    taken(await call('DELETE', path));
  });

  /** Runs the loop that the last example of retries names. */
  async function runLoop(): Promise<string> {
    const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
    const orders = { id: 'orders', type: 'for_each', config: { items: [1, 2], nodes: ['notify'] } };
    const notify = { id: 'notify', type: 'set', config: { fields: { told: true } } };
    const definition = { nodes: [start, orders, notify], connections: [{ from: 'start', to: 'orders' }] };
    const { id } = taken(await call('POST', '/workflows', { body: { name: 'Loop', definition } }));
    return String(
      taken(await call('POST', `/workflows/${String(id)}/execute`, { body: { wait: '10s' } }))['id'],
    );
  }

  it('a workflow is run, stopped, retried and looked at', async () => {
    const { id } = taken(await call('POST', '/workflows', example('createWorkflow')));
    const path = `/workflows/${String(id)}`;
    const partly = taken(await call('POST', `${path}/execute`, example('executeWorkflow', 1)));
    taken(await call('POST', `${path}/execute`, example('executeWorkflow', 2)));
    const { body } = example('executeWorkflow', 0);
    const whole = taken(
      await call('POST', `${path}/execute`, {
        body: { ...body, wait: '10ms' },
        headers: { 'idempotency-key': 'one' },
      }),
    );
    await waitUntil(
      async () => taken(await call('GET', `/executions/${String(partly['id'])}`)),
      ({ status }) => status === 'completed',
    );
    taken(await call('POST', `/executions/${String(whole['id'])}/stop`));
    for (const index of [0, 1]) {
      const again = taken(
        await call('POST', `/executions/${String(whole['id'])}/retry`, example('retryExecution', index)),
      );
      taken(await call('POST', `/executions/${String(again['id'])}/stop`));
    }
    const looped = await runLoop();
    taken(await call('POST', `/executions/${looped}/retry`, example('retryExecution', 2)));
    taken(await call('GET', `${path}/executions?status=stopped`));
    taken(await call('GET', '/executions?from=2026-01-01T00:00:00.000Z'));
    taken(await call('GET', `/executions/${String(partly['id'])}/nodes`));
    taken(await call('GET', `/executions/${String(partly['id'])}/logs?level=info`));
  });

  it('a template is tried out', async () => {
    taken(await call('POST', '/evaluate', example('evaluateTemplate')));
  });

  it('templates', async () => {
    const { templateName } = taken(await call('POST', '/templates', example('createTemplate')));
    const path = `/templates/${String(templateName)}`;
    taken(await call('GET', '/templates'));
    taken(await call('GET', path));
    taken(await call('POST', `${path}/instantiate`, example('instantiateTemplate')));
    taken(await call('DELETE', path));
  });

  it('people and their keys', async () => {
    const { id } = taken(await call('POST', '/users', example('createUser')));
    for (const index of [0, 1])
      taken(await call('PUT', `/users/${String(id)}`, example('updateUser', index)));
    taken(await call('GET', `/users/${String(id)}`));
    taken(await call('GET', '/users'));
    taken(await call('GET', '/users/me'));
    const { email, password } = example('createUser').body;
    const { token } = taken(await noting(service.call)('POST', '/auth/login', { body: { email, password } }));
    const theirs = noting(caller(service.url, { authorization: `Bearer ${String(token)}` }));
    const { new_password: changed } = example('changePassword').body;
    const change = { current_password: password, new_password: changed };
    taken(await theirs('PUT', '/users/me/password', { body: change }));
    const fresh = taken(await theirs('POST', '/auth/refresh', example('refreshSession')));
    const bearer = { authorization: `Bearer ${String(fresh['token'])}` };
    taken(await noting(caller(service.url, bearer))('POST', '/auth/logout'));
    for (const index of [0, 1]) {
      const key = taken(await call('POST', '/api-keys', example('createApiKey', index)));
      taken(await call('GET', '/api-keys'));
      taken(await call('DELETE', `/api-keys/${String(key['id'])}`));
    }
    taken(await call('DELETE', `/users/${String(id)}`));
  });

  it('OAuth clients', async () => {
    for (const { value } of bodyExamples['createOAuthClient']!) {
      const { client_id: id } = taken(await call('POST', '/oauth/clients', { body: value }));
      taken(await call('GET', '/oauth/clients'));
      taken(await call('DELETE', `/oauth/clients/${String(id)}`));
    }
    taken(await call('GET', '/oauth/grants'));
  });

  it('the catalog and the health', async () => {
    taken(await call('POST', '/nodes/test', example('testNode')));
    taken(await call('POST', '/nodes', example('registerNode')));
    taken(await call('GET', '/nodes?category=flow&search=e'));
    taken(await call('GET', '/nodes/http_request'));
    taken(await call('GET', '/nodes/http_request/versions'));
    taken(await call('DELETE', `/nodes/${String(example('registerNode').body['nodeType'])}`));
    for (const path of ['/health', '/health/live', '/health/ready']) taken(await call('GET', path));
  });

  it('a pack is installed, searched and removed', async () => {
    // The documents of the examples are at URLs that do not exist.
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Petstore', version: '1.0.0' },
      servers: [{ url: 'https://petstore.example.com' }],
      paths: { '/pets': { get: { operationId: 'list', responses: { 200: { description: 'The pets' } } } } },
    });
    const { name } = example('installPack').body;
    taken(await call('POST', '/packs', { body: { document, name } }));
    taken(await call('GET', '/packs'));
    taken(await call('GET', `/packs/${String(name)}`));
    taken(await call('GET', `/packs/${String(name)}/operations?search=list`));
    taken(await call('GET', `/packs/${String(name)}/operations/list`));
    taken(await call('GET', `/packs/${String(name)}/operation-names`));
    taken(await call('GET', `/packs/${String(name)}/workflows`));
    taken(await call('DELETE', `/packs/${String(name)}`));
  });

  it('a decision is answered', async () => {
    for (const { value } of bodyExamples['respondToDecision']!) {
      const definition = {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: 'ask', type: 'approval', config: { title: 'Expense' } },
        ],
        connections: [{ from: 'start', to: 'ask' }],
      };
      const { id } = taken(await call('POST', '/workflows', { body: { name: 'Ask', definition } }));
      taken(await call('POST', `/workflows/${String(id)}/execute`, { body: {} }));
      const { body } = await waitUntil(
        () => call('GET', '/decisions?status=open'),
        ({ text }) => text.includes('Expense'),
      );
      const path = `/decisions/${(body as { decisions: { id: string }[] }).decisions[0]!.id}`;
      taken(await call('GET', path));
      taken(await call('POST', `${path}/respond`, { body: value }));
    }
  });

  it('a thread is read and deleted', async () => {
    const definition = createRememberingWorkflow('ada');
    const { id } = taken(await call('POST', '/workflows', { body: { name: 'Remember', definition } }));
    taken(await call('POST', `/workflows/${String(id)}/execute`, { body: { wait: '20s' } }));
    const { threads } = taken(await call('GET', '/threads?search=ada')) as { threads: { id: string }[] };
    taken(await call('GET', `/threads/${threads[0]!.id}`));
    taken(await call('DELETE', `/threads/${threads[0]!.id}`));
  });

  it('a vector collection is read and deleted', async () => {
    const name = await createVectorCollection(call, 'handbook');
    taken(await call('GET', '/vector-collections'));
    taken(await call('GET', `/vector-collections/${name}`));
    taken(await call('DELETE', `/vector-collections/${name}`));
  });

  it('the audit log is read', async () => {
    taken(await call('GET', '/audit-events?action=user.created&limit=5'));
    taken(await call('GET', '/audit-events/export?target_type=workflow'));
  });

  it('the choices of a pack are loaded', async () => {
    // The pack of the example is not installed here.
    taken(await call('POST', '/packs', { body: { archive: packFixture('demo').toString('base64') } }));
    const { body } = example('listPackChoices');
    const loaded = {
      operation: 'choose',
      field: 'project',
      authentication: { type: 'token', token: 'token-17' },
      // Without an address, the pack calls no service.
      values: {},
    };
    taken(await call('POST', '/packs/demo/choices', { body: { ...body, ...loaded } }));
    taken(await call('DELETE', '/packs/demo'));
  });

  it('the tools of an MCP server are listed', async () => {
    // The server of the example does not exist.
    const mcp = await startMcpServer([{ name: 'get-weather', description: 'The weather of a city.' }]);
    taken(await call('PUT', '/secrets/MCP_TOKEN', { body: { value: 'token-123456' } }));
    const { body } = example('listMcpTools');
    taken(await call('POST', '/mcp-tools', { body: { ...body, url: mcp.url } }));
    taken(await call('DELETE', '/secrets/MCP_TOKEN'));
    await mcp.close();
  });

  it('the models of a provider are listed', async () => {
    // The provider of the example is not called from here.
    const lists = await startModelLists({ '/v1/models': { data: [{ id: 'gpt-5-mini' }] } });
    taken(await call('PUT', '/secrets/OPENAI', { body: { value: 'key-123456' } }));
    const { body } = example('listProviderModels');
    taken(await call('POST', '/provider-models', { body: { ...body, base_url: `${lists.url}/v1` } }));
    taken(await call('DELETE', '/secrets/OPENAI'));
    await lists.close();
  });
});

it('errors of each kind are as documented', async () => {
  const anonymous = noting(service.call);
  await anonymous('GET', '/workflows');
  await call('GET', '/workflows?stauts=failed');
  await call('GET', '/workflows/wf_none');
  await call('POST', '/workflows', { body: { name: '', definition: { nodes: [{ id: 'a' }] } } });
  await call('POST', '/workflows', { raw: '{"name":', headers: { 'content-type': 'application/json' } });
  await call('POST', '/workflows', {
    raw: `{"name":"${'x'.repeat(5 * 1024 * 1024)}"}`,
    headers: { 'content-type': 'application/json' },
  });
  const { id } = taken(await call('POST', '/workflows', example('createWorkflow', 1)));
  await call('PUT', `/workflows/${String(id)}`, { body: { version: 7 } });
  const body = { name: 'reader', scopes: ['nodes:read'] };
  const { key } = taken(await call('POST', '/api-keys', { body }));
  await noting(caller(service.url, { 'x-api-key': String(key) }))('GET', '/workflows');
  const { value: user } = bodyExamples['createUser']![0]!;
  taken(await call('POST', '/users', { body: { ...(user as object), plan: 'standard' } }));
  const { email, password } = user as { email: string; password: string };
  const { token } = taken(await anonymous('POST', '/auth/login', { body: { email, password } }));
  const limited = noting(caller(service.url, { authorization: `Bearer ${String(token)}` }));
  for (let round = 0; round < 4; round++) await limited('GET', '/users/me');
  expect([...codes].sort()).toEqual([
    'CONFLICT',
    'FORBIDDEN',
    'NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'VALIDATION_ERROR',
  ]);
});

it('no operation was left out', () => {
  const missing = routes.map((route) => route.operation).filter((name) => !succeeded.has(name));
  expect(missing.filter((name) => !elsewhere.has(name))).toEqual([]);
});

describe('the documents of a running service', () => {
  it('say where it is, and need no credential', async () => {
    const openapi = taken(await service.call('GET', '/openapi.json'));
    expect(openapi['servers']).toEqual([{ url: service.url }]);
    const asyncapi = taken(await service.call('GET', '/asyncapi.json'));
    const { socket } = asyncapi['servers'] as { socket: { host: string; protocol: string } };
    expect(`${socket.protocol}://${socket.host}`).toBe(new URL(service.url).origin.replace('http', 'ws'));
    expect((await service.call('GET', '/schema.graphql')).text).toContain('type Query');
  });

  it('are pages for people, which load nothing from elsewhere', async () => {
    for (const path of ['/docs', '/docs/graphql', '/docs/nodes', '/docs/style.css', '/docs/script.js']) {
      const response = await service.call('GET', path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('etag')).toMatch(/^W\//);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const { headers } = await service.call('GET', '/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await service.call('GET', '/docs/none')).status).toBe(404);
  });
});
