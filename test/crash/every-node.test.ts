import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinNodes } from '../../src/nodes/registry.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { manual } from '../api/definitions.ts';

/*
 * Interrupts every node type during its work: the process is killed, the execution is stopped, or the node
 * times out. Each type with external effects has a row here; otherwise the first test fails.
 */

/** Holds connections; when opened, it responds to HTTP and closes all other connections. */
class Gate {
  isOpen = false;
  taken = 0;
  readonly #held = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#take(socket);
    let head = '';
    socket.on('data', (bytes: Buffer) => {
      head += bytes.toString('latin1');
      if (this.isOpen) this.#answer(socket, head);
    });
  });
  /** For mail, where the client waits for a greeting. */
  readonly #mailServer = createServer((socket) => {
    this.#take(socket);
    if (this.isOpen) socket.destroy();
  });
  get held(): number {
    return this.#held.size;
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
  get mailPort(): number {
    return (this.#mailServer.address() as AddressInfo).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  async listen(): Promise<void> {
    for (const server of [this.#server, this.#mailServer])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  async close(): Promise<void> {
    for (const socket of this.#held) socket.destroy();
    for (const server of [this.#server, this.#mailServer])
      await new Promise((resolve) => server.close(resolve));
  }
  #take(socket: Socket): void {
    this.taken++;
    this.#held.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#held.delete(socket));
  }
  #answer(socket: Socket, head: string): void {
    if (!/^[A-Z]+ \S+ HTTP/.test(head)) return void socket.destroy();
    const body = '{"ok":true,"id":"1"}';
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
}

const egress = new Gate();
const folder = createTempFolder();
let weft: SpawnedService;
let call: Call;

type Definition = { nodes: object[]; connections?: object[] };
/**
 * `middle`: a workflow whose node `n`, of this type, can be interrupted. `is`: shows that it is running.
 * `after`: its status when it is killed there and the connections are released afterwards.
 */
type Row = {
  middle(config?: object): Definition;
  is: 'held' | 'waiting' | 'running';
  after?: { status: string; error?: string; output?: object; attempt?: number };
  /** How its time-out is reported; none: it has no timeout. */
  timeout?: string | null;
};

const of =
  (type: string, config: () => object, more: object[] = []) =>
  (extra: object = {}): Definition => ({
    nodes: [manual, { id: 'n', type, config: { ...config(), ...extra } }, ...more],
    connections: [{ from: 'start', to: 'n' }],
  });
const calling = (id: string) => ({ id, type: 'http_request', config: { url: `${egress.url}/` } });
const model = () => ({ provider: 'openai_compatible', baseUrl: `${egress.url}/v1`, model: 'x' });
/** In ms: longer than all executions take to begin on a busy machine. */
const BUSY_MS = 20_000;
/** Runs longer than a kill takes. */
const busy = (given: string) =>
  `export default (${given}) => { const end = Date.now() + ${BUSY_MS}; while (Date.now() < end); return { doubled: ${given}.n * 2 }; }`;
const networked = { status: 'failed', error: 'network' };
let sub = '';

const rows: Record<string, Row> = {
  http_request: { middle: of('http_request', () => ({ url: egress.url })), is: 'held', timeout: 'timeout' },
  // The response after the kill is no feed.
  rss: {
    middle: of('rss', () => ({ url: egress.url })),
    is: 'held',
    after: { status: 'failed', error: 'validation' },
    timeout: 'timeout',
  },
  // The response after the kill is of no MCP server. test/crash/mcp-tool.test.ts has the tools that must not
  // be repeated.
  mcp_tool: {
    middle: of('mcp_tool', () => ({ url: egress.url, tool: 'x' })),
    is: 'held',
    after: { status: 'failed', error: 'client_error' },
    timeout: 'timeout',
  },
  customer_records: {
    middle: of('customer_records', () => ({
      service: 'rest',
      operation: 'create',
      credentials: '{{ secrets.CRM }}',
      data: { a: 1 },
    })),
    is: 'held',
    timeout: 'timeout',
  },
  slack: {
    middle: of('slack', () => ({
      operation: 'post_message',
      credentials: '{{ secrets.CRM }}',
      channel: 'C',
      text: 'x',
    })),
    is: 'held',
    timeout: 'timeout',
  },
  email: {
    middle: of('email', () => ({
      service: 'smtp',
      operation: 'send',
      credentials: '{{ secrets.MAIL }}',
      template: { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' },
    })),
    is: 'held',
    after: networked,
    timeout: 'timeout',
  },
  imap: {
    middle: of('imap', () => ({
      operation: 'search',
      host: '127.0.0.1',
      port: egress.mailPort,
      tls: 'starttls',
      user: 'ada',
      password: '{{ secrets.MAIL }}',
    })),
    is: 'held',
    after: networked,
    timeout: 'timeout',
  },
  postgres: {
    middle: of('postgres', () => ({
      operation: 'query',
      credentials: '{{ secrets.PG }}',
      query: 'SELECT 1',
    })),
    is: 'held',
    after: networked,
    timeout: 'timeout',
  },
  mysql: {
    middle: of('mysql', () => ({
      operation: 'query',
      credentials: '{{ secrets.MYSQL }}',
      query: 'SELECT 1',
    })),
    is: 'held',
    after: networked,
    timeout: 'timeout',
  },
  redis: {
    middle: of('redis', () => ({ operation: 'increment', credentials: '{{ secrets.REDIS }}', key: 'n' })),
    is: 'held',
    after: networked,
    timeout: 'timeout',
  },
  s3: {
    middle: of('s3', () => ({
      operation: 'delete',
      credentials: '{{ secrets.S3 }}',
      endpoint: egress.url,
      bucket: 'reports',
      key: 'a',
    })),
    is: 'held',
    timeout: 'timeout',
  },
  code: {
    middle: of('code', () => ({ source: busy('input'), timeout: '5m' })),
    is: 'running',
    after: { status: 'completed', output: { doubled: 8 }, attempt: 2 },
    timeout: 'timeout',
  },
  // A custom node, which the next process must load before executions resume.
  slow: {
    middle: of('slow', () => ({ n: 4, timeout: '5m' })),
    is: 'running',
    after: { status: 'completed', output: { doubled: 8 }, attempt: 2 },
    timeout: 'timeout',
  },
  // A timeout is rejected.
  delay: { middle: of('delay', () => ({ duration: `${BUSY_MS}ms` })), is: 'waiting', timeout: null },
  wait_for_event: {
    middle: of('wait_for_event', () => ({})),
    is: 'waiting',
    after: { status: 'waiting' },
    timeout: 'timeout',
  },
  // A timeout is rejected.
  approval: {
    middle: of('approval', () => ({ title: 'Expense' })),
    is: 'waiting',
    after: { status: 'waiting' },
    timeout: null,
  },
  // A timeout is rejected.
  form: {
    middle: of('form', () => ({ title: 'Name', fields: [{ type: 'text', name: 'name', label: 'Name' }] })),
    is: 'waiting',
    after: { status: 'waiting' },
    timeout: null,
  },
  // The response after the kill is of no model.
  llm: {
    middle: of('llm', () => ({ ...model(), prompt: 'x' })),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  extract: {
    middle: of('extract', () => ({ ...model(), text: 'x', schema: {} })),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  classify: {
    middle: of('classify', () => ({ ...model(), text: 'x', categories: [{ name: 'a' }] })),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  summarise: {
    middle: of('summarise', () => ({ ...model(), text: 'x' })),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  embed: {
    middle: of('embed', () => ({ ...model(), texts: 'x' })),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  agent: {
    middle: (extra) =>
      of('agent', () => ({ prompt: 'x', model: ['h'] }), [{ id: 'h', type: 'llm', config: model() }])(extra),
    is: 'held',
    after: { status: 'failed', error: 'server_error' },
    timeout: 'timeout',
  },
  sub_workflow: { middle: of('sub_workflow', () => ({ workflow_id: sub })), is: 'held', timeout: 'timeout' },
  parallel: {
    middle: (extra) =>
      of('parallel', () => ({ branches: [{ name: 'a', nodes: ['h'] }] }), [calling('h')])(extra),
    is: 'held',
    timeout: 'timeout',
  },
  for_each: {
    middle: (extra) => of('for_each', () => ({ items: [1], nodes: ['h'] }), [calling('h')])(extra),
    is: 'held',
    timeout: 'timeout',
  },
  while: {
    middle: (extra) =>
      of('while', () => ({ condition: { field: 'status', operator: 'not_exists' }, nodes: ['h'] }), [
        calling('h'),
      ])(extra),
    is: 'held',
    timeout: 'timeout',
  },
  // Between two attempts of the node whose failure it handles.
  error_handler: {
    middle: () => ({
      nodes: [
        manual,
        { id: 'h', type: 'http_request', config: { url: 'http://127.0.0.1:1/' } },
        {
          id: 'n',
          type: 'error_handler',
          config: { strategies: [{ errorType: '*', action: 'retry', maxRetries: 1, delay: `${BUSY_MS}ms` }] },
        },
      ],
      connections: [
        { from: 'start', to: 'h' },
        { from: 'h', to: 'n', sourcePort: 'error' },
      ],
    }),
    is: 'waiting',
    after: networked,
    timeout: null,
  },
};

/** These work in one step or, for long lists, in slices; they are interrupted only by chance. */
const quick = builtinNodes.filter(({ type }) => rows[type] === undefined && type !== 'trigger');

beforeAll(async () => {
  await egress.listen();
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' } });
  call = await weft.login();
  for (const [name, value] of [
    ['CRM', JSON.stringify({ base_url: egress.url, token: 'token-123456' })],
    ['MAIL', `smtp://127.0.0.1:${egress.mailPort}`],
    ['PG', `postgres://u:p@127.0.0.1:${egress.port}/db`],
    // MySQL waits for a greeting, like mail.
    ['MYSQL', `mysql://u:p@127.0.0.1:${egress.mailPort}/db`],
    ['REDIS', `redis://127.0.0.1:${egress.port}`],
    ['S3', JSON.stringify({ access_key_id: 'id-123456', secret_access_key: 'key-123456' })],
    ['SIGNING_KEY', 'key-123456'],
  ] as const)
    expect((await call('PUT', `/secrets/${name}`, { body: { value } })).status).toBe(200);
  const implementation = { runtime: 'javascript', handler: busy('inputs'), dependencies: {} };
  const slow = {
    nodeType: 'slow',
    description: 'Takes its time.',
    version: '1.0.0',
    inputs: { n: { type: 'number', required: true } },
    outputs: { doubled: 'number' },
    implementation,
  };
  expect((await call('POST', '/nodes', { body: slow })).status).toBe(201);
  sub = await save({ nodes: [manual, calling('h')], connections: [{ from: 'start', to: 'h' }] });
});
afterAll(async () => {
  await weft.kill9();
  await egress.close();
  folder.remove();
});

type Shown = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string } | null;
  nodes: { node_id: string; attempt: number }[];
};

async function save(definition: Definition): Promise<string> {
  const made = await call('POST', '/workflows', { body: { name: 'W', definition } });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
async function begin(workflow: string, input: object = {}): Promise<string> {
  const begun = await call('POST', `/workflows/${workflow}/execute`, { body: { input } });
  expect(begun.status, begun.text).toBeLessThan(300);
  return (begun.body as Shown).id;
}
const shown = async (id: string) => (await call('GET', `/executions/${id}`)).body as Shown;
const ended = (id: string) =>
  waitUntil(
    () => shown(id),
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    120_000,
  );
/** All of them at once, each in the middle of its work. */
async function runAllUntilMiddle(): Promise<[type: string, row: Row, id: string][]> {
  const before = egress.taken;
  const begun = await Promise.all(
    Object.entries(rows).map(async ([type, row]): Promise<[string, Row, string]> => [
      type,
      row,
      await begin(await save(row.middle()), { n: 4 }),
    ]),
  );
  const holding = begun.filter(([, row]) => row.is === 'held').length;
  await waitUntil(
    () => Promise.resolve(egress.taken - before),
    (taken) => taken >= holding,
  );
  // In parallel: some are interruptible for a few seconds only.
  await Promise.all(
    begun.map(async ([, row, id]) => {
      if (row.is !== 'held')
        await waitUntil(
          () => shown(id),
          ({ status }) => status === row.is,
        );
    }),
  );
  return begun;
}
const nobodyHeld = () =>
  waitUntil(
    () => Promise.resolve(egress.held),
    (held) => held === 0,
  );

test('every node type has a row, or works in one step', () => {
  for (const { type, effects } of quick) {
    // A node with external effects must be interrupted; these reach only the service.
    if (effects === 'external')
      expect(['crypto', 'notify', 'spreadsheet', 'vector_store', 'zip']).toContain(type);
  }
  expect(Object.keys(rows).filter((type) => !builtinNodes.some((node) => node.type === type))).toEqual([
    'slow',
  ]);
});

test('a stop ends each immediately, and closes its connections', async () => {
  const begun = await runAllUntilMiddle();
  expect(egress.held).toBeGreaterThan(0);
  await Promise.all(begun.map(([, , id]) => call('POST', `/executions/${id}/stop`, { body: {} })));
  for (const [type, , id] of begun) expect([type, (await shown(id)).status]).toEqual([type, 'stopped']);
  await nobodyHeld();
});

test('its timeout ends each, and closes its connections', async () => {
  const timed = Object.entries(rows).filter(([, { timeout }]) => timeout !== null);
  const begun = await Promise.all(
    timed.map(
      async ([type, row]) => [type, row, await begin(await save(row.middle({ timeout: '300ms' })))] as const,
    ),
  );
  for (const [type, { timeout }, id] of begun) {
    const { status, error } = await ended(id);
    expect([type, status, error?.type]).toEqual([type, 'failed', timeout]);
  }
  await nobodyHeld();
});

test('a delay rejects a timeout', async () => {
  const made = await call('POST', '/workflows', {
    body: { name: 'W', status: 'active', definition: rows['delay']!.middle({ timeout: '1s' }) },
  });
  expect([made.status, made.text]).toEqual([400, expect.stringContaining('is not supported by a delay')]);
});

test('killed during all of them at once, each ends normally', async () => {
  // The nodes that work in one step, each with an example: some are killed before, some after, some during
  // it.
  const quickOnes = await Promise.all(
    quick.flatMap((type) => {
      const example = type.examples.find(({ failure }) => failure === undefined);
      if (example === undefined) return [];
      const given = {
        id: 'given',
        type: 'json',
        config: { operation: 'parse', value: '{{ trigger.text }}' },
      };
      const definition = {
        nodes: [manual, given, { id: 'n', type: type.type, config: example.config }],
        connections: [
          { from: 'start', to: 'given' },
          { from: 'given', to: 'n' },
        ],
      };
      return save(definition).then((id) => [type.type, id, JSON.stringify(example.input)] as const);
    }),
  );
  expect(quickOnes.length).toBe(quick.length);
  const ids = await runAllUntilMiddle();
  const begun = quickOnes.flatMap(([type, workflow, text]) =>
    [1, 2].map(async () => [type, await begin(workflow, { text }).catch(() => null)] as const),
  );
  // In the middle of them.
  await Promise.race(begun);
  await weft.kill9();
  const known = await Promise.all(begun);
  egress.isOpen = true;
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' } });
  call = await weft.login();
  const wrong: string[] = [];
  for (const [type, { after = { status: 'completed' } }, id] of ids) {
    const { status, error, output, nodes } = after.status === 'waiting' ? await shown(id) : await ended(id);
    const attempt = nodes.find(({ node_id }) => node_id === 'n')?.attempt;
    if (
      status !== after.status ||
      (after.error !== undefined && error?.type !== after.error) ||
      (after.output !== undefined && JSON.stringify(output) !== JSON.stringify(after.output)) ||
      (after.attempt !== undefined && attempt !== after.attempt)
    )
      wrong.push(`${type}: ${status}, attempt ${attempt}, ${JSON.stringify(error ?? output)}`);
  }
  let acknowledged = 0;
  for (const [type, id] of known) {
    // Not acknowledged: it may exist or not.
    if (id === null) continue;
    acknowledged++;
    const { status, error } = await ended(id);
    if (status !== 'completed') wrong.push(`${type}: ${status} ${JSON.stringify(error)}`);
  }
  expect(wrong).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
});
