import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendMcpRequest } from '../support/ai/mcp-request.ts';
import { completeWith, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  adminEmail,
  adminPassword,
  spawnService,
  createTempFolder,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { freePort } from '../support/servers/free-port.ts';

/*
 * Clients that call a tool, leave, and ask for the result while the service is killed.
 * TASKS=100 TASK_KILLS=20 TASK_SECONDS=600 is the long version.
 */
const TASKS = readNumber('TASKS', 30);
const KILLS = readNumber('TASK_KILLS', 4);
/** How long the tool takes. */
const SECONDS = readNumber('TASK_SECONDS', 10);
const POLL_MS = 500;
/** Of a client whose connection failed. */
const RECONNECT_MS = 100;

const random = createSeededRandom(chooseSeed('CRASH_SEED'));
const folder = createTempFolder();
let upstream: Upstream;
/** Clients reconnect to it after a restart. */
const port = await freePort();
let weft: SpawnedService;
let api: Call;
let token: string;

beforeAll(async () => {
  upstream = await startUpstream(({ body }) => ({ body: { doubled: (body as { n: number }).n * 2 } }));
  await start();
  await createToolWorkflows(api, [
    {
      name: 'report',
      trigger: { inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
      nodes: [
        {
          id: 'call',
          type: 'http_request',
          config: { method: 'POST', url: upstream.url, body: '{{ input }}' },
        },
        { id: 'wait', type: 'delay', config: { duration: `${SECONDS}s` } },
        completeWith({ doubled: '{{ nodes.call.body.doubled }}' }),
      ],
    },
  ]);
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});

async function start(): Promise<void> {
  weft = await spawnService({
    dataDir: folder.path,
    env: { PORT: String(port), WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  ({ token } = login.body as { token: string });
  api = await weft.login();
}

/** Throws a TypeError or a SyntaxError when the connection fails. */
const request = (method: string, params: Record<string, unknown>) =>
  sendMcpRequest(weft.url, { authorization: `Bearer ${token}` }, method, params);

let repeated = 0;
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
      repeated++;
      await sleep(RECONNECT_MS);
    }
  }
}

/** Calls the tool, and asks for the result of the task. */
async function work(n: number): Promise<unknown> {
  await sleep(random.int(2_000));
  const call = await persist(() =>
    request('tools/call', {
      name: 'report',
      arguments: { n },
      _meta: { 'weft/idempotencyKey': `call-${n}` },
    }),
  );
  expect(call['resultType']).toBe('task');
  const taskId = String(call['taskId']);
  for (;;) {
    const task = await persist(() => request('tasks/get', { taskId }));
    if (task['status'] !== 'working') return task;
    await sleep(POLL_MS);
  }
}

test('each call has one execution and one result', { timeout: (SECONDS + 120) * 1_000 }, async () => {
  const clients: ReturnType<typeof work>[] = [];
  let ended = 0;
  const begin = (): void => {
    for (let i = 0; i < TASKS; i++) {
      const client = work(clients.length);
      clients.push(client);
      client.then(
        () => ended++,
        () => {},
      );
    }
  };
  begin();
  for (let kills = 0; kills < KILLS; kills++) {
    // There is work for every kill, however long a start takes.
    if (ended === clients.length) begin();
    await sleep((SECONDS * 1_000) / (KILLS + 1) / 2 + random.int((SECONDS * 1_000) / (KILLS + 1)));
    await weft.kill9();
    await start();
  }
  for (const [n, task] of (await Promise.all(clients)).entries())
    expect(task).toMatchObject({
      status: 'completed',
      result: { structuredContent: { doubled: n * 2 } },
    });
  const { body } = await api('GET', '/executions?limit=1');
  expect((body as { pagination: { total: number } }).pagination.total).toBe(clients.length);
  const calls = upstream.received.length;
  console.log(
    `${clients.length} tasks, ${KILLS} kills, ${repeated} failed requests, ${calls} calls of the node`,
  );
  // A kill repeats at most the calls that were in flight, with the same key.
  const keys = new Set(upstream.received.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(clients.length);
  expect(calls).toBeLessThanOrEqual(clients.length + KILLS * TASKS);
});
