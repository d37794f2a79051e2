import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * A pack gets a secret and passes it on in each way that it has: in errors, in what it prints, in results,
 * choices and the state of a trigger. The secret must appear nowhere.
 */

const canary = `kAn-${randomBytes(12).toString('hex')}`;
const forms = [
  canary,
  Buffer.from(canary).toString('base64').slice(0, 20),
  Buffer.from(canary).toString('hex'),
];
const found = (text: string): string[] => forms.filter((form) => text.includes(form));

const source = `
const encodings = (text) => [text, Buffer.from(text).toString('base64'), Buffer.from(text).toString('hex')];
const read = (auth) => encodings(auth.secret_text).join(' ');
const fail = (auth) => {
  const error = new Error('The key ' + read(auth) + ' was refused');
  error.response = { status: 401, data: { sent: read(auth) } };
  throw error;
};
const field = (type, more) => ({ type, displayName: 'Mode', description: '', required: false, ...more });
const action = (name, run) => [name, {
  name, displayName: name, description: '', requireAuth: true, run,
  props: {
    one: field('DROPDOWN', { refreshers: [], options: async ({ auth }, { searchValue }) => searchValue === 'fail'
      ? fail(auth) : { options: [{ label: read(auth), value: read(auth) }] } }),
  },
}];
exports.leaky = {
  displayName: 'Leaky', description: '', auth: { type: 'SECRET_TEXT', required: true },
  getContextInfo: () => ({ version: '1' }),
  actions: () => Object.fromEntries([
    action('fail', async ({ auth }) => { console.log(read(auth)); console.error(read(auth)); fail(auth); }),
    action('crash', async ({ auth }) => { console.error(read(auth)); process.abort(); }),
    action('return', async ({ auth }) => ({ [auth.secret_text]: read(auth), list: encodings(auth.secret_text) })),
    action('wait', async () => { await new Promise((resolve) => setTimeout(resolve, 4000)); }),
  ]),
  triggers: () => ({
    poll: {
      name: 'poll', displayName: 'Poll', description: '', type: 'POLLING', props: {},
      onEnable: async ({ auth }) => fail(auth), onDisable: async () => {}, run: async () => [],
    },
  }),
};`;

const folder = createTempFolder();
let service: SpawnedService;
let call: Call;
let socket: SocketClient;
const executions: string[] = [];
const workflows: string[] = [];

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path, env: { WEFT_LOG_LEVEL: 'debug' } });
  call = await service.login();
  const archive = packFixture('demo', '1.0.0', { source }).toString('base64');
  const installed = await call('POST', '/packs', { body: { archive, name: 'leaky' } });
  expect(installed.status, installed.text).toBe(201);
  await call('PUT', '/secrets/CANARY', { body: { value: canary } });
  const made = await call('POST', '/api-keys', { body: { name: 'socket' } });
  socket = await connectSocket(service.url);
  await socket.auth((made.body as { key: string }).key);
});
afterAll(async () => {
  endSocketClients();
  await service?.kill9();
  folder.remove();
});

const authentication = { type: 'secret_text', secret: '{{ secrets.CANARY }}' };

async function save(nodes: object[], connections: object[], status: string): Promise<string> {
  const made = await call('POST', '/workflows', {
    body: { name: 'W', status, definition: { nodes, connections } },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  workflows.push(id);
  return id;
}

async function start(operation: string, body: object): Promise<string> {
  const node = { id: 'call', type: 'npm.leaky', config: { operation, authentication } };
  const id = await save([manual, node], [{ from: 'start', to: 'call' }], 'draft');
  const started = await call('POST', `/workflows/${id}/execute`, { body });
  expect(found(started.text)).toEqual([]);
  const execution = started.body as { id: string; status: string };
  executions.push(execution.id);
  return execution.status;
}

/** Command lines and environments of the service and all processes that it started. */
function readProcesses(pid: number): string {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'latin1');
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    read(`task/${task}/children`)
      .split(' ')
      .filter((text) => text !== ''),
  );
  return [read('cmdline'), read('environ'), ...children.map((child) => readProcesses(Number(child)))].join(
    '\n',
  );
}

test('an action that fails, and one that ends its process', async () => {
  expect(await start('fail', { wait: '20s' })).toBe('failed');
  expect(await start('crash', { wait: '20s' })).toBe('failed');
});

test('a trigger that fails', async () => {
  const config = { event: 'poll', authentication, interval: '1h' };
  const id = await save([{ id: 'found', type: 'npm.leaky.trigger', config }], [], 'active');
  const shown = await waitUntil(
    () => call('GET', `/workflows/${id}`),
    ({ body }) => (body as { triggers: { last_error: string | null }[] }).triggers[0]?.last_error != null,
  );
  expect(shown.text).toContain('The key');
  expect(found(shown.text)).toEqual([]);
});

test('choices, and an error of choices', async () => {
  for (const search of ['', 'fail']) {
    const body = { operation: 'fail', field: 'one', authentication, search };
    const listed = await call('POST', '/packs/leaky/choices', { body });
    expect([200, 400]).toContain(listed.status);
    expect(found(listed.text), listed.text).toEqual([]);
  }
});

test('no file and no printed line has it; outputs are stored whole, and redacted when they are read', async () => {
  // Before an action returns it, because outputs are data.
  expect(found(service.logs())).toEqual([]);
  let bytes = 0;
  for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder.path, name);
    if (!statSync(file).isFile()) continue;
    const text = readFileSync(file, 'latin1');
    bytes += text.length;
    expect([name, ...found(text)]).toEqual([name]);
  }
  expect(bytes).toBeGreaterThan(100_000);
  expect(await start('return', { wait: '20s' })).toBe('completed');
  await start('wait', {});
  await waitUntil(
    () => Promise.resolve(readProcesses(service.child.pid!)),
    (text) => text.includes('pack-process'),
  );
  expect(found(service.logs())).toEqual([]);
});

test('REST, GraphQL and the WebSocket show it nowhere', async () => {
  const pages = ['/executions?limit=100', '/workflows?limit=100', '/packs', '/packs/leaky', '/secrets'];
  for (const id of workflows) pages.push(`/workflows/${id}`);
  for (const id of executions)
    pages.push(`/executions/${id}`, `/executions/${id}/nodes`, `/executions/${id}/logs?limit=100`);
  for (const page of pages) {
    const { status, text } = await call('GET', page);
    expect([page, status, ...found(text)]).toEqual([page, 200]);
  }
  const query =
    '{ executions { executions { output error { message data } nodes { output error { message } } } } }';
  const listed = await call('POST', '/graphql', { body: { query } });
  expect(found(listed.text)).toEqual([]);
  expect(JSON.stringify(socket.messages)).toContain('execution_update');
  expect(found(JSON.stringify(socket.messages))).toEqual([]);
});
