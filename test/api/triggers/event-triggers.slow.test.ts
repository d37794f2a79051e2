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
import { manual, mapNode } from '../definitions.ts';

type Execution = {
  id: string;
  workflow_id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string } | null;
  trigger: Record<string, unknown>;
  parent_execution_id: string | null;
};
type Node = { id: string; type: string; config: object };

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let socket: SocketClient;
beforeAll(async () => {
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
  folder.remove();
});

async function save(
  call: Call,
  nodes: Node[],
  connections: object[] = [],
  more: object = {},
): Promise<string> {
  const made = await call('POST', '/workflows', {
    body: { name: 'x', definition: { nodes, connections }, ...more },
  });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
const on = (config: object): Node => ({ id: 'on', type: 'trigger', config });
const following = (workflow_id: string, config: object = {}): Node =>
  on({ triggerType: 'event', workflow_id, ...config });
const active = { status: 'active' };
/** An active workflow with this trigger that returns its input. */
const follower = (call: Call, trigger: Node, more: object = {}): Promise<string> =>
  save(call, [trigger], [], { ...active, ...more });
/** Maps `n` of its input; without one it fails. */
const source = (call: Call, more: object = {}): Promise<string> =>
  save(call, [manual, mapNode('out', 'n', 'n')], [{ from: 'start', to: 'out' }], {
    name: 'The source',
    ...more,
  });

async function run(call: Call, id: string, input: object = { n: 1 }): Promise<Execution> {
  const response = await call('POST', `/workflows/${id}/execute`, { body: { input, wait: '20s' } });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}
async function listExecutions(call: Call, id: string): Promise<Execution[]> {
  const { body } = await call('GET', `/workflows/${id}/executions?limit=100`);
  const { executions } = body as { executions: Execution[] };
  return Promise.all(
    executions.map(async (one) => (await call('GET', `/executions/${one.id}`)).body as Execution),
  );
}
const reach = (call: Call, id: string, count: number): Promise<Execution[]> =>
  waitUntil(
    () => listExecutions(call, id),
    (all) => all.length >= count && all.every(({ status }) => ['completed', 'failed'].includes(status)),
    20_000,
  );
/** Long enough for an unwanted start. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 150));

describe('event triggers', () => {
  test('start with the output, when the other one completes', async () => {
    const first = await source(api);
    const second = await follower(api, following(first));
    const ended = await run(api, first, { n: 7 });
    const [started] = await reach(api, second, 1);
    expect(started).toMatchObject({
      status: 'completed',
      output: { n: 7 },
      parent_execution_id: ended.id,
      trigger: { type: 'event', node_id: 'on', execution_id: ended.id, workflow_id: first, depth: 1 },
    });
    await run(api, first, {});
    await quiet();
    expect(await listExecutions(api, second)).toHaveLength(1);
    expect((await api('GET', `/workflows/${second}`)).body).toMatchObject({
      triggers: [{ node_id: 'on', type: 'event' }],
    });
  });

  test('on: failed starts with the error', async () => {
    const first = await source(api);
    const second = await follower(api, following(first, { on: 'failed' }));
    await run(api, first);
    const ended = await run(api, first, {});
    const [started, ...more] = await reach(api, second, 1);
    expect(more).toEqual([]);
    expect(started!.output).toMatchObject({
      type: 'validation',
      node_id: 'out',
      execution_id: ended.id,
      workflow_id: first,
      workflow_name: 'The source',
    });
  });

  test('only while they are active, and as configured in the live version', async () => {
    const [first, other] = [await source(api), await source(api)];
    const second = await follower(api, following(first));
    const put = async (body: object) => {
      const response = await api('PUT', `/workflows/${second}`, { body });
      expect(response.status, response.text).toBe(200);
    };
    await put({ status: 'inactive' });
    await run(api, first);
    await quiet();
    expect(await listExecutions(api, second)).toEqual([]);
    await put({ status: 'active' });
    await run(api, first);
    await reach(api, second, 1);
    await put({ definition: { nodes: [following(other)], connections: [] }, publish: false });
    await run(api, other);
    await run(api, first);
    await reach(api, second, 2);
    await put({ publish: true });
    await run(api, first);
    await run(api, other);
    await quiet();
    expect(await reach(api, second, 3)).toHaveLength(3);
    expect((await api('DELETE', `/workflows/${second}`)).status).toBe(200);
    expect(await run(api, other)).toMatchObject({ status: 'completed' });
  });

  test('chains continue; a workflow that triggers itself ends at depth 32', async () => {
    const first = await source(api);
    const second = await follower(api, following(first));
    const third = await follower(api, following(second));
    await run(api, first, { n: 3 });
    expect(await reach(api, third, 1)).toMatchObject([{ output: { n: 3 }, trigger: { depth: 2 } }]);

    const self = await save(api, [manual]);
    const nodes = [manual, following(self)];
    await api('PUT', `/workflows/${self}`, { body: { definition: { nodes, connections: [] }, ...active } });
    await run(api, self);
    const message = await socket.next(
      ({ type, data }) => type === 'notification' && String(data?.['message']).includes('32 deep'),
    );
    expect(message.data).toMatchObject({ level: 'error' });
    expect(await listExecutions(api, self)).toHaveLength(33);
  });

  test('a stopped execution starts nothing', async () => {
    const first = await save(
      api,
      [manual, { id: 'wait', type: 'delay', config: { duration: '1h' } }],
      [{ from: 'start', to: 'wait' }],
    );
    const all = [
      await follower(api, following(first)),
      await follower(api, following(first, { on: 'failed' })),
      await follower(api, on({ triggerType: 'error', workflow_id: first })),
    ];
    const { id } = (await api('POST', `/workflows/${first}/execute`, { body: {} })).body as Execution;
    expect((await api('POST', `/executions/${id}/stop`)).status).toBe(200);
    await quiet();
    for (const one of all) expect(await listExecutions(api, one)).toEqual([]);
  });
});

describe('errors', () => {
  test('an error trigger runs for every failure except those of error executions, so it cannot loop', async () => {
    const email = 'errors@example.com';
    const password = 'a password of twenty';
    await api('POST', '/users', { body: { email, password } });
    const login = await weft.call('POST', '/auth/login', { body: { email, password } });
    const headers = { authorization: `Bearer ${(login.body as { token: string }).token}` };
    const mine: Call = (method, path, options = {}) => weft.call(method, path, { ...options, headers });
    const broken = await save(
      mine,
      [on({ triggerType: 'error' }), mapNode('out', 'nowhere.to.be.found', 'x')],
      [{ from: 'on', to: 'out' }],
      active,
    );
    const first = await source(mine);
    const failed = await run(mine, first, {});
    expect(await reach(mine, broken, 1)).toMatchObject([
      { status: 'failed', trigger: { type: 'error', execution_id: failed.id } },
    ]);
    // A failure does not trigger workflows of other owners.
    await run(api, await source(api), {});
    await quiet();
    expect(await listExecutions(mine, broken)).toHaveLength(1);
    // Another owner's workflow is none.
    const foreign = await source(api);
    const spy = { nodes: [on({ triggerType: 'error', workflow_id: foreign })] };
    const spied = await mine('POST', '/workflows', { body: { name: 'x', definition: spy, ...active } });
    expect([spied.status, spied.body]).toMatchObject([
      400,
      { error: { code: 'VALIDATION_ERROR', details: { field: 'definition.nodes[0].config.workflow_id' } } },
    ]);
    const settings = { on_failure_workflow: foreign };
    const refused = await mine('POST', '/workflows', { body: { name: 'x', settings } });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { code: 'VALIDATION_ERROR', details: { field: 'settings.on_failure_workflow' } } },
    ]);
  });

  test('a workflow that names a deleted workflow can be saved unchanged; a new such name is rejected', async () => {
    const made = async (body: object): Promise<string> =>
      ((await api('POST', '/workflows', { body: { name: 'x', ...body } })).body as { id: string }).id;
    const gone = await made({});
    const id = await made({ settings: { on_failure_workflow: gone } });
    await api('DELETE', `/workflows/${gone}`);
    const { body } = await api('GET', `/workflows/${id}`);
    expect((await api('PUT', `/workflows/${id}`, { body })).status).toBe(200);
    const other = { settings: { on_failure_workflow: 'wf_nothing' } };
    expect((await api('PUT', `/workflows/${id}`, { body: other })).status).toBe(400);
  });

  test('a node that names a deleted workflow or secret can be saved unchanged, but not created', async () => {
    const gone = await source(api);
    await api('PUT', '/secrets/GONE', { body: { value: 'a value of some length' } });
    const nodes = [
      manual,
      { id: 'sub', type: 'sub_workflow', config: { workflow_id: gone } },
      {
        id: 'call',
        type: 'http_request',
        config: { url: 'http://127.0.0.1:9/', headers: { 'x-key': '{{ secrets.GONE }}' } },
      },
    ];
    const connections = [
      { from: 'start', to: 'sub' },
      { from: 'sub', to: 'call' },
    ];
    const id = await save(api, nodes, connections, active);
    await api('DELETE', `/workflows/${gone}`);
    await api('DELETE', '/secrets/GONE');
    const { body } = await api('GET', `/workflows/${id}`);
    const issues = [
      { node_id: 'sub', field: 'config.workflow_id', issue: expect.stringContaining(gone) },
      { node_id: 'call', field: 'config.headers.x-key', issue: expect.stringContaining('GONE') },
    ];
    expect((body as { issues: object[] }).issues).toEqual(expect.arrayContaining(issues));
    const again = await api('PUT', `/workflows/${id}`, { body: { ...(body as object), name: 'renamed' } });
    expect([again.status, (again.body as { name: string }).name]).toEqual([200, 'renamed']);
    const definition = { nodes, connections };
    const fresh = await api('POST', '/workflows', { body: { name: 'y', definition, ...active } });
    expect(fresh.status).toBe(400);
    expect((await api('POST', '/workflows', { body: { name: 'y', definition } })).status).toBe(201);
  });

  test('on_failure_workflow starts by its error trigger, else by hand, whatever the status', async () => {
    const byTrigger = await save(
      api,
      [manual, on({ triggerType: 'error', workflow_id: 'wf_none' }), mapNode('out', 'message', 'why')],
      [{ from: 'on', to: 'out' }],
    );
    const byHand = await save(
      api,
      [manual, mapNode('out', 'workflow_name', 'who')],
      [{ from: 'start', to: 'out' }],
    );
    for (const [target, node_id, output] of [
      [byTrigger, 'on', { why: expect.any(String) }],
      [byHand, 'start', { who: 'The source' }],
    ] as const) {
      const first = await source(api, { settings: { on_failure_workflow: target } });
      expect((await api('GET', `/workflows/${first}`)).body).toMatchObject({
        settings: { on_failure_workflow: target },
      });
      const failed = await run(api, first, {});
      expect(await reach(api, target, 1)).toMatchObject([
        { output, trigger: { type: 'error', node_id, execution_id: failed.id, workflow_id: first } },
      ]);
      await run(api, first);
      await quiet();
      expect(await listExecutions(api, target)).toHaveLength(1);
    }
  });

  test('the owner is notified of a workflow that cannot start, and others are not affected', async () => {
    const target = await source(api);
    const first = await source(api, { name: 'Without a handler', settings: { on_failure_workflow: target } });
    expect((await api('DELETE', `/workflows/${target}`)).status).toBe(200);
    expect(await run(api, first, {})).toMatchObject({ status: 'failed' });
    const message = await socket.next(
      ({ type, data }) =>
        type === 'notification' &&
        String(data?.['message']).startsWith('The on_failure_workflow of the workflow "Without a handler"'),
    );
    expect(message.data).toMatchObject({ level: 'error', message: expect.stringContaining(target) });
  });
});

describe('what a stopped branch waits for', () => {
  test('is stopped with it', async () => {
    const child = await save(
      api,
      [manual, { id: 'wait', type: 'delay', config: { duration: '1h' } }],
      [{ from: 'start', to: 'wait' }],
    );
    const branches = [
      { name: 'slow', nodes: ['sub'] },
      { name: 'fast', nodes: ['pause'] },
    ];
    const parent = await save(
      api,
      [
        manual,
        { id: 'race', type: 'parallel', config: { branches, waitForAll: false } },
        { id: 'sub', type: 'sub_workflow', config: { workflow_id: child } },
        { id: 'pause', type: 'delay', config: { duration: '150ms' } },
      ],
      [{ from: 'start', to: 'race' }],
    );
    expect(await run(api, parent)).toMatchObject({ status: 'completed' });
    await waitUntil(
      () => listExecutions(api, child),
      (all) => all.length === 1 && all[0]!.status === 'stopped',
      10_000,
    );
  });
});

test('kill -9 between an end and what follows: each follower starts exactly once', async () => {
  const data = createTempFolder();
  let service = await spawnService({ dataDir: data.path });
  try {
    let call = await service.login();
    const first = await source(call);
    const second = await follower(call, following(first));
    const ended = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const inFlight = Array.from({ length: 30 }, () =>
        call('POST', `/workflows/${first}/execute`, { body: { input: { n: 1 } } }).then(
          ({ body }) => (body as Execution).id,
          () => null,
        ),
      );
      await Promise.race(inFlight);
      await service.kill9();
      await Promise.all(inFlight);
      service = await spawnService({ dataDir: data.path });
      call = await service.login();
    }
    const completed = async () => {
      const all: string[] = [];
      for (let page = 1; ; page++) {
        const { body } = await call(
          'GET',
          `/workflows/${first}/executions?limit=100&page=${page}&status=completed`,
        );
        const { executions } = body as { executions: Execution[] };
        all.push(...executions.map(({ id }) => id));
        if (executions.length < 100) return all;
      }
    };
    const unsettled = async () =>
      ((await call('GET', `/workflows/${first}/executions?limit=100`)).body as { executions: Execution[] })
        .executions;
    await waitUntil(unsettled, (all) => all.every(({ status }) => status === 'completed'), 20_000);
    for (const id of await completed()) ended.add(id);
    expect(ended.size).toBeGreaterThan(0);
    const followed = async () =>
      (
        (await call('GET', `/workflows/${second}/executions?limit=100`)).body as { executions: Execution[] }
      ).executions.map(({ trigger }) => trigger['execution_id']);
    await waitUntil(followed, (all) => all.length >= ended.size, 20_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const all = await followed();
    expect(all).toHaveLength(ended.size);
    expect(new Set(all)).toEqual(new Set(ended));
  } finally {
    await service.kill9();
    data.remove();
  }
});
