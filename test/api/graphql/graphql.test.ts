import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  caller,
  createTempFolder,
  type Call,
} from '../../support/service.ts';

const folder = createTempFolder();
let service: SpawnedService;
let api: Call;
/** Another user. */
let other: Call;

type Shown = {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; details: { field?: string; issue?: string } };
};
// Data of any shape: the tests look into it.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = Record<string, any>;
type GraphqlResponse = { data?: Loose | null; errors?: Shown[] };

async function ask(query: string, variables: object = {}, call: Call = api): Promise<GraphqlResponse> {
  const response = await call('POST', '/graphql', { body: { query, variables } });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return response.body as GraphqlResponse;
}

/** The data of an operation that must go well. */
async function get(query: string, variables: object = {}, call: Call = api): Promise<Loose> {
  const response = await ask(query, variables, call);
  expect(response.errors, JSON.stringify(response.errors)).toBeUndefined();
  return response.data!;
}

async function readErrorCodes(
  query: string,
  variables: object = {},
  call: Call = api,
): Promise<(string | undefined)[][]> {
  const { errors = [] } = await ask(query, variables, call);
  return errors.map(({ extensions: { code, details } }) => [
    code,
    ...(details.field === undefined ? [] : [details.field]),
  ]);
}

const definition = {
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 1, y: 2.5 }, config: { triggerType: 'manual' } },
    {
      id: 'map',
      type: 'data_transformer',
      config: { operations: [{ action: 'map', input: 'n', output: 'm' }] },
    },
  ],
  connections: [{ from: 'start', to: 'map', sourcePort: 'out', targetPort: 'in' }],
};
const CREATE = 'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { id } }';
const EXECUTE =
  'mutation ($id: ID!, $input: ExecuteWorkflowInput) { executeWorkflow(id: $id, input: $input) { id status output duration } }';

async function create(input: object = {}, call: Call = api): Promise<string> {
  const made = await get(CREATE, { input: { name: 'One', definition, ...input } }, call);
  return made['createWorkflow'].id as string;
}

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path });
  api = await service.login();
  const user = { email: 'other@example.com', password: 'a password of another' };
  await get('mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }', { input: user });
  const login = await get(
    'mutation ($input: LoginInput!) { login(input: $input) { token expiresIn user { email } } }',
    { input: user },
    service.call,
  );
  expect(login['login']).toMatchObject({ expiresIn: 3600, user: { email: user.email } });
  other = caller(service.url, { authorization: `Bearer ${login['login'].token}` });
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

describe('workflows', () => {
  const ALL = `{ id name description status createdAt updatedAt nodeCount executionCount version activeVersion tags ownerId
    settings { timeout maxConcurrency onFailureWorkflow retention maxCostPerDay maxTokensPerDay }
    definition { nodes { id type position { x y } config } connections { from to sourcePort targetPort } }
    issues { nodeId field issue } triggers { nodeId type } }`;

  test('one is created, shown as REST shows it, changed and deleted', async () => {
    const input = {
      name: 'Two',
      description: 'd',
      tags: ['a'],
      settings: { timeout: '5m', maxConcurrency: 2 },
      definition,
    };
    const { createWorkflow: made } = await get(
      `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) ${ALL} }`,
      { input },
    );
    expect(made).toMatchObject({
      ...input,
      status: 'draft',
      version: 1,
      activeVersion: null,
      settings: {
        timeout: '5m',
        maxConcurrency: 2,
        onFailureWorkflow: null,
        retention: null,
        maxCostPerDay: null,
        maxTokensPerDay: null,
      },
      definition: {
        nodes: [definition.nodes[0], { ...definition.nodes[1], position: null }],
        connections: definition.connections,
      },
      issues: [],
      triggers: [{ nodeId: 'start', type: 'manual' }],
    });
    const rest = (await api('GET', `/workflows/${made.id}`)).body as Record<string, unknown>;
    expect([made.createdAt, made.ownerId, made.nodeCount]).toEqual([
      rest['created_at'],
      rest['owner_id'],
      rest['node_count'],
    ]);
    const { workflow } = await get(`query ($id: ID!) { workflow(id: $id) ${ALL} }`, { id: made.id });
    expect(workflow).toEqual(made);
    const { updateWorkflow: updated } = await get(
      `mutation ($id: ID!) { updateWorkflow(id: $id, input: { name: "Three", version: 1, settings: { maxConcurrency: null } }) ${ALL} }`,
      { id: made.id },
    );
    expect(updated).toMatchObject({
      name: 'Three',
      version: 2,
      settings: { timeout: null, maxConcurrency: null },
    });
    const stale = 'mutation ($id: ID!) { updateWorkflow(id: $id, input: { name: "x", version: 1 }) { id } }';
    expect(await readErrorCodes(stale, { id: made.id })).toEqual([['CONFLICT', 'version']]);
    const versions =
      'query ($id: ID!) { workflowVersions(id: $id, limit: 1) { versions { version nodeCount } pagination { total totalPages } } workflowVersion(id: $id, version: 1) { version definition { nodes { id } } } none: workflowVersion(id: $id, version: 9) { version } }';
    expect(await get(versions, { id: made.id })).toEqual({
      workflowVersions: { versions: [{ version: 2, nodeCount: 2 }], pagination: { total: 2, totalPages: 2 } },
      workflowVersion: { version: 1, definition: { nodes: [{ id: 'start' }, { id: 'map' }] } },
      none: null,
    });
    await get(
      'mutation ($id: ID!) { updateWorkflow(id: $id, input: { definition: { nodes: [], connections: [] } }) { id } }',
      { id: made.id },
    );
    const restored = await get(
      'mutation ($id: ID!) { restoreWorkflowVersion(id: $id, version: 1) { version nodeCount } }',
      { id: made.id },
    );
    expect(restored['restoreWorkflowVersion']).toEqual({ version: 4, nodeCount: 2 });
    expect(
      await readErrorCodes('mutation ($id: ID!) { publishWorkflow(id: $id) { id } }', { id: made.id }),
    ).toEqual([['CONFLICT']]);
    const remove = 'mutation ($id: ID!) { deleteWorkflow(id: $id) }';
    expect(await get(remove, { id: made.id })).toEqual({ deleteWorkflow: true });
    expect(await readErrorCodes(remove, { id: made.id })).toEqual([['NOT_FOUND']]);
    expect(await get('query ($id: ID!) { workflow(id: $id) { id } }', { id: made.id })).toEqual({
      workflow: null,
    });
  });

  test('lists take a filter, and say how many there are', async () => {
    for (const name of ['Page one', 'Page two', 'Page three']) await create({ name });
    const found = await get(
      'query ($f: WorkflowFilter) { workflows(filter: $f) { name } workflowsPage(filter: $f) { workflows { name } pagination { page limit total totalPages } } }',
      {
        f: { search: 'page t', limit: 1, status: null },
      },
    );
    expect(found['workflows']).toEqual([{ name: 'Page three' }]);
    expect(found['workflowsPage']).toEqual({
      workflows: [{ name: 'Page three' }],
      pagination: { page: 1, limit: 1, total: 2, totalPages: 2 },
    });
  });

  test('a webhook trigger is listened to, a template makes a workflow', async () => {
    const id = await create({
      definition: {
        nodes: [
          {
            id: 'hook',
            type: 'trigger',
            config: { triggerType: 'webhook', endpoint: 'gql', method: 'POST', authentication: 'none' },
          },
        ],
      },
    });
    const received = await get(
      'mutation ($id: ID!) { listenToWebhook(id: $id) { url method expiresAt nodeId } }',
      { id },
    );
    expect(received['listenToWebhook']).toMatchObject({ method: 'POST', nodeId: 'hook' });
    const template = {
      templateName: 'greet',
      parameters: [{ name: 'who', type: 'string', required: true }],
      workflow: { name: 'Greet {{ parameters.who }}', definition: { nodes: [], connections: [] } },
    };
    const made = await get(
      'mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { templateName version parameters { name type required } workflow builtin } }',
      { input: template },
    );
    expect(made['createTemplate']).toMatchObject({
      templateName: 'greet',
      version: '1.0.0',
      parameters: template.parameters,
      workflow: template.workflow,
      builtin: false,
    });
    const instance = await get(
      'mutation { instantiateTemplate(name: "greet", input: { parameters: { who: "Ada" } }) { name status definition { nodes { id } } } }',
    );
    expect(instance['instantiateTemplate']).toEqual({
      name: 'Greet Ada',
      status: 'draft',
      definition: { nodes: [] },
    });
    expect(await readErrorCodes('mutation { instantiateTemplate(name: "greet") { id } }')).toEqual([
      ['VALIDATION_ERROR', 'parameters.who'],
    ]);
    const listed = await get(
      '{ templates(limit: 1) { templates { templateName } pagination { limit } } template(name: "greet") { versions } none: template(name: "no such") { version } }',
    );
    expect(listed).toEqual({
      templates: { templates: [{ templateName: 'greet' }], pagination: { limit: 1 } },
      template: { versions: ['1.0.0'] },
      none: null,
    });
    expect(await get('mutation { deleteTemplate(name: "greet") }')).toEqual({ deleteTemplate: true });
  });
});

describe('executions', () => {
  test('a run with its nodes and its log, once more, and stopped', async () => {
    const id = await create();
    const { executeWorkflow: run } = await get(EXECUTE, { id, input: { input: { n: 1 }, wait: '30s' } });
    expect(run).toMatchObject({ status: 'completed', output: { m: 1 } });
    expect(run.duration).toBeTypeOf('number');
    const one = `query ($id: ID!) { execution(id: $id) { id status startTime endTime input output error { type } trigger { type details }
      nodes { nodeId status input output } nodesPage(limit: 1, page: 2) { nodes { nodeId } pagination { total } }
      logs(level: "info", nodeId: "map") { message nodeId level } logsPage(limit: 1) { logs { timestamp } pagination { total } }
      workflow { id name executions(limit: 1) { id } } } }`;
    const { execution } = await get(one, { id: run.id });
    expect(execution).toMatchObject({
      id: run.id,
      input: { n: 1 },
      output: { m: 1 },
      error: null,
      trigger: { type: 'manual', details: { type: 'manual' } },
      nodes: [
        { nodeId: 'start', status: 'completed' },
        { nodeId: 'map', status: 'completed', input: { n: 1 }, output: { m: 1 } },
      ],
      nodesPage: { nodes: [{ nodeId: 'map' }], pagination: { total: 2 } },
      logs: [{ message: 'Started', nodeId: 'map', level: 'info' }, { message: 'Completed' }],
      workflow: { id, executions: [{ id: run.id }] },
    });
    expect(execution.logsPage.pagination.total).toBeGreaterThan(3);
    const list = await get(
      'query ($id: ID!) { executions(filter: { workflowId: $id, status: "completed" }) { id output } executionsPage(filter: { workflowId: $id }) { executions { id } pagination { total } } }',
      { id },
    );
    expect(list).toEqual({
      executions: [{ id: run.id, output: { m: 1 } }],
      executionsPage: { executions: [{ id: run.id }], pagination: { total: 1 } },
    });
    expect(
      await readErrorCodes('mutation ($id: ID!) { stopExecution(id: $id) { id } }', { id: run.id }),
    ).toEqual([['CONFLICT']]);
    const again = await get(
      'mutation ($id: ID!) { retryExecution(id: $id, input: { from: "start" }) { retryOf trigger { type } } }',
      { id: run.id },
    );
    expect(again['retryExecution']).toMatchObject({ retryOf: run.id, trigger: { type: 'retry' } });
  });

  test('the same idempotency key returns the same execution, and another input is a conflict', async () => {
    const id = await create();
    const run = async (n: number) => ask(EXECUTE, { id, input: { input: { n }, idempotencyKey: 'k1' } });
    const [first, second, third] = [await run(1), await run(1), await run(2)];
    expect(second.data?.['executeWorkflow'].id).toBe(first.data?.['executeWorkflow'].id);
    expect(third.errors?.[0]?.extensions).toMatchObject({
      code: 'CONFLICT',
      details: { field: 'Idempotency-Key' },
    });
    const rest = await api('POST', `/workflows/${id}/execute`, {
      body: { input: { n: 1 } },
      headers: { 'idempotency-key': 'k1' },
    });
    expect((rest.body as { id: string }).id).toBe(first.data?.['executeWorkflow'].id);
  });

  test('until and pins', async () => {
    const id = await create();
    const { executeWorkflow } = await get(
      'mutation ($id: ID!) { executeWorkflow(id: $id, input: { pins: { map: { pinned: true } }, wait: "5s" }) { output nodes { nodeId status } } }',
      { id },
    );
    expect(executeWorkflow.output).toEqual({ pinned: true });
  });
});

describe('the catalog, people and the service', () => {
  test('nodes', async () => {
    const found = await get(
      '{ nodes(filter: { category: "flow" }) { id category inputs { name required } configSchema custom effects } node(id: "http_request") { id name } none: node(id: "no_such") { id } nodeVersions(id: "condition") { version } }',
    );
    expect(found['nodes'].map((node: { id: string }) => node.id)).toContain('condition');
    expect(found['node'].id).toBe('http_request');
    expect(found['none']).toBeNull();
    expect(found['nodeVersions'][0].version).toMatch(/^\d+\.\d+\.\d+$/);
    const made = await get(
      'mutation ($input: RegisterNodeInput!) { registerNode(input: $input) { id version custom category } }',
      {
        input: {
          nodeType: 'doubler',
          inputs: { n: { type: 'number' } },
          outputs: { d: 'number' },
          implementation: { runtime: 'javascript', handler: 'export default (i) => ({ d: i.n * 2 })' },
        },
      },
    );
    expect(made['registerNode']).toEqual({
      id: 'doubler',
      version: '1.0.0',
      custom: true,
      category: 'custom',
    });
  });

  test('users, keys, secrets, OAuth clients', async () => {
    expect(
      (await get('{ me { email role plan } users(limit: 1) { users { email } pagination { total } } }'))['me']
        .role,
    ).toBe('admin');
    expect(await readErrorCodes('{ users { pagination { total } } }', {}, other)).toEqual([['FORBIDDEN']]);
    const made = await get(
      'mutation { createApiKey(input: { name: "k", scopes: ["workflows:read"] }) { id key prefix scopes } }',
    );
    const keyed = caller(service.url, { 'x-api-key': made['createApiKey'].key });
    expect(await get('{ me { role } workflows(filter: { limit: 1 }) { id } }', {}, keyed)).toMatchObject({
      me: { role: 'admin' },
    });
    expect(await readErrorCodes('{ executions { id } }', {}, keyed)).toEqual([['FORBIDDEN']]);
    expect(await readErrorCodes(CREATE, { input: { name: 'x' } }, keyed)).toEqual([['FORBIDDEN']]);
    expect((await get('{ apiKeys { apiKeys { name lastUsedAt } } }'))['apiKeys'].apiKeys[0].name).toBe('k');
    expect(
      await get('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id: made['createApiKey'].id }),
    ).toEqual({ deleteApiKey: true });
    expect((await keyed('POST', '/graphql', { body: { query: '{ me { id } }' } })).status).toBe(401);
    await get(
      'mutation { putSecret(name: "TOKEN", input: { value: "hush hush hush", hosts: ["example.com"] }) { name hosts } }',
    );
    expect((await get('{ secrets { secrets { name hosts description } } }'))['secrets'].secrets).toEqual([
      { name: 'TOKEN', hosts: ['example.com'], description: '' },
    ]);
    expect(await get('mutation { deleteSecret(name: "TOKEN") }')).toEqual({ deleteSecret: true });
    const registered = await get(
      'mutation { createOAuthClient(input: { name: "c", scopes: ["nodes:read"] }) { clientId clientSecret } }',
    );
    expect(
      await get('mutation ($id: ID!) { deleteOAuthClient(id: $id) }', {
        id: registered['createOAuthClient'].clientId,
      }),
    ).toEqual({ deleteOAuthClient: true });
    expect(await get('{ oauthClients { clients { name } } oauthGrants { pagination { total } } }')).toEqual({
      oauthClients: { clients: [] },
      oauthGrants: { pagination: { total: 0 } },
    });
  });

  test('a session is refreshed and ended without REST', async () => {
    const login = await get(
      'mutation { login(input: { email: "other@example.com", password: "a password of another" }) { token } }',
      {},
      service.call,
    );
    const one = caller(service.url, { authorization: `Bearer ${login['login'].token}` });
    const next = await get('mutation { refresh { token user { email } } }', {}, one);
    expect(next['refresh'].user.email).toBe('other@example.com');
    const two = caller(service.url, { authorization: `Bearer ${next['refresh'].token}` });
    expect(await get('mutation { logout }', {}, two)).toEqual({ logout: true });
    expect((await two('POST', '/graphql', { body: { query: '{ me { id } }' } })).status).toBe(401);
    expect(
      await readErrorCodes(
        'mutation { login(input: { email: "other@example.com", password: "wrong" }) { token } }',
        {},
        service.call,
      ),
    ).toEqual([['UNAUTHORIZED']]);
    expect(await readErrorCodes('mutation { login(input: {}) { token } }', {}, service.call)).toEqual([
      ['VALIDATION_ERROR', 'email'],
    ]);
  });

  test('health needs no credential, everything else does', async () => {
    expect((await get('{ health { status uptime checks } }', {}, service.call))['health'].status).toBe('ok');
    for (const query of [
      '{ me { id } }',
      '{ __typename }',
      '{ health { status } me { id } }',
      'mutation { logout }',
      '{ syntax',
    ]) {
      const response = await service.call('POST', '/graphql', { body: { query } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.body).toMatchObject({
        errors: [{ extensions: { code: 'UNAUTHORIZED', details: {} } }],
      });
    }
  });
});

describe("another user's things", () => {
  test('are null, NOT_FOUND, or not there: nested places too', async () => {
    const id = await create();
    const { executeWorkflow: run } = await get(EXECUTE, { id, input: { input: { n: 1 }, wait: '30s' } });
    const looks =
      'query ($id: ID!, $run: ID!) { workflow(id: $id) { id } execution(id: $run) { id } workflows { id } executions(filter: { workflowId: $id }) { id } workflowVersion(id: $id, version: 1) { version } }';
    expect(await get(looks, { id, run: run.id }, other)).toEqual({
      workflow: null,
      execution: null,
      workflows: [],
      executions: [],
      workflowVersion: null,
    });
    const mutations: [string, object][] = [
      ['mutation ($id: ID!) { updateWorkflow(id: $id, input: { name: "x" }) { id } }', { id }],
      ['mutation ($id: ID!) { deleteWorkflow(id: $id) }', { id }],
      ['mutation ($id: ID!) { publishWorkflow(id: $id) { id } }', { id }],
      ['mutation ($id: ID!) { restoreWorkflowVersion(id: $id, version: 1) { id } }', { id }],
      ['mutation ($id: ID!) { executeWorkflow(id: $id) { id } }', { id }],
      ['mutation ($id: ID!) { listenToWebhook(id: $id) { url } }', { id }],
      ['mutation ($id: ID!) { stopExecution(id: $id) { id } }', { id: run.id }],
      ['mutation ($id: ID!) { retryExecution(id: $id) { id } }', { id: run.id }],
      ['query ($id: ID!) { workflowVersions(id: $id) { pagination { total } } }', { id }],
    ];
    for (const [query, variables] of mutations)
      expect(await readErrorCodes(query, variables, other), query).toEqual([['NOT_FOUND']]);
  });
});

describe('input errors are the same as in REST', () => {
  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'x', status: 'sleeping' }, 'status'],
    [{ name: 'x', settings: { maxConcurrency: 0 } }, 'settings.max_concurrency'],
    [{ name: 'x', tags: ['a', ''] }, 'tags[1]'],
    [{ name: 'x', definition: { nodes: [{ id: 'a' }] } }, 'definition.nodes[0].type'],
    [
      { name: 'x', definition: { nodes: [{ id: 'a', type: 'trigger', config: 'no' }] } },
      'definition.nodes[0].config',
    ],
  ])('%j', async (input, field) => {
    const { errors } = await ask(CREATE, { input });
    const rest = JSON.parse(JSON.stringify(input).replace('maxConcurrency', 'max_concurrency')) as object;
    const message = (
      (await api('POST', '/workflows', { body: rest })).body as {
        error: Shown & { code: string; details: object };
      }
    ).error;
    expect(errors?.[0]?.extensions).toEqual({ code: message.code, details: message.details });
    expect(errors?.[0]?.message).toBe(message.message);
    expect(errors?.[0]?.extensions.details.field).toBe(field);
  });

  test.each([
    [{ name: 5 }, 'name'],
    [{ name: 'x', settings: { maxConcurrency: 'two' } }, 'settings.max_concurrency'],
    [{ name: 'x', definition: { nodes: [{ id: 'a', colour: 1 }] } }, 'definition.nodes[0].colour'],
    [
      { name: 'x', definition: { nodes: [{ id: 'a', position: { x: '1' } }] } },
      'definition.nodes[0].position.x',
    ],
    [{ nam: 'x' }, 'name'],
  ])('of the wrong type: %j', async (input, field) => {
    expect((await readErrorCodes(CREATE, { input }))[0]).toEqual(['VALIDATION_ERROR', field]);
  });

  test('of the wrong type in the document', async () => {
    expect(
      await readErrorCodes(
        'mutation { createWorkflow(input: { name: "x", settings: { maxConcurrency: "two" } }) { id } }',
      ),
    ).toEqual([['VALIDATION_ERROR', 'settings.max_concurrency']]);
    expect(await readErrorCodes('{ workflows(filter: { limit: "x" }) { id } }')).toEqual([
      ['VALIDATION_ERROR', 'limit'],
    ]);
    expect(await readErrorCodes('{ workflow { id } }')).toEqual([['VALIDATION_ERROR', 'query']]);
  });

  test('__proto__ anywhere', async () => {
    const raw =
      '{"query":"mutation ($i: CreateWorkflowInput!) { createWorkflow(input: $i) { id } }","variables":{"i":{"name":"x","__proto__":{"polluted":1}}}}';
    const response = await api('POST', '/graphql', { raw, headers: { 'content-type': 'application/json' } });
    expect(response.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
    expect(
      await readErrorCodes(
        'mutation { executeWorkflow(id: "x", input: { input: { __proto__: { polluted: 1 } } }) { id } }',
      ),
    ).toEqual([['VALIDATION_ERROR', 'query']]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
