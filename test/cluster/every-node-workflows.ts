import { builtinNodes } from '../../src/nodes/registry.ts';
import type { Call } from '../support/service.ts';
import { manual } from '../api/definitions.ts';

type Node = { id: string; type: string; config: object };
type Connection = { from: string; to: string; sourcePort?: string };

/** A workflow that is started by hand, and how each of its executions must end. */
export type NodeWorkflow = {
  readonly name: string;
  readonly id: string;
  readonly input: object;
  readonly ends: 'completed' | 'failed';
  /** Workflows that each execution starts once, by their names. */
  readonly starts: readonly string[];
};

export type EveryNode = {
  readonly workflows: readonly NodeWorkflow[];
  /** Ids of the workflows that are started by others, by a schedule or by a poll. */
  readonly started: ReadonlyMap<string, string>;
  /** Built-in node types that the workflows contain. */
  readonly types: ReadonlySet<string>;
};

/** Long enough for code of 0.3 s on a machine that is overloaded by the start of new processes. */
const CODE_TIMEOUT = '60s';

/** Addresses that the workflows call. */
export type Targets = {
  http: string;
  mcp: string;
  /** The base URL of a model that calls the tool `look` first. */
  models: string;
  mail: string;
  /** The port of an IMAP server. */
  mailbox: number;
  postgres: string;
  mysql: string | null;
  redis: string;
};

/**
 * Saves workflows that together contain every node type and start others in every way. In each one `hold`, a
 * call to `/hold`, comes first, so that the test decides when the nodes behind it run.
 */
export async function saveEveryNode(call: Call, to: Targets): Promise<EveryNode> {
  const put = async (name: string, value: string): Promise<void> => {
    const response = await call('PUT', `/secrets/${name}`, { body: { value } });
    if (response.status !== 200) throw new Error(response.text);
  };
  await put('CRM', JSON.stringify({ base_url: to.http, token: 'token-123456' }));
  await put('MAIL', to.mail);
  await put('PG', to.postgres);
  if (to.mysql !== null) await put('MYSQL', to.mysql);
  await put('REDIS', to.redis);
  await put('S3', JSON.stringify({ access_key_id: 'id-123456', secret_access_key: 'key-123456' }));
  await put('SIGNING_KEY', 'key-123456');

  const types = new Set<string>();
  const started = new Map<string, string>();
  const save = async (name: string, nodes: Node[], connections: Connection[], more = {}): Promise<string> => {
    for (const { type } of nodes) types.add(type);
    const response = await call('POST', '/workflows', {
      body: { name, status: 'active', definition: { nodes, connections }, ...more },
    });
    if (response.status !== 201) throw new Error(`"${name}" was not saved: ${response.text}`);
    return (response.body as { id: string }).id;
  };
  const saveStarted = async (name: string, trigger: object, ...behind: Node[]): Promise<string> => {
    const nodes = [{ id: 'start', type: 'trigger', config: trigger }, ...behind];
    const id = await save(name, nodes, chain(...nodes));
    started.set(name, id);
    return id;
  };

  const workflows: NodeWorkflow[] = [];
  type More = Partial<Pick<NodeWorkflow, 'input' | 'ends' | 'starts'>> & { settings?: object };
  /** `nodes` are behind `hold`; without `connections` they follow each other. */
  const add = async (name: string, nodes: Node[], connections?: Connection[], more: More = {}) => {
    const { input = { n: 4 }, ends = 'completed', starts = [], settings } = more;
    const all = [manual, request('hold', `${to.http}/hold/{{ execution.id }}`), ...nodes];
    const joined =
      connections === undefined
        ? chain(...all)
        : [...chain(all[0]!, all[1]!), { from: 'hold', to: nodes[0]!.id }, ...connections];
    const id = await save(name, all, joined, settings === undefined ? {} : { settings });
    workflows.push({ name, id, input, ends, starts });
    return id;
  };

  await saveStarted('child', { triggerType: 'manual' }, effect(to.http, 'child'));
  const child = { workflow_id: started.get('child')! };
  const subWorkflow = (id: string): Node => ({ id, type: 'sub_workflow', config: child });
  await saveStarted('escalated', { triggerType: 'manual' }, effect(to.http, 'escalated'));
  await saveStarted('on failure', { triggerType: 'manual' }, effect(to.http, 'on_failure'));
  await saveStarted('schedule', { triggerType: 'schedule', interval: '1s' }, effect(to.http, 'tick'));
  const poll = { triggerType: 'polling', url: `${to.http}/items`, interval: '1s', key: 'id', first: 'take' };
  await saveStarted('polling', poll, effect(to.http, 'item'));

  // What does its work in one go is taken from its own documentation.
  for (const { type, examples } of builtinNodes) {
    const example = examples.find(({ failure }) => failure === undefined);
    if (OUTWARD.has(type) || example === undefined) continue;
    const config = { operation: 'parse', value: '{{ trigger.text }}' };
    const nodes = [
      { id: 'given', type: 'json', config },
      { id: 'n', type, config: example.config as object },
    ];
    await add(`example of ${type}`, nodes, undefined, { input: { text: JSON.stringify(example.input) } });
  }

  await add('http_request', [effect(to.http, 'http'), effect(to.http, 'http_again')]);
  await add('rss', [{ id: 'n', type: 'rss', config: { url: `${to.http}/feed` } }]);
  await add('mcp_tool', [
    { id: 'n', type: 'mcp_tool', config: { url: to.mcp, tool: 'add', arguments: { a: 1 } } },
  ]);
  const model = { provider: 'openai_compatible', baseUrl: to.models, model: 'x' };
  const schema = { type: 'object' };
  for (const [type, config] of [
    ['llm', { ...model, prompt: 'x' }],
    ['extract', { ...model, text: 'x', schema }],
    ['summarise', { ...model, text: 'x' }],
    ['embed', { ...model, texts: 'x' }],
    ['vector_store', { operation: 'delete', collection: 'docs', keys: 'a' }],
  ] as const)
    await add(type, [{ id: 'n', type, config }]);
  const categories = [{ name: 'a' }];
  await add('classify', [{ id: 'n', type: 'classify', config: { ...model, text: 'x', categories } }]);
  await add(
    'agent',
    [
      {
        id: 'n',
        type: 'agent',
        config: {
          prompt: 'x',
          model: ['chat'],
          tools: [{ name: 'look', description: 'x', nodes: ['look'] }],
        },
      },
      { id: 'chat', type: 'llm', config: model },
      effect(to.http, 'look'),
    ],
    [],
  );
  await add('file', [
    { id: 'get', type: 'http_request', config: { method: 'GET', url: `${to.http}/file` } },
    {
      id: 'n',
      type: 'http_request',
      config: {
        method: 'POST',
        url: `${to.http}/effect/file`,
        body: '{{ input.body }}',
        body_type: 'binary',
      },
    },
  ]);
  await add('large value', [
    { id: 'get', type: 'http_request', config: { method: 'GET', url: `${to.http}/large` } },
    {
      id: 'n',
      type: 'http_request',
      config: { method: 'POST', url: `${to.http}/effect/large`, body: { text: '{{ input.body.text }}' } },
    },
  ]);
  await add('customer_records', [
    {
      id: 'n',
      type: 'customer_records',
      config: { service: 'rest', operation: 'create', credentials: '{{ secrets.CRM }}', data: { a: 1 } },
    },
  ]);
  await add('slack', [
    {
      id: 'n',
      type: 'slack',
      config: { operation: 'post_message', credentials: '{{ secrets.CRM }}', channel: 'C', text: 'x' },
    },
  ]);
  const template = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' };
  await add('email', [
    {
      id: 'n',
      type: 'email',
      config: { service: 'smtp', operation: 'send', credentials: '{{ secrets.MAIL }}', template },
    },
  ]);
  await add('imap', [
    {
      id: 'n',
      type: 'imap',
      config: {
        operation: 'search',
        host: '127.0.0.1',
        port: to.mailbox,
        user: 'ada',
        password: '{{ secrets.MAIL }}',
      },
    },
  ]);
  await add('postgres', [
    {
      id: 'n',
      type: 'postgres',
      config: { operation: 'query', credentials: '{{ secrets.PG }}', query: 'SELECT 1 AS one' },
    },
  ]);
  if (to.mysql !== null)
    await add('mysql', [
      {
        id: 'n',
        type: 'mysql',
        config: { operation: 'query', credentials: '{{ secrets.MYSQL }}', query: 'SELECT 1 AS one' },
      },
    ]);
  await add('redis', [
    {
      id: 'n',
      type: 'redis',
      config: { operation: 'set', credentials: '{{ secrets.REDIS }}', key: 'a', value: 'x' },
    },
  ]);
  await add('s3', [
    {
      id: 'n',
      type: 's3',
      config: {
        operation: 'delete',
        credentials: '{{ secrets.S3 }}',
        endpoint: to.http,
        bucket: 'reports',
        key: 'a',
      },
    },
  ]);
  const busy = 'const end = Date.now() + 300; while (Date.now() < end);';
  await add('code', [
    {
      id: 'n',
      type: 'code',
      config: {
        source: `export default (input) => { ${busy} return { status: input.status }; }`,
        timeout: CODE_TIMEOUT,
      },
    },
  ]);
  const custom = {
    nodeType: 'doubling',
    description: 'Doubles a number.',
    version: '1.0.0',
    inputs: { n: { type: 'number', required: true } },
    outputs: { doubled: 'number' },
    implementation: {
      runtime: 'javascript',
      handler: `export default (inputs) => { ${busy} return { doubled: inputs.n * 2 }; }`,
      dependencies: {},
    },
  };
  const registered = await call('POST', '/nodes', { body: custom });
  if (registered.status !== 201) throw new Error(registered.text);
  await add('custom node', [{ id: 'n', type: 'doubling', config: { n: 4, timeout: CODE_TIMEOUT } }]);
  await add('delay', [{ id: 'n', type: 'delay', config: { duration: '1s' } }, effect(to.http, 'delay')]);
  await add('wait_for_event', [{ id: 'n', type: 'wait_for_event', config: {} }, effect(to.http, 'resumed')]);
  await add(
    'approval',
    [{ id: 'n', type: 'approval', config: { title: 'Expense' } }, effect(to.http, 'approved')],
    [{ from: 'n', to: 'approved', sourcePort: 'approved' }],
  );
  await add(
    'form',
    [
      {
        id: 'n',
        type: 'form',
        config: { title: 'Name', fields: [{ type: 'text', name: 'name', label: 'Name' }] },
      },
      effect(to.http, 'submitted'),
    ],
    [{ from: 'n', to: 'submitted', sourcePort: 'submitted' }],
  );
  await add('sub_workflow', [subWorkflow('n'), subWorkflow('again')], undefined, {
    starts: ['child', 'child'],
  });
  await add(
    'parallel',
    [
      {
        id: 'n',
        type: 'parallel',
        config: {
          branches: [
            { name: 'a', nodes: ['sub'] },
            { name: 'b', nodes: ['ask', 'rest'] },
          ],
        },
      },
      subWorkflow('sub'),
      effect(to.http, 'branch', 'ask'),
      { id: 'rest', type: 'delay', config: { duration: '200ms' } },
    ],
    [],
    { starts: ['child'] },
  );
  await add(
    'for_each',
    [
      { id: 'n', type: 'for_each', config: { items: [1, 2], nodes: ['sub', 'ask'] } },
      subWorkflow('sub'),
      effect(to.http, 'item_of_list', 'ask'),
    ],
    [],
    { starts: ['child', 'child'] },
  );
  const again = { field: 'status', operator: 'not_exists' };
  await add(
    'while',
    [
      { id: 'n', type: 'while', config: { condition: again, nodes: ['ask'] } },
      effect(to.http, 'loop', 'ask'),
    ],
    [],
  );
  await add(
    'error_handler that retries',
    [
      request('ask', `${to.http}/flaky/{{ execution.id }}`),
      {
        id: 'n',
        type: 'error_handler',
        config: { strategies: [{ errorType: '*', action: 'retry', maxRetries: 2, delay: '500ms' }] },
      },
    ],
    [{ from: 'ask', to: 'n', sourcePort: 'error' }],
  );
  const escalate = { errorType: '*', action: 'escalate', escalationWorkflow: started.get('escalated')! };
  await add(
    'error_handler that escalates',
    [
      request('ask', `${to.http}/broken`),
      { id: 'n', type: 'error_handler', config: { strategies: [escalate] } },
    ],
    [{ from: 'ask', to: 'n', sourcePort: 'error' }],
    { ends: 'failed', starts: ['escalated'] },
  );
  const failing = await add('on_failure_workflow', [request('n', `${to.http}/broken`)], undefined, {
    ends: 'failed',
    starts: ['on failure', 'on error'],
    settings: { on_failure_workflow: started.get('on failure')! },
  });
  const source = await add('event', [effect(to.http, 'event')], undefined, { starts: ['on completion'] });
  const completion = { triggerType: 'event', workflow_id: source };
  await saveStarted('on completion', completion, effect(to.http, 'follower'));
  const failure = { triggerType: 'error', workflow_id: failing };
  await saveStarted('on error', failure, effect(to.http, 'on_error'));
  return { workflows, started, types };
}

/** Node types with a separate workflow above: they call out, wait, or contain others. */
const OUTWARD = new Set([
  'trigger',
  'http_request',
  'rss',
  'mcp_tool',
  'llm',
  'extract',
  'classify',
  'summarise',
  'embed',
  'vector_store',
  'agent',
  'customer_records',
  'slack',
  'email',
  'imap',
  'postgres',
  'mysql',
  'redis',
  's3',
  'code',
  'delay',
  'wait_for_event',
  'approval',
  'form',
  'sub_workflow',
  'parallel',
  'for_each',
  'while',
  'error_handler',
]);

const request = (id: string, url: string): Node => ({
  id,
  type: 'http_request',
  config: { method: 'POST', url },
});
const effect = (url: string, name: string, id = name): Node => request(id, `${url}/effect/${name}`);
const chain = (...nodes: Node[]): Connection[] =>
  nodes.slice(1).map((node, i) => ({ from: nodes[i]!.id, to: node.id }));
