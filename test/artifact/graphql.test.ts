import { createDocumentText, createPetstore } from '../support/openapi/petstore.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Provider } from '../connections/provider.ts';
import { adminEmail, adminPassword, waitUntil } from '../support/service.ts';
import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createStoringWorkflow } from '../support/ai/vector-collection.ts';
import { createEchoWorkflow, greeting, longWait, manual } from '../api/definitions.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { startModelLists } from '../support/ai/model-lists.ts';
import { startMcpServer } from '../support/servers/mcp-server.ts';
import { startArtifactService } from './artifact.ts';
import { DocumentedApi } from './documented-api.ts';
import { DocumentedGraphql } from './documented-graphql.ts';
import { CALLBACK, OAuthUser, VERIFIER } from './oauth-user.ts';

/* Every query, mutation and subscription of the schema against the built program without its sources. */
const service = startArtifactService({ WEFT_WEBHOOK_URL: 'https://hooks.example.com' });
const provider = new Provider();
let api: DocumentedGraphql;

type Id = { id: string };
type Execution = Id & { status: string; output: Record<string, unknown> };

beforeAll(async () => {
  await provider.open();
  api = await DocumentedGraphql.open(service.weft.url);
  const input = { email: adminEmail, password: adminPassword };
  api.authorization = `Bearer ${(await api.mutate<{ token: string }>('login', { input })).token}`;
});
afterAll(() => provider.close());

const workflow = async (definition: object, more: object = {}): Promise<string> =>
  (await api.mutate<Id>('createWorkflow', { input: { name: 'W', definition, ...more } })).id;
const execute = (id: string, input: object = {}): Promise<Execution> =>
  api.mutate<Execution>('executeWorkflow', { id, input });

test('users, API keys and secrets', async () => {
  expect(await api.query('me')).toMatchObject({ email: adminEmail });
  const user = { email: 'grace@example.com', password: 'a moth in relay seventy' };
  const { id } = await api.mutate<Id>('createUser', { input: user });
  await api.query('users', { page: 1, limit: 10 });
  await api.query('user', { id });
  await api.mutate('updateUser', { id, input: { plan: 'pro' } });
  await api.mutate('deleteUser', { id });

  const key = await api.mutate<Id>('createApiKey', { input: { name: 'k', scopes: ['workflows:read'] } });
  await api.query('apiKeys');
  await api.mutate('deleteApiKey', { id: key.id });

  await api.mutate('putSecret', { name: 'TOKEN', input: { value: 'wh-5b1f27c9d04e8a36' } });
  await api.query('secrets');
  await api.mutate('deleteSecret', { name: 'TOKEN' });
});

test('connections', async () => {
  const { authorization_url, token_url, client_id, client_secret } = provider.settings;
  const input = {
    name: 'SHOP',
    authorizationUrl: authorization_url,
    tokenUrl: token_url,
    clientId: client_id,
    clientSecret: client_secret,
  };
  const made = await api.mutate<{ connectUrl: string }>('createConnection', { input });
  expect((await fetch(made.connectUrl)).status).toBe(200);
  const name = 'SHOP';
  expect(await api.query('connection', { name })).toMatchObject({ status: 'connected' });
  await api.query('connections');
  await api.mutate('testConnection', { name });
  await api.mutate('refreshConnection', { name });
  await api.mutate('updateConnection', { name, input: { description: 'The shop' } });
  await api.mutate('authorizeConnection', { name, input: { returnTo: '/connections' } });
  await api.mutate('deleteConnection', { name, force: true });
  const key = {
    name: 'KEY',
    grantType: 'fields',
    authentication: { type: 'custom', placements: [{ in: 'header', name: 'X-Key', field: 'key' }] },
    fields: { key: 'canary-key' },
    hosts: ['api.example.com'],
  };
  expect(await api.mutate('createConnection', { input: key })).toMatchObject({ fieldNames: ['key'] });
  await api.query('connectionProviders', { search: 'git', limit: 5 });
  expect(await api.query('connectionProvider', { id: 'github' })).toMatchObject({ title: 'GitHub' });
});

test('OAuth clients and grants', async () => {
  const input = { name: 'App', redirectUris: [CALLBACK], scopes: ['workflows:read'] };
  const client = await api.mutate<{ clientId: string; clientSecret: string }>('createOAuthClient', { input });
  await api.query('oauthClients');
  const user = new OAuthUser(service.weft.url);
  const code = await user.allow({ clientId: client.clientId, scope: 'workflows:read' });
  const rest = await DocumentedApi.open(service.weft.url);
  await rest.call('oauthToken', {
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      client_id: client.clientId,
      client_secret: client.clientSecret,
    },
  });
  const { grants } = await api.query<{ grants: Id[] }>('oauthGrants');
  await api.mutate('deleteOAuthGrant', { id: grants[0]!.id });
  await api.mutate('deleteOAuthClient', { id: client.clientId });
});

test('workflows, templates and nodes', async () => {
  const id = await workflow(createEchoWorkflow('orders'), { status: 'active', tags: ['shop'] });
  await api.query('workflow', { id });
  for (const list of ['workflows', 'workflowsPage'])
    await api.query(list, { filter: { tag: 'shop', limit: 5 } });
  await api.mutate('updateWorkflow', {
    id,
    input: { definition: createEchoWorkflow('orders', { method: 'POST' }) },
  });
  await api.mutate('publishWorkflow', { id });
  await api.query('workflowVersions', { id });
  await api.query('workflowVersion', { id, version: 1 });
  await api.mutate('listenToWebhook', { id, input: { nodeId: 'hook' } });
  await api.query('workflowStatistics', { id, interval: 'day' });
  await api.query('modelUsage', { from: '2026-01-01', groupBy: 'day,user,model', workflowId: id, limit: 5 });
  await api.mutate('setModelPrices', { input: { prices: [{ model: 'openai/*', input: 1, output: 2 }] } });
  await api.query('modelPrices');
  await api.query('statistics', { from: '2026-01-01', to: '2026-01-31', interval: 'day' });
  await api.mutate('stopListeningToWebhook', { id, nodeId: 'hook' });
  await api.mutate('putPinnedOutput', {
    id,
    nodeId: 'hook',
    input: { output: { total: 720 }, ports: ['out'] },
  });
  await api.query('pinnedOutputs', { id });
  await api.mutate('deletePinnedOutput', { id, nodeId: 'hook' });
  await api.mutate('nameWorkflowVersion', { id, version: 1, input: { name: 'First' } });
  await api.mutate('restoreWorkflowVersion', { id, version: 1 });
  await api.mutate('deleteWorkflow', { id });
  expect(await api.query('deletedWorkflows', { limit: 5 })).toMatchObject({ workflows: [{ id }] });
  expect(await api.mutate('undeleteWorkflow', { id })).toMatchObject({ id, status: 'inactive' });
  await api.query('workflows', { filter: { sort: 'name', direction: 'desc' } });
  await api.mutate('deleteWorkflow', { id, permanent: true });

  const parameters = [{ name: 'WORD', type: 'string', required: true }];
  const content = { name: 'Greeting with {{ parameters.WORD }}', definition: greeting };
  const template = { templateName: 'greeting', version: '1.0.0', description: 'Greets.', parameters };
  await api.mutate('createTemplate', { input: { ...template, workflow: content } });
  await api.query('templates', { search: 'greet' });
  await api.query('template', { name: 'greeting', version: '1.0.0' });
  await api.mutate('instantiateTemplate', { name: 'greeting', input: { parameters: { WORD: 'x' } } });
  await api.mutate('deleteTemplate', { name: 'greeting' });

  const handler = 'export default async (inputs) => ({ doubled: inputs.n * 2 })';
  const node = {
    nodeType: 'double',
    description: 'Doubles a number.',
    inputs: { n: { type: 'number', required: true } },
    outputs: { doubled: 'number' },
    implementation: { runtime: 'javascript', handler, dependencies: {} },
  };
  const { inputs, outputs, implementation } = node;
  await api.mutate('testNode', { input: { inputs, outputs, implementation, values: { n: 21 } } });
  await api.mutate('registerNode', { input: node });
  await api.query('nodes', { filter: { category: 'custom' } });
  await api.query('node', { id: 'double' });
  await api.query('nodeVersions', { id: 'double' });
  await api.mutate('deleteNode', { id: 'double', version: '1.0.0' });
});

test('packs', async () => {
  const document = createDocumentText('https://pets.example.com');
  await api.mutate('installPack', { input: { document, name: 'store', version: '1.0.0' } });
  const changed = createDocumentText('https://pets.example.com', '1.0.0', {
    '/pets/{id}': {},
    '/toys': createPetstore('').paths['/pets'],
  });
  await api.mutate('installPack', { input: { document: changed, name: 'store', version: '1.1.0' } });
  await api.query('packs', { search: 'store' });
  await api.query('pack', { name: 'store', version: '1.0.0' });
  await api.query('packOperations', { name: 'store', search: 'list' });
  await api.query('packOperationNames', { name: 'store' });
  await api.query('packWorkflows', { name: 'store', version: '1.0.0' });
  await api.query('packOperation', { name: 'store', id: 'pets/list', version: '1.0.0' });
  await api.query('nodes', { filter: { category: 'connector' } });
  await api.mutate('deletePack', { name: 'store', version: '1.0.0' });
});

test('choices of packs', async () => {
  await api.mutate('installPack', { input: { archive: packFixture('demo').toString('base64') } });
  const input = {
    operation: 'choose',
    field: 'project',
    authentication: { type: 'token', token: 'token-17' },
    // Without an address, the pack calls no service.
    values: {},
  };
  expect(await api.mutate('listPackChoices', { name: 'demo', input })).toMatchObject({
    placeholder: 'Enter the address first',
  });
  await api.mutate('deletePack', { name: 'demo' });
});

test('the app of a pack', async () => {
  await api.mutate('installPack', { input: { archive: packFixture('demo').toString('base64') } });
  await api.mutate('putPackApp', { name: 'demo', input: { signingSecret: 'ws-83a1c0de7f' } });
  await api.query('packApp', { name: 'demo' });
  await api.mutate('deletePackApp', { name: 'demo' });
  await api.mutate('deletePack', { name: 'demo' });
});

test('tools of MCP servers', async () => {
  const mcp = await startMcpServer([{ name: 'add', outputSchema: { type: 'object' } }]);
  const input = { url: mcp.url, authentication: { type: 'bearer', token: 'token-17' }, refresh: true };
  expect(await api.mutate('listMcpTools', { input })).toMatchObject({ tools: [{ name: 'add' }] });
  await mcp.close();
});

test('models of providers', async () => {
  const lists = await startModelLists({ '/v1/models': { data: [{ id: 'llama3.2' }] } });
  const input = { provider: 'openai_compatible', baseUrl: `${lists.url}/v1`, refresh: true };
  expect(await api.mutate('listProviderModels', { input })).toMatchObject({
    models: [{ id: 'llama3.2', priced: false }],
  });
  await lists.close();
});

test('executions and their subscriptions', async () => {
  const long = await workflow(longWait);
  const { id } = await execute(long);
  await waitUntil(
    () => api.query<Execution>('execution', { id }),
    ({ status }) => status === 'waiting',
  );
  await api.mutate('stopExecution', { id });
  const again = await api.mutate<Id>('retryExecution', { id, input: { from: 'start' } });
  await api.mutate('stopExecution', { id: again.id });
  for (const list of ['executions', 'executionsPage'])
    await api.query(list, { filter: { status: 'stopped', workflowId: long, limit: 5 } });

  const greet = await workflow(greeting);
  const done = await execute(greet, { input: { name: 'Ada' }, wait: '30s' });
  expect(done.output).toEqual({ text: 'Dear Ada' });
  const template = 'Dear {{ input.name | capitalize }}';
  await api.query('evaluateTemplate', { input: { template, input: { name: 'ada' } } });

  const greets = (): Promise<unknown> => execute(greet, { input: { name: 'Ada' }, wait: '30s' });
  await api.subscribe('executionLogs', { executionId: done.id, level: 'info' });
  await api.subscribe('executionUpdates', {}, greets);
  await api.subscribe('workflowExecution', { workflowId: greet }, greets);
  // Without a name it fails.
  const fails = await workflow(greeting, { status: 'active' });
  await api.subscribe('notifications', {}, () => execute(fails, { input: {}, wait: '30s' }));
});

test('decisions', async () => {
  const ask = await workflow({
    nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'Expense' } }],
    connections: [{ from: 'start', to: 'ask' }],
  });
  await api.subscribe('decisionChanges', {}, () => execute(ask, {}));
  const { decisions } = await api.query<{ decisions: Id[] }>('decisions', { view: 'assigned', limit: 5 });
  const { id } = decisions[0]!;
  await api.query('decision', { id });
  await api.mutate('respondToDecision', { id, input: { choice: 'approved', comment: 'Good' } });
});

test('threads', async () => {
  await execute(await workflow(createRememberingWorkflow('ada')), { wait: '30s' });
  const { threads } = await api.query<{ threads: Id[] }>('threads', { search: 'ada', limit: 5 });
  const { id } = threads[0]!;
  await api.query('thread', { id });
  await api.mutate('deleteThread', { id });
});

test('vector collections', async () => {
  const definition = createStoringWorkflow('handbook', [{ key: 'a', text: 'A', embedding: [1, 0] }]);
  await execute(await workflow(definition), { wait: '30s' });
  await api.query('vectorCollections', { search: 'handbook', limit: 5 });
  await api.query('vectorCollection', { name: 'handbook' });
  await api.mutate('deleteVectorCollection', { name: 'handbook' });
});

test('the audit log', async () => {
  const args = { action: 'workflow.created', limit: 2 };
  const { auditEvents } = await api.query<{ auditEvents: object[] }>('auditEvents', args);
  expect(auditEvents).toHaveLength(2);
});

test('health', async () => {
  expect(await api.query('health')).toMatchObject({ status: 'ok' });
  await api.subscribe('systemHealth');
});

test('sessions', async () => {
  const newPassword = 'twelve grey geese over the weir';
  await api.mutate('changePassword', { input: { currentPassword: adminPassword, newPassword } });
  const input = { email: adminEmail, password: newPassword };
  const { token } = await api.mutate<{ token: string }>('login', { input });
  api.authorization = `Bearer ${token}`;
  const next = await api.mutate<{ token: string }>('refresh', { token });
  api.authorization = `Bearer ${next.token}`;
  expect(await api.mutate('logout')).toBe(true);
  await expect(api.query('me')).rejects.toThrow('UNAUTHORIZED');
});

test('every field of the schema was got', () => {
  expect(api.unseen(), 'Add calls to test/artifact/graphql.test.ts').toEqual([]);
});
