import type { Call } from '../harness/service.ts';
import { greeting, longWait, manual } from '../interface/definitions.ts';
import type { Said } from './doors.ts';

export type Door = 'rest' | 'graphql';
export type Vars = Record<string, string>;

export type Case = {
  readonly operation: string;
  readonly title: string;
  /** Makes what the call needs, over REST as the caller of the door; the names it gives can be said. */
  prepare?(call: Call, door: Door): Promise<Vars>;
  say(vars: Vars, door: Door): Said;
  /** The two doors refuse in words of their own, where a type of GraphQL stands before the service: code and field are equal. */
  readonly typed?: true;
  /** Who calls; the member unless said. `nobody`: without a credential. */
  readonly as?: 'admin' | 'nobody';
};

const MISSING = {
  workflow: 'wf_00000000000000000000000000',
  execution: 'ex_00000000000000000000000000',
  user: 'usr_00000000000000000000000000',
  key: 'key_00000000000000000000000000',
};

async function made(call: Call, method: string, path: string, body: unknown, name = 'id'): Promise<string> {
  const answer = await call(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return (answer.body as Record<string, string>)[name] ?? '';
}

const workflow =
  (definition: object = greeting, more: object = {}) =>
  async (call: Call): Promise<Vars> => ({
    id: await made(call, 'POST', '/workflows', { name: 'A workflow', definition, ...more }),
  });
const executed =
  (definition: object = greeting, input: object = { name: 'Ada' }) =>
  async (call: Call): Promise<Vars> => {
    const { id } = await workflow(definition)(call);
    return {
      workflow: id!,
      id: await made(call, 'POST', `/workflows/${id}/execute`, { input, wait: '10s' }),
    };
  };
const byId = (vars: Vars): Said => ({ params: { id: vars['id']! } });
const template = {
  templateName: 'greet',
  parameters: [{ name: 'who', type: 'string', required: true }],
  workflow: { name: 'Greet {{ parameters.who }}', definition: greeting },
};
const failing = {
  nodes: [manual, { id: 'no', type: 'stop', config: { outcome: 'failed', message: 'no' } }],
  connections: [{ from: 'start', to: 'no' }],
};
const custom = {
  nodeType: 'doubler',
  description: 'Doubles',
  inputs: { n: { type: 'number', required: true } },
  outputs: { doubled: 'number' },
  implementation: {
    runtime: 'javascript',
    handler: 'export default (inputs) => ({ doubled: inputs.n * 2 })',
    dependencies: {},
  },
};
const webhook = (endpoint: string) => ({
  nodes: [
    {
      id: 'hook',
      type: 'trigger',
      config: { triggerType: 'webhook', endpoint, method: 'POST', authentication: 'none' },
    },
  ],
  connections: [],
});

/** Rows that only look up something by its id, and what a missing one is. */
const missing: Case[] = [
  ['getWorkflow', MISSING.workflow],
  ['deleteWorkflow', MISSING.workflow],
  ['publishWorkflow', MISSING.workflow],
  ['listWorkflowVersions', MISSING.workflow],
  ['executeWorkflow', MISSING.workflow],
  ['listenToWebhook', MISSING.workflow],
  ['getExecution', MISSING.execution],
  ['stopExecution', MISSING.execution],
  ['retryExecution', MISSING.execution],
  ['deleteApiKey', MISSING.key],
  ['getNode', 'no_such_node'],
  ['listNodeVersions', 'no_such_node'],
  ['deleteNode', 'no_such_node'],
  ['deleteOAuthClient', 'no-such-client'],
  ['deleteOAuthGrant', 'no-such-grant'],
].map(([operation, id]) => ({
  operation: operation!,
  title: 'what is missing',
  say: () => ({ params: { id: id! }, ...(/^(execute|retry|listen)/.test(operation!) && { body: {} }) }),
}));

const named: Case[] = [
  'deleteSecret',
  'getTemplate',
  'deleteTemplate',
  'getConnection',
  'deleteConnection',
  'refreshConnection',
  'testConnection',
].map((operation) => ({
  operation,
  title: 'what is missing',
  say: () => ({ params: { name: 'NONE' } }),
}));

/** Lists that take a page. */
const lists: Case[] = [
  'listWorkflows',
  'listExecutions',
  'listApiKeys',
  'listSecrets',
  'listConnections',
  'listOAuthClients',
  'listOAuthGrants',
  'listTemplates',
].flatMap((operation): Case[] => [
  { operation, title: 'the first page', say: () => ({}) },
  { operation, title: 'a small page', say: () => ({ query: { page: 2, limit: 1 } }) },
  { operation, title: 'a page behind the end', say: () => ({ query: { page: 900, limit: 100 } }) },
  { operation, title: 'a limit of 0', say: () => ({ query: { limit: 0 } }) },
  { operation, title: 'a limit of 101', say: () => ({ query: { limit: 101 } }) },
  { operation, title: 'page 0', say: () => ({ query: { page: 0 } }) },
  { operation, title: 'two faults', say: () => ({ query: { page: -1, limit: 1_000 } }) },
]);

export const cases: readonly Case[] = [
  // ---- workflows
  { operation: 'createWorkflow', title: 'the least', say: () => ({ body: { name: 'Least' } }) },
  {
    operation: 'createWorkflow',
    title: 'everything',
    say: () => ({
      body: {
        name: 'All',
        description: 'of it',
        status: 'inactive',
        tags: ['a', 'b'],
        settings: { timeout: '10m', max_concurrency: 3, retention: '7d' },
        definition: {
          ...greeting,
          nodes: greeting.nodes.map((node, i) => ({
            ...node,
            position: { x: i * 200, y: 0 },
            name: node.id,
            notes: 'n',
          })),
          annotations: [{ text: 'Hello' }],
        },
      },
    }),
  },
  ...(
    [
      ['an empty name', { name: '' }],
      ['a long name', { name: 'x'.repeat(201) }],
      ['an unknown status', { name: 'x', status: 'paused' }],
      ['a wrong setting', { name: 'x', settings: { timeout: 'soon' } }],
      ['a concurrency of 0', { name: 'x', settings: { max_concurrency: 0 } }],
      ['a node without a type', { name: 'x', definition: { nodes: [{ id: 'a' }], connections: [] } }],
      ['a doubled node', { name: 'x', definition: { nodes: [manual, manual], connections: [] } }],
      [
        'a connection to nothing',
        { name: 'x', definition: { nodes: [manual], connections: [{ from: 'start', to: 'gone' }] } },
      ],
      [
        'an unknown port',
        {
          name: 'x',
          definition: { ...greeting, connections: [{ from: 'start', to: 'greet', sourcePort: 'odd' }] },
        },
      ],
      [
        'active with faults',
        {
          name: 'x',
          status: 'active',
          definition: { nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] },
        },
      ],
      [
        'a draft with faults',
        { name: 'x', definition: { nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] } },
      ],
      ['tags twice', { name: 'x', tags: ['a', 'a'] }],
    ] as const
  ).map(([title, body]): Case => ({ operation: 'createWorkflow', title, say: () => ({ body }) })),
  { operation: 'createWorkflow', title: 'no name', say: () => ({ body: { description: 'x' } }) },
  {
    operation: 'createWorkflow',
    title: 'a number as the name',
    say: () => ({ body: { name: 5 } }),
  },
  {
    operation: 'createWorkflow',
    title: 'an unknown field',
    typed: true,
    say: () => ({ body: { name: 'x', stauts: 'draft' } }),
  },
  {
    operation: 'createWorkflow',
    title: 'without a credential',
    as: 'nobody',
    say: () => ({ body: { name: 'x' } }),
  },
  { operation: 'getWorkflow', title: 'one', prepare: workflow(), say: byId },
  {
    operation: 'listWorkflows',
    title: 'by status and text',
    say: () => ({ query: { status: 'inactive', search: 'ALL' } }),
  },
  { operation: 'listWorkflows', title: 'an unknown status', say: () => ({ query: { status: 'paused' } }) },
  {
    operation: 'updateWorkflow',
    title: 'its name and definition',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { name: 'Renamed', definition: longWait, version: 1 } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a stale version',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { name: 'x', version: 9 } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a step that is not allowed',
    prepare: workflow(greeting, { status: 'active' }),
    say: (vars) => ({ ...byId(vars), body: { status: 'draft' } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'one that is missing',
    say: () => ({ params: { id: MISSING.workflow }, body: { name: 'x' } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'onto a taken endpoint',
    prepare: async (call, door) => {
      await workflow(webhook(`taken-${door}`), { status: 'active' })(call);
      return workflow(webhook(`taken-${door}`))(call);
    },
    say: (vars) => ({ ...byId(vars), body: { status: 'active' } }),
  },
  { operation: 'deleteWorkflow', title: 'one', prepare: workflow(), say: byId },
  { operation: 'publishWorkflow', title: 'one that is not active', prepare: workflow(), say: byId },
  {
    operation: 'publishWorkflow',
    title: 'one that is',
    prepare: workflow(greeting, { status: 'active' }),
    say: byId,
  },
  { operation: 'listWorkflowVersions', title: 'of one', prepare: workflow(), say: byId },
  {
    operation: 'getWorkflowVersion',
    title: 'the first',
    prepare: workflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' } }),
  },
  {
    operation: 'getWorkflowVersion',
    title: 'one that never was',
    prepare: workflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '7' } }),
  },
  {
    operation: 'restoreWorkflowVersion',
    title: 'the first',
    prepare: workflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' } }),
  },
  {
    operation: 'restoreWorkflowVersion',
    title: 'one that never was',
    prepare: workflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '7' } }),
  },
  {
    operation: 'listenToWebhook',
    title: 'a webhook',
    prepare: workflow(webhook('any')),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  {
    operation: 'listenToWebhook',
    title: 'none',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  // ---- executions
  {
    operation: 'executeWorkflow',
    title: 'to its end',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { input: { name: 'Ada' }, wait: '10s' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'up to a node, with a pin',
    prepare: workflow(),
    say: (vars) => ({
      ...byId(vars),
      body: { until: 'greet', pins: { start: { name: 'Pin' } }, wait: '10s' },
    }),
  },
  {
    operation: 'executeWorkflow',
    title: 'too long a wait',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { wait: '2m' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an unknown node',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { until: 'gone' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a pin on an unknown node',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { pins: { gone: 1 } } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'with faults',
    prepare: workflow({ nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] }),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an input that is a list',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { input: [1] } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a key used with another body',
    prepare: async (call) => {
      const vars = await workflow()(call);
      await call('POST', `/workflows/${vars['id']}/execute`, {
        body: { input: { name: 'a' } },
        headers: { 'idempotency-key': 'k' },
      });
      return vars;
    },
    say: (vars) => ({ ...byId(vars), key: 'k', body: { input: { name: 'b' } } }),
  },
  { operation: 'getExecution', title: 'one that completed', prepare: executed(), say: byId },
  { operation: 'getExecution', title: 'one that failed', prepare: executed(failing), say: byId },
  { operation: 'listExecutions', title: 'by status', say: () => ({ query: { status: 'failed' } }) },
  {
    operation: 'listExecutions',
    title: 'a time that is none',
    say: () => ({ query: { from: 'yesterday' } }),
  },
  {
    operation: 'listWorkflowExecutions',
    title: 'of one',
    prepare: executed(),
    say: (vars) => ({ params: { id: vars['workflow']! } }),
  },
  {
    operation: 'stopExecution',
    title: 'one that waits',
    prepare: async (call) => {
      const { id } = await workflow(longWait)(call);
      return { id: await made(call, 'POST', `/workflows/${id}/execute`, { wait: '300ms' }) };
    },
    say: byId,
  },
  { operation: 'stopExecution', title: 'one that ended', prepare: executed(), say: byId },
  {
    operation: 'retryExecution',
    title: 'one that failed',
    prepare: executed(failing),
    say: (vars) => ({ ...byId(vars), body: { from: 'gone' } }),
  },
  {
    operation: 'retryExecution',
    title: 'one that completed',
    prepare: executed(),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'with the data of an execution',
    prepare: executed(),
    say: (vars) => ({ body: { template: '{{ execution.id | size }}', execution_id: vars['id']! } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'with data of its own',
    say: () => ({ body: { template: '{{ input.list | size }}', input: { list: [1, null, 'x'] } } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a wrong one',
    say: () => ({ body: { template: 'a {{ input. }}', input: {} } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'data that does not fit',
    say: () => ({ body: { template: '{{ input.name }}', input: {} } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a missing execution',
    say: () => ({ body: { template: 'x', execution_id: 'ex_01m7yy7j0n4tch8b6k7tpqzh' } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a node without an execution',
    say: () => ({ body: { template: 'x', node_id: 'a' } }),
  },
  // ---- nodes
  { operation: 'listNodes', title: 'of a category', say: () => ({ query: { category: 'http' } }) },
  { operation: 'listNodes', title: 'an unknown category', say: () => ({ query: { category: 'odd' } }) },
  { operation: 'listNodes', title: 'by text', say: () => ({ query: { search: 'webhook' } }) },
  { operation: 'getNode', title: 'one', say: () => ({ params: { id: 'http_request' } }) },
  { operation: 'listNodeVersions', title: 'of one', say: () => ({ params: { id: 'condition' } }) },
  { operation: 'registerNode', title: 'one', say: () => ({ body: custom }) },
  {
    operation: 'registerNode',
    title: 'the same again, changed',
    say: () => ({ body: { ...custom, description: 'Other' } }),
  },
  {
    operation: 'registerNode',
    title: 'the name of a built-in',
    say: () => ({ body: { ...custom, nodeType: 'condition' } }),
  },
  {
    operation: 'registerNode',
    title: 'packages that are no lock',
    say: () => ({
      body: {
        ...custom,
        nodeType: 'packed',
        implementation: {
          ...custom.implementation,
          dependencies: { lodash: { version: '^4', integrity: 'sha1-abc' } },
        },
      },
    }),
  },
  {
    operation: 'registerNode',
    title: 'code that is none',
    say: () => ({
      body: {
        ...custom,
        nodeType: 'broken',
        implementation: { ...custom.implementation, handler: 'export default (' },
      },
    }),
  },
  { operation: 'deleteNode', title: 'one that comes with Weft', say: () => ({ params: { id: 'delay' } }) },
  {
    operation: 'deleteNode',
    title: 'one in use',
    prepare: async (call) => ({
      id: await made(call, 'POST', '/workflows', {
        name: 'uses it',
        definition: { nodes: [{ id: 'x', type: custom.nodeType, config: {} }], connections: [] },
      }),
    }),
    say: () => ({ params: { id: custom.nodeType } }),
  },
  {
    operation: 'deleteNode',
    title: 'a version that is not there',
    say: () => ({ params: { id: custom.nodeType }, query: { version: '9.9.9' } }),
  },
  // ---- templates
  { operation: 'createTemplate', title: 'one', say: () => ({ body: template }) },
  {
    operation: 'createTemplate',
    title: 'the same version again',
    say: () => ({ body: { ...template, description: 'other' } }),
  },
  {
    operation: 'createTemplate',
    title: 'an undeclared parameter',
    say: () => ({ body: { ...template, templateName: 'bad', parameters: [] } }),
  },
  { operation: 'getTemplate', title: 'one', say: () => ({ params: { name: 'greet' } }) },
  {
    operation: 'instantiateTemplate',
    title: 'it',
    say: () => ({ params: { name: 'greet' }, body: { parameters: { who: 'Ada' } } }),
  },
  {
    operation: 'instantiateTemplate',
    title: 'without what it needs',
    say: () => ({ params: { name: 'greet' }, body: { parameters: {} } }),
  },
  {
    operation: 'instantiateTemplate',
    title: 'with what it does not know',
    say: () => ({ params: { name: 'greet' }, body: { parameters: { who: 'x', odd: 1 } } }),
  },
  { operation: 'deleteTemplate', title: 'it', say: () => ({ params: { name: 'greet' } }) },
  // ---- secrets, keys, clients
  {
    operation: 'putSecret',
    title: 'one',
    say: () => ({
      params: { name: 'TOKEN' },
      body: { value: 'hidden-value', hosts: ['api.example.com'], description: 'd' },
    }),
  },
  {
    operation: 'putSecret',
    title: 'a wrong name',
    say: () => ({ params: { name: '1x' }, body: { value: 'v' } }),
  },
  {
    operation: 'putSecret',
    title: 'a host with a path',
    say: () => ({ params: { name: 'A' }, body: { value: 'v', hosts: ['a/b'] } }),
  },
  { operation: 'deleteSecret', title: 'it', say: () => ({ params: { name: 'TOKEN' } }) },
  // ---- connections
  {
    operation: 'createConnection',
    title: 'one of a provider',
    say: () => ({
      body: { name: 'HUB', provider: 'github', client_id: 'app', client_secret: 'hidden', scopes: ['repo'] },
    }),
  },
  {
    operation: 'createConnection',
    title: 'a name that is there',
    say: () => ({ body: { name: 'HUB', provider: 'github', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'one without a person, with everything',
    say: () => ({
      body: {
        name: 'APP',
        grant_type: 'client_credentials',
        token_url: 'https://auth.example.com/token',
        client_id: 'app',
        client_secret: 'hidden',
        client_authentication: 'body',
        base_url: 'https://api.example.com',
        test_url: 'https://api.example.com/me',
        hosts: ['api.example.com'],
        description: 'd',
      },
    }),
  },
  {
    operation: 'createConnection',
    title: 'without addresses',
    say: () => ({ body: { name: 'NONE', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'a wrong name',
    say: () => ({ body: { name: 'a b', provider: 'slack', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'a way back to elsewhere',
    say: () => ({
      body: { name: 'BACK', provider: 'slack', client_id: 'app', return_to: 'https://evil.example/' },
    }),
  },
  { operation: 'listConnections', title: 'two', say: () => ({}) },
  { operation: 'getConnection', title: 'one', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'updateConnection',
    title: 'its scopes',
    say: () => ({ params: { name: 'HUB' }, body: { scopes: ['gist'], description: 'other' } }),
  },
  {
    operation: 'updateConnection',
    title: 'its token endpoint, without the secret',
    say: () => ({ params: { name: 'HUB' }, body: { token_url: 'https://elsewhere.example.com/token' } }),
  },
  {
    operation: 'updateConnection',
    title: 'what is missing',
    say: () => ({ params: { name: 'NONE' }, body: {} }),
  },
  {
    operation: 'authorizeConnection',
    title: 'again',
    say: () => ({ params: { name: 'HUB' }, body: { return_to: '/connections' } }),
  },
  {
    operation: 'authorizeConnection',
    title: 'of the app itself',
    say: () => ({ params: { name: 'APP' }, body: {} }),
  },
  {
    operation: 'authorizeConnection',
    title: 'what is missing',
    say: () => ({ params: { name: 'NONE' }, body: {} }),
  },
  { operation: 'testConnection', title: 'that nobody has allowed', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'refreshConnection',
    title: 'that nobody has allowed',
    say: () => ({ params: { name: 'HUB' } }),
  },
  {
    operation: 'deleteConnection',
    title: 'whether it is used or not',
    say: () => ({ params: { name: 'APP' }, query: { force: true } }),
  },
  { operation: 'deleteConnection', title: 'it', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'createApiKey',
    title: 'one',
    say: () => ({ body: { name: 'k', scopes: ['workflows:read'], expires_at: '2999-01-01T00:00:00.000Z' } }),
  },
  {
    operation: 'createApiKey',
    title: 'an unknown scope',
    say: () => ({ body: { name: 'k', scopes: ['all'] } }),
  },
  {
    operation: 'createApiKey',
    title: 'expired before it begins',
    say: () => ({ body: { name: 'k', expires_at: '2001-01-01T00:00:00Z' } }),
  },
  {
    operation: 'deleteApiKey',
    title: 'one',
    prepare: async (call) => ({ id: await made(call, 'POST', '/api-keys', { name: 'gone' }) }),
    say: byId,
  },
  {
    operation: 'createOAuthClient',
    title: 'one',
    say: () => ({ body: { name: 'c', grant_types: ['client_credentials'], scopes: ['workflows:read'] } }),
  },
  {
    operation: 'createOAuthClient',
    title: 'a redirect that is no address',
    say: () => ({ body: { name: 'c', redirect_uris: ['nowhere'], scopes: ['workflows:read'] } }),
  },
  // ---- people
  { operation: 'getCurrentUser', title: 'oneself', say: () => ({}) },
  { operation: 'getCurrentUser', title: 'nobody', as: 'nobody', say: () => ({}) },
  {
    operation: 'login',
    title: 'a wrong password',
    as: 'nobody',
    say: () => ({ body: { email: 'nobody@example.com', password: 'wrong' } }),
  },
  { operation: 'refreshSession', title: 'no token', as: 'nobody', say: () => ({ body: {} }) },
  {
    operation: 'refreshSession',
    title: 'a wrong token',
    as: 'nobody',
    say: () => ({ body: { token: 'nonsense' } }),
  },
  {
    operation: 'changePassword',
    title: 'a wrong one',
    say: () => ({ body: { current_password: 'wrong one', new_password: 'another password' } }),
  },
  {
    operation: 'changePassword',
    title: 'a short one',
    say: () => ({ body: { current_password: 'wrong one', new_password: 'x' } }),
  },
  { operation: 'listUsers', title: 'as a member', say: () => ({}) },
  {
    operation: 'createUser',
    title: 'as a member',
    say: () => ({ body: { email: 'x@example.com', password: 'long enough' } }),
  },
  { operation: 'getUser', title: 'as a member', say: () => ({ params: { id: MISSING.user } }) },
  {
    operation: 'updateUser',
    title: 'as a member',
    say: () => ({ params: { id: MISSING.user }, body: { role: 'admin' } }),
  },
  { operation: 'deleteUser', title: 'as a member', say: () => ({ params: { id: MISSING.user } }) },
  {
    operation: 'createUser',
    title: 'one',
    as: 'admin',
    say: (_, door) => ({
      body: { email: `new-${door}@example.com`, password: 'long enough', name: 'New', plan: 'pro' },
    }),
  },
  {
    operation: 'createUser',
    title: 'a taken email',
    as: 'admin',
    say: (_, door) => ({ body: { email: `NEW-${door}@example.com`, password: 'long enough' } }),
  },
  {
    operation: 'createUser',
    title: 'a short password',
    as: 'admin',
    say: () => ({ body: { email: 'y@example.com', password: 'short' } }),
  },
  {
    operation: 'listUsers',
    title: 'as an administrator',
    as: 'admin',
    say: () => ({ query: { limit: 100 } }),
  },
  {
    operation: 'getUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user } }),
  },
  {
    operation: 'updateUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user }, body: { name: 'x' } }),
  },
  {
    operation: 'deleteUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user } }),
  },
  {
    operation: 'updateUser',
    title: 'one',
    as: 'admin',
    prepare: async (call, door) => ({
      id: await made(call, 'POST', '/users', {
        email: `change-${door}@example.com`,
        password: 'long enough',
      }),
    }),
    say: (vars) => ({ ...byId(vars), body: { name: 'Changed', role: 'admin', plan: 'enterprise' } }),
  },
  {
    operation: 'deleteUser',
    title: 'one',
    as: 'admin',
    prepare: async (call, door) => ({
      id: await made(call, 'POST', '/users', { email: `leave-${door}@example.com`, password: 'long enough' }),
    }),
    say: byId,
  },
  ...missing,
  ...named,
  ...lists,
  { operation: 'getHealth', title: 'as it is', as: 'nobody', say: () => ({}) },
  // The session ends with it, so it is the last.
  { operation: 'logout', title: 'the own session', say: () => ({}) },
];
