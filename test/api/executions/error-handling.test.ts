import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connectSocket,
  endSocketClients,
  type SocketClient,
} from '../../support/websocket/websocket-client.ts';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
  waitUntil,
  type Call,
} from '../../support/service.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { manual, mapNode } from '../definitions.ts';

type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string; node_id: string; attempt: number } | null;
  trigger: Record<string, unknown>;
  nodes: { node_id: string; path: string; status: string; attempt: number }[];
};
type Node = { id: string; type: string; config: object };
type Edge = { from: string; to: string; sourcePort?: string };

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let socket: SocketClient;
let upstream: Upstream;
/** By path: how many calls fail (with which status) before one succeeds. */
const failures = new Map<string, { left: number; status: number }>();
let paths = 0;

beforeAll(async () => {
  upstream = await startUpstream(({ path }) => {
    const plan = failures.get(path);
    if (plan === undefined || plan.left === 0) return { body: { ok: true } };
    plan.left--;
    return { status: plan.status };
  });
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  socket = await connectSocket(weft.url);
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  await socket.auth((login.body as { token: string }).token);
});
afterAll(async () => {
  endSocketClients();
  await weft.stop();
  await upstream.close();
  folder.remove();
});

/** An address that answers `left` times with `status`, then well. */
function failing(left: number, status = 500): { url: string; calls(): number } {
  const path = `/${paths++}`;
  failures.set(path, { left, status });
  return {
    url: `${upstream.url}${path}`,
    calls: () => upstream.received.filter((received) => received.path === path).length,
  };
}
const request = (id: string, url: string, config: object = {}): Node => ({
  id,
  type: 'http_request',
  config: { method: 'GET', url, ...config },
});
const handler = (...strategies: object[]): Node => ({
  id: 'handler',
  type: 'error_handler',
  config: { strategies },
});
const retry = (config: object = {}): object => ({
  errorType: '*',
  action: 'retry',
  delay: '10ms',
  backoffStrategy: 'fixed',
  ...config,
});
const toHandler = (from = 'call'): Edge => ({ from, sourcePort: 'error', to: 'handler' });

async function save(call: Call, nodes: Node[], edges: Edge[]): Promise<string> {
  const made = await call('POST', '/workflows', {
    body: { name: 'x', definition: { nodes: [manual, ...nodes], connections: edges } },
  });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
async function run(nodes: Node[], edges: Edge[], input: object = {}): Promise<Execution> {
  const id = await save(api, nodes, edges);
  const response = await api('POST', `/workflows/${id}/execute`, { body: { input, wait: '20s' } });
  expect(response.status, response.text).toBe(201);
  return (await api('GET', `/executions/${(response.body as Execution).id}`)).body as Execution;
}
const findNode = ({ nodes }: Execution, id: string) => nodes.find(({ node_id }) => node_id === id);
const start: Edge = { from: 'start', to: 'call' };
const after: Edge = { from: 'call', to: 'after' };

describe('retry', () => {
  test('runs the failed node again; the flow continues with its output', async () => {
    const target = failing(2);
    const execution = await run(
      [request('call', target.url), mapNode('after', 'body.ok', 'went'), handler(retry())],
      [start, after, toHandler()],
    );
    expect(execution).toMatchObject({ status: 'completed', output: { went: true } });
    expect(target.calls()).toBe(3);
    expect(findNode(execution, 'call')).toMatchObject({ status: 'completed', attempt: 3 });
    expect(findNode(execution, 'handler')).toMatchObject({ status: 'skipped' });
  });

  test('when its retries are exhausted the next strategy applies; without one the error is unchanged', async () => {
    const first = failing(10);
    const goneOn = await run(
      [
        request('call', first.url),
        handler(retry({ maxRetries: 2 }), { errorType: 'server_error', action: 'continue' }),
      ],
      [start, toHandler()],
    );
    expect(goneOn).toMatchObject({
      status: 'completed',
      output: { type: 'server_error', node_id: 'call', attempt: 3, status: 500 },
    });
    expect(first.calls()).toBe(3);
    const second = failing(10);
    const failed = await run(
      [request('call', second.url), handler(retry({ maxRetries: 1 }))],
      [start, toHandler()],
    );
    expect(failed).toMatchObject({
      status: 'failed',
      error: { type: 'server_error', node_id: 'call', attempt: 2, status: 500 },
    });
    expect(second.calls()).toBe(2);
  });

  test('two strategies count for themselves, and the own policy of the node comes first', async () => {
    const target = failing(100);
    const retryPolicy = { maxAttempts: 2, initialDelay: '5ms' };
    const execution = await run(
      [
        request('call', target.url, { retryPolicy }),
        handler(
          retry({ errorType: 'server_error', maxRetries: 2 }),
          retry({ errorType: 'timeout', maxRetries: 50 }),
          retry({ maxRetries: 1 }),
          { errorType: '*', action: 'fail' },
        ),
      ],
      [start, toHandler()],
    );
    expect(execution.error).toMatchObject({ node_id: 'call', attempt: 5 });
    expect(target.calls()).toBe(5);
  });

  test('only the type that it names; a strategy before it decides', async () => {
    const target = failing(10, 404);
    const other = await run(
      [
        request('call', target.url),
        handler(retry({ errorType: 'timeout' }), { errorType: '*', action: 'continue' }, retry()),
      ],
      [start, toHandler()],
    );
    expect(other).toMatchObject({ status: 'completed', output: { type: 'client_error', attempt: 1 } });
    expect(target.calls()).toBe(1);
  });

  test('an error that comes by way of another node cannot be retried', async () => {
    const target = failing(10);
    const execution = await run(
      [
        request('call', target.url),
        { id: 'pause', type: 'delay', config: { duration: '1ms' } },
        handler(retry(), { errorType: '*', action: 'continue' }),
      ],
      [start, { from: 'call', sourcePort: 'error', to: 'pause' }, { from: 'pause', to: 'handler' }],
    );
    expect(execution).toMatchObject({ status: 'completed', output: { type: 'server_error' } });
    expect(target.calls()).toBe(1);
  });

  test('a failure that cannot go better is not tried again', async () => {
    const child = await save(
      api,
      [{ id: 'no', type: 'stop', config: { outcome: 'failed', message: 'no' } }],
      [{ from: 'start', to: 'no' }],
    );
    const execution = await run(
      [
        { id: 'call', type: 'sub_workflow', config: { workflow_id: child } },
        handler(retry({ maxRetries: 100, delay: '1m' })),
      ],
      [start, toHandler()],
    );
    expect(execution).toMatchObject({ status: 'failed', error: { type: 'stopped', node_id: 'call' } });
  });

  test('its waits are shown, and a disabled handler has none', async () => {
    const target = failing(1);
    const id = await save(api, [request('call', target.url), handler(retry())], [start, toHandler()]);
    const response = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
    const logs = await api('GET', `/executions/${(response.body as Execution).id}/logs?node_id=call`);
    expect((logs.body as { logs: object[] }).logs).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringMatching(/^Attempt 1 failed: /),
        data: expect.objectContaining({ retried_by: 'handler/0' }),
      }),
    );
    const off = failing(1);
    const through = await run(
      [request('call', off.url), { ...handler(retry()), disabled: true } as Node],
      [start, toHandler()],
    );
    expect(through).toMatchObject({ status: 'completed', output: { type: 'server_error' } });
    expect(off.calls()).toBe(1);
  });
});

describe('the other actions', () => {
  test('fail keeps the type, the message and the place', async () => {
    const target = failing(1, 404);
    const execution = await run(
      [request('call', target.url), handler({ errorType: 'client_error', action: 'fail' })],
      [start, toHandler()],
    );
    expect(execution).toMatchObject({
      status: 'failed',
      error: { type: 'client_error', node_id: 'call', attempt: 1, status: 404 },
    });
    expect(findNode(execution, 'handler')).toMatchObject({ status: 'failed' });
  });

  test('no matching strategy fails as the node did', async () => {
    const target = failing(1, 404);
    const execution = await run(
      [request('call', target.url), handler({ errorType: 'timeout', action: 'continue' })],
      [start, toHandler()],
    );
    expect(execution).toMatchObject({ status: 'failed', error: { type: 'client_error', node_id: 'call' } });
  });

  test('notify sends a notification, then continues if a node is connected, and fails otherwise', async () => {
    const notify = { errorType: '*', action: 'notify', notificationChannel: 'orders' };
    const wentOn = await run(
      [request('call', failing(1).url), handler(notify), mapNode('after', 'type', 'was')],
      [start, toHandler(), { from: 'handler', to: 'after' }],
    );
    expect(wentOn).toMatchObject({ status: 'completed', output: { was: 'server_error' } });
    const notice = await socket.next(
      ({ type, data }) => type === 'notification' && String(data?.['message']).startsWith('call failed: '),
    );
    expect(notice.data).toMatchObject({ level: 'error' });
    const { logs } = (await api('GET', `/executions/${wentOn.id}/logs?node_id=handler`)).body as {
      logs: object[];
    };
    expect(logs).toContainEqual(
      expect.objectContaining({ level: 'error', data: expect.objectContaining({ channel: 'orders' }) }),
    );
    const failed = await run([request('call', failing(1).url), handler(notify)], [start, toHandler()]);
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'server_error', node_id: 'call' } });
  });

  test('escalate starts the other workflow with the error, once', async () => {
    const onCall = await save(api, [mapNode('took', 'message', 'why')], [{ from: 'start', to: 'took' }]);
    const escalate = { errorType: '*', action: 'escalate', escalationWorkflow: onCall };
    const failed = await run([request('call', failing(1, 404).url), handler(escalate)], [start, toHandler()]);
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'client_error', node_id: 'call' } });
    const wentOn = await run(
      [request('call', failing(1, 404).url), handler(escalate), mapNode('after', 'type', 'was')],
      [start, toHandler(), { from: 'handler', to: 'after' }],
    );
    expect(wentOn).toMatchObject({ status: 'completed', output: { was: 'client_error' } });
    const { executions } = (await api('GET', `/workflows/${onCall}/executions`)).body as {
      executions: Execution[];
    };
    expect(executions).toHaveLength(2);
    expect(executions[1]!.trigger).toMatchObject({ type: 'error', execution_id: failed.id, depth: 1 });
    const first = await waitUntil(
      async () => (await api('GET', `/executions/${executions[1]!.id}`)).body as Execution,
      ({ status }) => status === 'completed',
    );
    expect(first.output).toMatchObject({ why: failed.error!.message });
  });

  test('escalating to a missing workflow fails, and names the error', async () => {
    const escalate = {
      errorType: '*',
      action: 'escalate',
      escalationWorkflow: 'wf_00000000000000000000000000',
    };
    const failed = await run([request('call', failing(1).url), handler(escalate)], [start, toHandler()]);
    expect(failed).toMatchObject({
      status: 'failed',
      error: {
        type: 'validation',
        node_id: 'handler',
        message: expect.stringMatching(/There is no such workflow.*call failed: /),
      },
    });
  });

  test('workflows that escalate to each other end at the depth of 32', async () => {
    const definition = (escalationWorkflow: string) => ({
      nodes: [
        manual,
        { id: 'check', type: 'data_validator', config: { schema: { type: 'string' } } },
        handler({ errorType: '*', action: 'escalate', escalationWorkflow }),
      ],
      connections: [{ from: 'start', to: 'check' }, toHandler('check')],
    });
    const id = await save(api, [], []);
    await api('PUT', `/workflows/${id}`, { body: { definition: definition(id) } });
    await api('POST', `/workflows/${id}/execute`, { body: {} });
    const total = async () =>
      (await api('GET', `/workflows/${id}/executions?status=failed`)).body as {
        pagination: { total: number };
      };
    await waitUntil(total, ({ pagination }) => pagination.total >= 33, 20_000);
    expect((await total()).pagination.total).toBe(33);
  });

  test('several errors at once: all continue, unless one strategy fails the execution', async () => {
    const edges = [start, { from: 'start', to: 'other' }, toHandler(), toHandler('other')];
    const goOn = await run(
      [
        request('call', failing(1, 404).url),
        request('other', failing(1).url),
        handler({ errorType: '*', action: 'continue' }),
      ],
      edges,
    );
    expect(goOn.output).toMatchObject({ call: { type: 'client_error' }, other: { type: 'server_error' } });
    const failed = await run(
      [
        request('call', failing(1, 404).url),
        request('other', failing(1).url),
        handler({ errorType: 'client_error', action: 'continue' }),
      ],
      edges,
    );
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'server_error', node_id: 'other' } });
  });

  test('a value that is not an error is rejected', async () => {
    const failed = await run(
      [handler({ errorType: '*', action: 'continue' })],
      [{ from: 'start', to: 'handler' }],
    );
    expect(failed).toMatchObject({
      status: 'failed',
      error: { type: 'validation', node_id: 'handler', message: expect.stringContaining('error port') },
    });
  });
});

describe('in a body', () => {
  test('of parallel and while: it retries, and fails its branch', async () => {
    const target = failing(1);
    const branch = await run(
      [
        {
          id: 'both',
          type: 'parallel',
          config: {
            branches: [
              { name: 'a', nodes: ['call', 'handler'] },
              { name: 'b', nodes: ['b'] },
            ],
          },
        },
        request('call', target.url),
        handler(retry()),
        mapNode('b', 'x', 'y'),
      ],
      [{ from: 'start', to: 'both' }, toHandler()],
      { x: 1 },
    );
    expect(branch).toMatchObject({
      status: 'completed',
      output: { a: { status: 200 }, b: { y: 1 } },
    });
    expect(target.calls()).toBe(2);
    const loop = await run(
      [
        {
          id: 'loop',
          type: 'while',
          config: {
            condition: { field: 'ok', operator: 'not_exists' },
            nodes: ['call', 'handler'],
            maxIterations: 3,
          },
        },
        request('call', failing(10).url),
        handler(retry({ maxRetries: 1 })),
      ],
      [{ from: 'start', to: 'loop' }, toHandler()],
    );
    expect(loop).toMatchObject({
      status: 'failed',
      error: { type: 'server_error', node_id: 'call', attempt: 2 },
    });
  });

  test('of for_each: every round counts its own retries', async () => {
    const targets = [failing(1), failing(0), failing(5)];
    const execution = await run(
      [
        {
          id: 'each',
          type: 'for_each',
          config: { items: '{{ input.urls }}', nodes: ['call', 'handler'], concurrency: 3 },
        },
        request('call', '{{ item }}'),
        handler(retry({ maxRetries: 2 }), { errorType: '*', action: 'continue' }),
      ],
      [{ from: 'start', to: 'each' }, toHandler()],
      { urls: targets.map(({ url }) => url) },
    );
    expect(execution).toMatchObject({
      status: 'completed',
      output: { results: [{ status: 200 }, { status: 200 }, { type: 'server_error' }] },
    });
    expect(targets.map((target) => target.calls())).toEqual([2, 1, 3]);
  });
});

test.each([
  [{ action: 'retry' }, 'errorType'],
  [{ errorType: 'wrong', action: 'retry' }, 'errorType'],
  [{ errorType: '*', action: 'again' }, 'action'],
  [{ errorType: '*', action: 'retry', maxRetries: 101 }, 'maxRetries'],
  [{ errorType: '*', action: 'retry', backoffStrategy: 'random' }, 'backoffStrategy'],
  [{ errorType: '*', action: 'retry', delay: '2m' }, 'delay'],
  [{ errorType: '*', action: 'escalate' }, 'escalationWorkflow'],
  [{ errorType: '*', action: 'fail', maxRetries: 3 }, 'maxRetries'],
])('%j is an error of %s', async (strategy, field) => {
  const id = await save(api, [handler(strategy)], [{ from: 'start', to: 'handler' }]);
  const { issues } = (await api('GET', `/workflows/${id}`)).body as { issues: { field: string }[] };
  expect(issues.map((issue) => issue.field)).toContain(`config.strategies[0].${field}`);
});

test('kill -9 between retries: they are counted on', async () => {
  const data = createTempFolder();
  const target = failing(100);
  let service = await spawnService({ dataDir: data.path });
  try {
    let call = await service.login();
    const id = await save(
      call,
      [
        request('call', target.url),
        handler(retry({ maxRetries: 4, delay: '400ms' }), { errorType: '*', action: 'continue' }),
      ],
      [start, toHandler()],
    );
    const started = await call('POST', `/workflows/${id}/execute`, { body: {} });
    const { id: execution } = started.body as Execution;
    const read = async () => (await call('GET', `/executions/${execution}`)).body as Execution;
    for (const calls of [2, 4]) {
      await waitUntil(
        async () => ({ made: target.calls(), status: (await read()).status }),
        ({ made, status }) => made === calls && status === 'waiting',
        20_000,
      );
      await service.kill9();
      service = await spawnService({ dataDir: data.path });
      call = await service.login();
    }
    expect(await waitUntil(read, ({ status }) => status === 'completed', 20_000)).toMatchObject({
      output: { type: 'server_error', node_id: 'call', attempt: 5 },
    });
    expect(target.calls()).toBe(5);
  } finally {
    await service.kill9();
    data.remove();
  }
});
