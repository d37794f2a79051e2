import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectEarlierClient,
  readEarlierResult,
  startEarlierTask,
} from '../support/ai/earlier-mcp-client.ts';
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
 * Clients of both versions of tasks that call a tool, leave, and ask for the result while the service is
 * killed.
 * TASKS=100 TASK_KILLS=20 TASK_SECONDS=600 is the long version.
 */
/** Of each version. */
const TASKS = readNumber('TASKS', 15);
const KILLS = readNumber('TASK_KILLS', 4);
/** How long the tool takes. */
const SECONDS = readNumber('TASK_SECONDS', 10);
const POLL_MS = Math.max(500, SECONDS * 10);
/** How long a client of the earlier version waits for the result: 60 s in the long version. */
const GIVE_UP_MS = SECONDS * 100;
/** Of a client whose connection failed. Many clients must not prevent the start. */
const RECONNECT_MS = 50 + 10 * TASKS;

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
let givenUp = 0;
const isTimeout = (error: unknown): boolean =>
  error instanceof McpError && (error.code as ErrorCode) === ErrorCode.RequestTimeout;

/** Also a request that the service refused because this process was too slow to send it. */
const isLost = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof SyntaxError ||
  (error instanceof Error && error.message.includes('did not arrive in time'));

/** Repeats a request that gets no response: its connection failed, or the client gave up. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isTimeout(error)) givenUp++;
      else if (isLost(error)) repeated++;
      else throw error;
      await sleep(RECONNECT_MS);
    }
  }
}

/** Calls the tool, and asks for the state of the task until it has a result. */
async function work(n: number): Promise<unknown> {
  const call = await persist(() =>
    request('tools/call', {
      name: 'report',
      arguments: { n },
      _meta: { 'weft/idempotencyKey': `call-${n}` },
    }),
  );
  // A call that was repeated after the execution had ended.
  if (call['resultType'] === 'complete') return call;
  expect(call['resultType']).toBe('task');
  const taskId = String(call['taskId']);
  for (;;) {
    const task = await persist(() => request('tasks/get', { taskId }));
    if (task['status'] !== 'working') return task['result'];
    await sleep(POLL_MS);
  }
}

/** The same in the version 2025-11-25: waits for the result, gives up, connects and waits again. */
async function workEarlier(n: number): Promise<unknown> {
  const connected = <T>(ask: (client: Client) => Promise<T>): Promise<T> =>
    persist(async () => {
      const client = await connectEarlierClient(weft.url, { authorization: `Bearer ${token}` });
      try {
        return await ask(client);
      } finally {
        await client.close();
      }
    });
  const id = await connected((client) =>
    startEarlierTask(client, 'report', { n }, { 'weft/idempotencyKey': `call-${n}` }),
  );
  const result = await connected((client) => readEarlierResult(client, id, GIVE_UP_MS));
  const task = await connected((client) => client.experimental.tasks.getTask(id));
  expect(task.status).toBe('completed');
  return result;
}

test(
  'each call has one execution and one result',
  { timeout: (SECONDS + 120 + KILLS * 20) * 1_000 },
  async () => {
    const clients: ReturnType<typeof work>[] = [];
    let ended = 0;
    const begin = (): void => {
      for (let i = 0; i < 2 * TASKS; i++) {
        const n = clients.length;
        const client = sleep(random.int(2_000)).then(() => (n % 2 === 0 ? work(n) : workEarlier(n)));
        clients.push(client);
        client.then(
          () => ended++,
          () => {},
        );
      }
    };
    begin();
    const beganAt = performance.now();
    for (let kills = 0; kills < KILLS; kills++) {
      // There is work for every kill, however long a start takes.
      if (ended === clients.length) begin();
      const at = beganAt + ((kills + random.next()) * SECONDS * 1_000) / KILLS;
      await sleep(Math.max(0, at - performance.now()));
      await weft.kill9();
      await start();
    }
    for (const [n, result] of (await Promise.all(clients)).entries())
      expect(result).toMatchObject({ structuredContent: { doubled: n * 2 } });
    const { body } = await api('GET', '/executions?limit=1');
    expect((body as { pagination: { total: number } }).pagination.total).toBe(clients.length);
    const calls = upstream.received.length;
    console.log(
      `${clients.length} tasks, half of each version, ${KILLS} kills, ${repeated} failed requests, ` +
        `${givenUp} given up, ${calls} calls of the node`,
    );
    // A kill repeats at most the calls that were in flight, with the same key.
    const keys = new Set(upstream.received.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(clients.length);
    expect(calls).toBeLessThanOrEqual(clients.length + KILLS * 2 * TASKS);
    expect(repeated + givenUp).toBeGreaterThan(0);
  },
);
