import { afterAll, beforeAll, expect, test } from 'vitest';
import { Provider } from '../connections/provider.ts';
import { adminEmail, adminPassword, waitUntil } from '../support/service.ts';
import { createDocumentText } from '../support/openapi/petstore.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { SLACK_SIGNING_SECRET, startFakeSlack } from '../support/servers/fake-slack.ts';
import { startModelLists } from '../support/ai/model-lists.ts';
import { startMcpServer } from '../support/servers/mcp-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createStoringWorkflow } from '../support/ai/vector-collection.ts';
import { createEchoWorkflow, greeting, longWait, manual } from '../api/definitions.ts';
import { startArtifactService } from './artifact.ts';
import { AuditedOperations } from './audited-operations.ts';
import { DocumentedApi, isPackApp } from './documented-api.ts';

/*
 * Every operation of the OpenAPI document against the built program without its sources; oauth.test.ts has
 * those of OAuth, and pack-apps.test.ts those that need a public URL. The commands of the CLI are run from
 * the installed package, in test/package.
 */
const service = startArtifactService({ WEFT_METRICS: 'on' });
const provider = new Provider();
let upstream: Upstream;
let api: DocumentedApi;
let audited: AuditedOperations;

type Id = { id: string };
type Execution = Id & { status: string; output: Record<string, unknown> };

beforeAll(async () => {
  await provider.open();
  upstream = await startUpstream(() => ({ headers: { 'content-type': 'image/png' } }));
  api = await DocumentedApi.open(service.weft.url);
  const login = await api.call<{ token: string }>('login', {
    body: { email: adminEmail, password: adminPassword },
  });
  api.authorization = `Bearer ${login.body.token}`;
  audited = await AuditedOperations.watch(api, service.weft.url);
});
afterAll(async () => {
  await upstream.close();
  await provider.close();
});

async function workflow(definition: object, more: object = {}): Promise<string> {
  return (await api.call<Id>('createWorkflow', { body: { name: 'W', definition, ...more } })).body.id;
}
async function execute(id: string, body: object = {}): Promise<Execution> {
  return (await api.call<Execution>('executeWorkflow', { params: { id }, body })).body;
}
async function reach(id: string, wanted: string): Promise<Execution> {
  return waitUntil(
    async () => (await api.call<Execution>('getExecution', { params: { id } })).body,
    ({ status }) => status === wanted,
  );
}

test('users, API keys and secrets', async () => {
  expect((await api.call('getCurrentUser')).body).toMatchObject({ email: adminEmail });
  const user = { email: 'grace@example.com', password: 'a moth in relay seventy' };
  const { id } = (await api.call<Id>('createUser', { body: user })).body;
  await api.call('listUsers', { query: { page: '1', limit: '10' } });
  await api.call('getUser', { params: { id } });
  await api.call('updateUser', { params: { id }, body: { plan: 'pro' } });
  await api.call('deleteUser', { params: { id } });

  const key = (await api.call<Id>('createApiKey', { body: { name: 'k', scopes: ['workflows:read'] } })).body;
  await api.call('listApiKeys');
  await api.call('deleteApiKey', { params: { id: key.id } });

  await api.call('putSecret', { params: { name: 'TOKEN' }, body: { value: 'wh-5b1f27c9d04e8a36' } });
  await api.call('listSecrets');
  await api.call('deleteSecret', { params: { name: 'TOKEN' } });
});

test('connections', async () => {
  const body = { name: 'SHOP', ...provider.settings, scopes: ['orders'] };
  const made = await api.call<{ connect_url: string }>('createConnection', { body });
  expect((await fetch(made.body.connect_url)).status).toBe(200);
  const params = { name: 'SHOP' };
  expect((await api.call('getConnection', { params })).body).toMatchObject({ status: 'connected' });
  await api.call('listConnections');
  await api.call('testConnection', { params });
  await api.call('refreshConnection', { params });
  await api.call('updateConnection', { params, body: { description: 'The shop' } });
  await api.call('authorizeConnection', { params, body: { return_to: '/connections' } });
  await api.call('deleteConnection', { params, query: { force: 'true' } });
  const key = {
    name: 'KEY',
    grant_type: 'fields',
    authentication: { type: 'custom', placements: [{ in: 'header', name: 'X-Key', field: 'key' }] },
    fields: { key: 'canary-key' },
    hosts: ['api.example.com'],
  };
  const { body: stored } = await api.call('createConnection', { body: key });
  expect(stored).toMatchObject({ status: 'connected', connect_url: null, field_names: ['key'] });
  await api.call('listConnectionProviders', { query: { search: 'git', limit: '5' } });
  await api.call('getConnectionProvider', { params: { id: 'github' } });
});

test('workflows, their versions and their webhooks', async () => {
  const id = await workflow(createEchoWorkflow('orders'), { status: 'active', tags: ['shop'] });
  await api.call('listWorkflows', { query: { status: 'active', search: 'W', tag: 'shop' } });
  await api.call('getWorkflow', { params: { id } });
  await api.call('updateWorkflow', {
    params: { id },
    body: { definition: createEchoWorkflow('orders', { method: 'POST' }), publish: false },
  });
  await api.call('publishWorkflow', { params: { id } });
  await api.call('listWorkflowVersions', { params: { id } });
  await api.call('getWorkflowVersion', { params: { id, version: '1' } });
  const order = { id: 'o-17', total: 720 };
  const called = await api.call('callWebhook', { params: { endpoint: 'orders' }, body: order });
  expect(called.body).toEqual({ body: order });
  const params = { workflow_id: id, endpoint: 'orders' };
  await api.call('callWebhookOfWorkflow', { params, form: { total: '720' } });
  const listener = await api.call<{ url: string }>('listenToWebhook', {
    params: { id },
    body: { node_id: 'hook' },
  });
  const token = listener.body.url.split('/').at(-1)!;
  await api.call('callTestAddress', { params: { token }, body: order });
  await api.call('getWorkflowStatistics', { params: { id }, query: { interval: 'day' } });
  await api.call('getModelUsage', {
    query: { from: '2026-01-01', to: '2026-01-31', group_by: 'day,model', workflow_id: id, user_id: 'all' },
  });
  const price = { model: 'openai/*', input: 1, cached_input: 0.5, output: 2 };
  await api.call('setModelPrices', { body: { prices: [price] } });
  await api.call('getModelPrices');
  await api.call('getStatistics', { query: { from: '2026-01-01', to: '2026-01-31', interval: 'day' } });
  await api.call('stopListeningToWebhook', { params: { id }, query: { node_id: 'hook' } });
  const pinned = { id, node_id: 'hook' };
  await api.call('putPinnedOutput', { params: pinned, body: { output: order, ports: ['out'] } });
  await api.call('listPinnedOutputs', { params: { id } });
  await api.call('deletePinnedOutput', { params: pinned });
  await api.call('nameWorkflowVersion', { params: { id, version: '1' }, body: { name: 'First' } });
  await api.call('restoreWorkflowVersion', { params: { id, version: '1' } });
  await api.call('deleteWorkflow', { params: { id } });
  expect((await api.call('listDeletedWorkflows', { query: { limit: '5' } })).body).toMatchObject({
    workflows: [{ id }],
  });
  expect((await api.call('undeleteWorkflow', { params: { id } })).body).toMatchObject({ status: 'inactive' });
  await api.call('listWorkflows', { query: { sort: 'name', direction: 'desc' } });
  await api.call('deleteWorkflow', { params: { id }, query: { permanent: 'true' } });
});

test('templates and nodes', async () => {
  const template = {
    templateName: 'greeting',
    version: '1.0.0',
    description: 'Greets.',
    parameters: [{ name: 'WORD', type: 'string', required: true }],
    workflow: { name: 'Greeting with {{ parameters.WORD }}', definition: greeting },
  };
  const params = { name: 'greeting' };
  await api.call('createTemplate', { body: template });
  await api.call('listTemplates', { query: { search: 'greet' } });
  await api.call('getTemplate', { params, query: { version: '1.0.0' } });
  await api.call('instantiateTemplate', { params, body: { parameters: { WORD: 'x' } } });
  await api.call('deleteTemplate', { params });

  const handler = 'export default async (inputs) => ({ doubled: inputs.n * 2 })';
  const node = {
    nodeType: 'double',
    description: 'Doubles a number.',
    version: '1.0.0',
    inputs: { n: { type: 'number', required: true } },
    outputs: { doubled: 'number' },
    implementation: { runtime: 'javascript', handler, dependencies: {} },
  };
  const { inputs, outputs, implementation } = node;
  const tested = { inputs, outputs, implementation, values: { n: 21 } };
  expect(await api.call('testNode', { body: tested })).toMatchObject({ body: { output: { doubled: 42 } } });
  await api.call('registerNode', { body: node });
  await api.call('listNodes', { query: { category: 'custom' } });
  await api.call('getNode', { params: { id: 'double' } });
  await api.call('listNodeVersions', { params: { id: 'double' } });
  const id = await workflow({
    nodes: [manual, { id: 'x', type: 'double', config: { n: 21 } }],
    connections: [{ from: 'start', to: 'x' }],
  });
  expect(await execute(id, { wait: '30s' })).toMatchObject({ status: 'completed', output: { doubled: 42 } });
  await api.call('deleteWorkflow', { params: { id } });
  await api.call('deleteNode', { params: { id: 'double' }, query: { version: '1.0.0' } });
});

test('packs', async () => {
  const document = createDocumentText(upstream.url);
  const body = { document, name: 'store', version: '1.0.0' };
  await api.call('installPack', { body: { ...body, dry_run: true } });
  await api.call('installPack', { body });
  await api.call('listPacks', { query: { search: 'store' } });
  const params = { name: 'store' };
  await api.call('getPack', { params, query: { version: '1.0.0' } });
  await api.call('listPackOperations', { params, query: { search: 'list' } });
  await api.call('getPackOperation', { params: { name: 'store', id: 'pets/list' } });
  const id = await workflow({
    nodes: [manual, { id: 'x', type: 'openapi.store', config: { operation: 'pets/list' } }],
    connections: [{ from: 'start', to: 'x' }],
  });
  expect(await execute(id, { wait: '30s' })).toMatchObject({ status: 'completed', output: { status: 200 } });
  await api.call('listPackOperationNames', { params });
  expect((await api.call<{ workflows: Id[] }>('listPackWorkflows', { params })).body.workflows).toMatchObject(
    [{ id }],
  );
  await api.call('deleteWorkflow', { params: { id } });
  await api.call('deletePack', { params, query: { version: '1.0.0' } });
});

test('choices of packs', async () => {
  const archive = packFixture('demo').toString('base64');
  await api.call('installPack', { body: { archive } });
  const body = {
    operation: 'choose',
    field: 'project',
    authentication: { type: 'token', token: 'token-17' },
    // Without an address, the pack calls no service.
    values: {},
    refresh: true,
  };
  const list = await api.call<object>('listPackChoices', { params: { name: 'demo' }, body });
  expect(list.body).toMatchObject({ disabled: true, placeholder: 'Enter the address first' });
  await api.call('deletePack', { params: { name: 'demo' } });
});

test('tools of MCP servers', async () => {
  const mcp = await startMcpServer([
    { name: 'add', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } },
  ]);
  const authentication = { type: 'bearer', token: 'token-17' };
  const list = await api.call<{ tools: object[] }>('listMcpTools', {
    body: { url: mcp.url, authentication, refresh: true },
  });
  expect(list.body.tools).toMatchObject([{ name: 'add', read_only: true, repeatable: true }]);
  const id = await workflow({
    nodes: [manual, { id: 'x', type: 'mcp_tool', config: { url: mcp.url, tool: 'add' } }],
    connections: [{ from: 'start', to: 'x' }],
  });
  expect(await execute(id, { wait: '30s' })).toMatchObject({
    status: 'completed',
    output: { result: 'done', files: [], links: [] },
  });
  await mcp.close();
});

test('models of providers', async () => {
  const lists = await startModelLists({ '/v1/models': { data: [{ id: 'llama3.2' }] } });
  const body = { provider: 'openai_compatible', base_url: `${lists.url}/v1`, refresh: true };
  const list = await api.call<{ models: object[] }>('listProviderModels', { body });
  expect(list.body.models).toEqual([{ id: 'llama3.2', name: null, priced: false }]);
  await lists.close();
});

test('executions, their logs and files', async () => {
  const long = await workflow(longWait);
  const { id } = await execute(long);
  await reach(id, 'waiting');
  await api.call('stopExecution', { params: { id } });
  const again = await api.call<Id>('retryExecution', { params: { id }, body: { from: 'start' } });
  await api.call('stopExecution', { params: { id: again.body.id } });
  await api.call('listExecutions', { query: { status: 'stopped' } });
  await api.call('listWorkflowExecutions', { params: { id: long } });

  const done = await execute(await workflow(greeting), { input: { name: 'Ada' }, wait: '30s' });
  expect(done.output).toEqual({ text: 'Dear Ada' });
  const params = { id: done.id };
  await api.call('listNodeRuns', { params });
  await api.call('listLogs', { params, query: { level: 'info' } });
  await api.call('listLogs', { params, headers: { accept: 'text/event-stream' } });
  await api.call('streamExecution', { params, headers: { accept: 'text/event-stream' } });
  const body = { template: 'Dear {{ input.name | capitalize }}', input: { name: 'ada' } };
  await api.call('evaluateTemplate', { body });

  const waiting = await execute(
    await workflow({
      nodes: [manual, { id: 'wait', type: 'wait_for_event', config: {} }],
      connections: [{ from: 'start', to: 'wait' }],
    }),
  );
  await reach(waiting.id, 'waiting');
  const logs = await api.call('listLogs', { params: { id: waiting.id }, query: { node_id: 'wait' } });
  const token = /\/resume\/([^"]+)"/.exec(logs.text)![1]!;
  await api.call('resumeExecution', {
    params: { token: decodeURIComponent(token) },
    body: { approved: true },
  });
  await reach(waiting.id, 'completed');

  const asking = await execute(
    await workflow({
      nodes: [
        manual,
        { id: 'get', type: 'http_request', config: { method: 'GET', url: upstream.url } },
        { id: 'ask', type: 'approval', config: { title: 'Expense', attachments: ['{{ nodes.get.body }}'] } },
      ],
      connections: [
        { from: 'start', to: 'get' },
        { from: 'get', to: 'ask' },
      ],
    }),
  );
  await reach(asking.id, 'waiting');
  const listed = await api.call<{ decisions: Id[] }>('listDecisions', {
    query: { view: 'assigned', status: 'open', search: 'expense' },
  });
  const decision = { params: { id: listed.body.decisions[0]!.id } };
  const { attachments } = (await api.call<{ attachments: Id[] }>('getDecision', decision)).body;
  const attachment = { params: { ...decision.params, file: attachments[0]!.id } };
  await api.call('getDecisionAttachment', attachment);
  await api.call('getDecisionAttachment', { ...attachment, headers: { Range: 'bytes=0-0' } });
  await api.call('respondToDecision', { ...decision, body: { choice: 'approved', comment: 'Good' } });
  await reach(asking.id, 'completed');

  await execute(await workflow(createRememberingWorkflow('ada')), { wait: '30s' });
  const { threads } = (await api.call<{ threads: Id[] }>('listThreads', { query: { search: 'ada' } })).body;
  await api.call('getThread', { params: { id: threads[0]!.id } });
  await api.call('deleteThread', { params: { id: threads[0]!.id } });

  const storing = createStoringWorkflow('handbook', [{ key: 'a', text: 'A', embedding: [1, 0] }]);
  await execute(await workflow(storing), { wait: '30s' });
  await api.call('listVectorCollections', { query: { search: 'handbook' } });
  await api.call('getVectorCollection', { params: { name: 'handbook' } });
  await api.call('deleteVectorCollection', { params: { name: 'handbook' } });

  const fetched = await execute(
    await workflow({
      nodes: [manual, { id: 'get', type: 'http_request', config: { method: 'GET', url: upstream.url } }],
      connections: [{ from: 'start', to: 'get' }],
    }),
    { wait: '30s' },
  );
  const file = (fetched.output['body'] as { $file: Id }).$file;
  await api.call('getFile', { params: { id: file.id } });
  await api.call('getFile', { params: { id: file.id }, headers: { Range: 'bytes=0-0' } });
});

test('a button in Slack', async () => {
  const slack = await startFakeSlack();
  slack.addUser({ id: 'U1', email: adminEmail });
  await api.call('putSecret', { params: { name: 'SLACK' }, body: { value: slack.credentials } });
  await api.call('putSecret', { params: { name: 'SIGNING' }, body: { value: SLACK_SIGNING_SECRET } });
  const target = { channel: '#a', credentials: '{{ secrets.SLACK }}', signing_secret: 'SIGNING' };
  const ask = { id: 'ask', type: 'approval', config: { title: 'Expense', slack: target } };
  const connections = [{ from: 'start', to: 'ask' }];
  await execute(await workflow({ nodes: [manual, ask], connections }));
  const [message] = await waitUntil(
    () => Promise.resolve(slack.messages),
    ({ length }) => length > 0,
  );
  const { headers, body } = slack.createClick(message!, 'U1', 'Approve');
  const signed = {
    'X-Slack-Signature': headers['x-slack-signature']!,
    'X-Slack-Request-Timestamp': headers['x-slack-request-timestamp']!,
  };
  const form = Object.fromEntries(new URLSearchParams(body));
  await api.call('receiveSlackInteraction', { headers: signed, form });
  await waitUntil(
    () => Promise.resolve(slack.updates),
    ({ length }) => length > 0,
  );
  await slack.close();
});

test('GraphQL over HTTP', async () => {
  const query = '{ health { status } }';
  const done = await execute(await workflow(greeting), { input: { name: 'Ada' }, wait: '30s' });
  const stream = `subscription { executionLogs(executionId: "${done.id}") { message } }`;
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    await api.call('graphql', { body: { query }, headers: { accept } });
    await api.call('graphqlByGet', { query: { query }, headers: { accept } });
  }
  const headers = { accept: 'text/event-stream' };
  await api.call('graphql', { body: { query: stream }, headers });
  await api.call('graphqlByGet', { query: { query: stream }, headers });
  await api.call('graphqlByGet', { headers: { accept: 'text/html' } });
});

test('health, metrics and documents', async () => {
  for (const operation of ['getHealth', 'getLiveness', 'getReadiness', 'getMetrics'])
    await api.call(operation);
  for (const operation of ['getOpenapi', 'getAsyncapi', 'getGraphqlSchema', 'getDocs'])
    await api.call(operation);
});

test('the audit log', async () => {
  const query = {
    actor: adminEmail,
    action: 'workflow.created',
    target_type: 'workflow',
    outcome: 'success',
  };
  const times = { from: '2026-01-01', to: '2100-01-01' };
  const listed = await api.call<{ audit_events: { action: string }[] }>('listAuditEvents', {
    query: { ...query, ...times, page: '1', limit: '5' },
  });
  expect(listed.body.audit_events[0]).toMatchObject({ action: 'workflow.created' });
  const exported = await api.call('exportAuditEvents', { query: { ...query, ...times } });
  expect(exported.text.trimEnd().split('\n').length).toBeGreaterThan(5);
});

test('sessions', async () => {
  const passwords = { current_password: adminPassword, new_password: 'twelve grey geese over the weir' };
  await api.call('changePassword', { body: passwords });
  const body = { email: adminEmail, password: passwords.new_password };
  const { token } = (await api.call<{ token: string }>('login', { body })).body;
  const next = (await api.call<{ token: string }>('refreshSession', { body: { token } })).body;
  api.authorization = `Bearer ${next.token}`;
  await api.call('logout');
  await api.call('getCurrentUser', { isRefused: true });

  const proof = { 'X-Weft-CSRF': '1', origin: new URL(service.weft.url).origin };
  const opened = await api.call('openCookieSession', { body, headers: proof });
  const renewed = await api.call('refreshCookieSession', {
    headers: { ...proof, cookie: readCookie(opened) },
  });
  await api.call('closeCookieSession', { headers: { ...proof, cookie: readCookie(renewed) } });
});

test('every operation that changes something writes an audit event', () => {
  const changes = api.changes((path) => !isElsewhere(path));
  expect(audited.findMissing(changes)).toEqual([]);
  expect(audited.actions.get('updateWorkflow')).toContain('workflow.updated');
});

test('every documented response of success was seen', () => {
  const unseen = api.unseen((path) => !isElsewhere(path));
  expect(unseen, 'Add calls to test/artifact/rest.test.ts').toEqual([]);
});

const readCookie = ({ headers }: { headers: Headers }): string =>
  headers.get('set-cookie')!.split(';', 1)[0]!;
const isElsewhere = (path: string): boolean => isPackApp(path) || /^\/(oauth|\.well-known)\//.test(path);
