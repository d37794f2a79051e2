import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  createTempFolder,
  waitUntil,
  type ApiResponse,
  type Call,
} from '../../support/service.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { manual, mapNode } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});

type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string; node_id: string } | null;
  [field: string]: unknown;
};
type Node = { id: string; type: string; config: object };

async function save(call: Call, nodes: Node[], connections: object[]): Promise<string> {
  const made = await call('POST', '/workflows', {
    body: { name: 'x', definition: { nodes: [manual, ...nodes], connections } },
  });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
async function start(call: Call, id: string, body: object = {}): Promise<Execution> {
  const response = await call('POST', `/workflows/${id}/execute`, { body });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}
const get = async (call: Call, id: string): Promise<Execution> =>
  (await call('GET', `/executions/${id}`)).body as Execution;
const reach = (call: Call, id: string, ...statuses: string[]): Promise<Execution> =>
  waitUntil(
    () => get(call, id),
    ({ status }) => statuses.includes(status),
    20_000,
  );
const readErrorCode = (response: ApiResponse): unknown[] => [
  response.status,
  (response.body as { error: { code: string } }).error.code,
];
/** The path below the base address that the log names. */
async function findResumePath(call: Call, id: string, nodeId = 'wait'): Promise<string> {
  const logs = await call('GET', `/executions/${id}/logs?node_id=${nodeId}&limit=100`);
  const { logs: entries } = logs.body as { logs: { data: { resume_url?: string } }[] };
  const url = entries.map(({ data }) => data.resume_url).find((one) => one !== undefined) ?? '';
  return new URL(url).pathname.replace('/v1', '');
}
const waitNode = (id = 'wait', config: object = {}): Node => ({ id, type: 'wait_for_event', config });

describe('wait_for_event', () => {
  const nodes = [waitNode(), mapNode('after', 'approved', 'answer')];
  const connections = [
    { from: 'start', to: 'wait' },
    { from: 'wait', to: 'after' },
  ];

  test('resumes once, with the body that is posted to its URL', async () => {
    const { id } = await start(api, await save(api, nodes, connections));
    await reach(api, id, 'waiting');
    const address = await findResumePath(api, id);
    const posted = await weft.call('POST', address, { body: { approved: 'yes' } });
    expect(posted.headers.get('content-security-policy')).toBe('sandbox');
    expect([posted.status, posted.body]).toEqual([200, { execution_id: id }]);
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { answer: 'yes' } });
    expect(readErrorCode(await weft.call('POST', address, { body: {} }))).toEqual([400, 'CONFLICT']);
  });

  test('twenty posts at once: one counts', async () => {
    const { id } = await start(api, await save(api, nodes, connections));
    await reach(api, id, 'waiting');
    const address = await findResumePath(api, id);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => weft.call('POST', address, { body: { approved: i } })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const won = responses.findIndex(({ status }) => status === 200);
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { answer: won } });
  });

  test('execution.resume_url is for whichever node waits', async () => {
    const tell: Node = {
      id: 'tell',
      type: 'http_request',
      config: { method: 'POST', url: upstream.url, body: { url: '{{ execution.resume_url }}' } },
    };
    const workflow = await save(
      api,
      [tell, ...nodes],
      [
        { from: 'start', to: 'tell' },
        { from: 'tell', to: 'wait' },
        { from: 'wait', to: 'after' },
      ],
    );
    const { id } = await start(api, workflow);
    await reach(api, id, 'waiting');
    const { url } = upstream.received.at(-1)!.body as { url: string };
    const where = new URL(url).pathname.replace('/v1', '');
    expect((await weft.call('POST', where, { body: { approved: 1 } })).status).toBe(200);
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { answer: 1 } });
  });

  test('when nothing comes it fails with timeout, or goes out by its error port', async () => {
    const workflow = await save(
      api,
      [waitNode('wait', { timeout: '80ms' })],
      [{ from: 'start', to: 'wait' }],
    );
    const { id } = await start(api, workflow);
    expect(await reach(api, id, 'failed')).toMatchObject({ error: { type: 'timeout', node_id: 'wait' } });
  });

  test('a stopped execution cannot be resumed; an unknown URL is not found', async () => {
    const { id } = await start(api, await save(api, nodes, connections));
    await reach(api, id, 'waiting');
    const address = await findResumePath(api, id);
    expect((await api('POST', `/executions/${id}/stop`)).status).toBe(200);
    expect(readErrorCode(await weft.call('POST', address, { body: {} }))).toEqual([400, 'CONFLICT']);
    for (const token of ['x', 'a.b', `${address.split('/').at(-1)!.slice(0, -3)}AAA`, 'a'.repeat(5_000)])
      expect(readErrorCode(await weft.call('POST', `/resume/${token}`, { body: {} }))).toEqual([
        404,
        'NOT_FOUND',
      ]);
  });

  test('in a loop each round has an address of its own', async () => {
    const each: Node = {
      id: 'each',
      type: 'for_each',
      config: { items: ['a', 'b'], nodes: ['wait'], concurrency: 2 },
    };
    const { id } = await start(api, await save(api, [each, waitNode()], [{ from: 'start', to: 'each' }]));
    await reach(api, id, 'waiting');
    const { logs } = (await api('GET', `/executions/${id}/logs?node_id=wait&limit=100`)).body as {
      logs: { data: { resume_url?: string; path?: string } }[];
    };
    const urls = logs.flatMap(({ data }) => data.resume_url ?? []);
    expect(new Set(urls).size).toBe(2);
    for (const [i, url] of urls.entries())
      expect((await weft.call('POST', new URL(url).pathname.replace('/v1', ''), { body: i })).status).toBe(
        200,
      );
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { results: [0, 1] } });
  });
});

test('posts to many rounds at once: none is lost', async () => {
  const rounds = 40;
  const items = Array.from({ length: rounds }, (_, i) => i);
  const each: Node = {
    id: 'each',
    type: 'for_each',
    config: { items, nodes: ['wait'], concurrency: rounds },
  };
  const { id } = await start(api, await save(api, [each, waitNode()], [{ from: 'start', to: 'each' }]));
  await reach(api, id, 'waiting');
  const { logs } = (await api('GET', `/executions/${id}/logs?node_id=wait&limit=100`)).body as {
    logs: { data: { resume_url?: string } }[];
  };
  const addresses = logs.flatMap(({ data }) => data.resume_url ?? []).map((url) => new URL(url).pathname);
  expect(addresses).toHaveLength(rounds);
  const responses = await Promise.all(
    addresses.map((address, i) => weft.call('POST', address.replace('/v1', ''), { body: i })),
  );
  expect(responses.map(({ status }) => status)).toEqual(items.map(() => 200));
  // The order in which iterations wait, and so the owner of each URL, is undefined.
  const { output } = (await reach(api, id, 'completed')) as { output: { results: number[] } };
  expect(output.results.toSorted((a, b) => a - b)).toEqual(items);
});

describe('sub_workflow', () => {
  const sub = (workflow_id: string, config: object = {}): Node => ({
    id: 'sub',
    type: 'sub_workflow',
    config: { workflow_id, ...config },
  });
  const connections = [{ from: 'start', to: 'sub' }];

  test('resumes with the output of the other execution', async () => {
    const child = await save(
      api,
      [mapNode('greet', 'name', 'text', 'Dear {{ value }}')],
      [{ from: 'start', to: 'greet' }],
    );
    const parent = await save(
      api,
      [sub(child, { input: { name: '{{ input.who }}' } }), mapNode('after', 'text', 'said')],
      [...connections, { from: 'sub', to: 'after' }],
    );
    const { id } = await start(api, parent, { input: { who: 'Ada' } });
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { said: 'Dear Ada' } });
    const list = await api('GET', `/workflows/${child}/executions`);
    expect((list.body as { executions: object[] }).executions).toMatchObject([
      { parent_execution_id: id, trigger: { type: 'sub_workflow', execution_id: id }, status: 'completed' },
    ]);
  });

  test('waits for a waiting execution; without wait it continues immediately', async () => {
    const child = await save(
      api,
      [{ id: 'wait', type: 'delay', config: { duration: '150ms' } }],
      [{ from: 'start', to: 'wait' }],
    );
    const { id } = await start(api, await save(api, [sub(child)], connections), { input: { a: 1 } });
    expect(await reach(api, id, 'completed')).toMatchObject({ output: { a: 1 } });
    const free = await start(api, await save(api, [sub(child, { wait: false })], connections), {
      wait: '30s',
    });
    expect(free).toMatchObject({
      status: 'completed',
      output: { execution_id: expect.stringMatching(/^ex_/) },
    });
  });

  test('its failure fails the node, and names what failed', async () => {
    const child = await save(
      api,
      [{ id: 'no', type: 'stop', config: { outcome: 'failed', message: 'no stock' } }],
      [{ from: 'start', to: 'no' }],
    );
    const { id } = await start(api, await save(api, [sub(child)], connections));
    expect(await reach(api, id, 'failed')).toMatchObject({
      error: { type: 'stopped', node_id: 'sub', message: expect.stringContaining('no stock') },
    });
  });

  test('stopping it stops the other one', async () => {
    const child = await save(
      api,
      [{ id: 'wait', type: 'delay', config: { duration: '1h' } }],
      [{ from: 'start', to: 'wait' }],
    );
    const { id } = await start(api, await save(api, [sub(child)], connections));
    const one = await waitUntil(
      async () =>
        ((await api('GET', `/workflows/${child}/executions`)).body as { executions: Execution[] })
          .executions[0],
      (found) => found?.status === 'waiting',
    );
    await reach(api, id, 'waiting');
    await api('POST', `/executions/${id}/stop`);
    await reach(api, one!.id, 'stopped');
  });

  test('stopping the other one fails it', async () => {
    const child = await save(
      api,
      [{ id: 'wait', type: 'delay', config: { duration: '1h' } }],
      [{ from: 'start', to: 'wait' }],
    );
    const { id } = await start(api, await save(api, [sub(child)], connections));
    const one = await waitUntil(
      async () =>
        ((await api('GET', `/workflows/${child}/executions`)).body as { executions: Execution[] })
          .executions[0],
      (found) => found?.status === 'waiting',
    );
    await api('POST', `/executions/${one!.id}/stop`);
    expect(await reach(api, id, 'failed')).toMatchObject({ error: { type: 'stopped', node_id: 'sub' } });
  });

  test('a workflow that starts itself ends at the depth of 32', async () => {
    const workflow = await save(api, [], []);
    const definition = { nodes: [manual, sub(workflow)], connections };
    expect((await api('PUT', `/workflows/${workflow}`, { body: { definition } })).status).toBe(200);
    const { id } = await start(api, workflow);
    expect(await reach(api, id, 'failed')).toMatchObject({ error: { type: 'limit' } });
    const { body } = await api('GET', `/workflows/${workflow}/executions?limit=100`);
    expect((body as { pagination: { total: number } }).pagination.total).toBe(33);
  });

  test("another owner's workflow is none", async () => {
    const email = 'sub@example.com';
    const password = 'a password of twenty';
    await api('POST', '/users', { body: { email, password } });
    const login = await weft.call('POST', '/auth/login', { body: { email, password } });
    const headers = { authorization: `Bearer ${(login.body as { token: string }).token}` };
    const theirs: Call = (method, path, options = {}) => weft.call(method, path, { ...options, headers });
    const child = await save(theirs, [], []);
    const { id } = await start(api, await save(api, [sub(child)], connections));
    const foreign = await reach(api, id, 'failed');
    const absent = await start(api, await save(api, [sub('wf_00000000000000000000000000')], connections));
    const missing = await reach(api, absent.id, 'failed');
    expect(foreign.error!.message.replace(child, '…')).toBe(
      missing.error!.message.replace('wf_00000000000000000000000000', '…'),
    );
  });
});

test('kill -9 while both wait: the post and the end are still found', async () => {
  const data = createTempFolder();
  let service = await spawnService({ dataDir: data.path });
  try {
    let call = await service.login();
    const child = await save(call, [waitNode()], [{ from: 'start', to: 'wait' }]);
    const parent = await save(
      call,
      [{ id: 'sub', type: 'sub_workflow', config: { workflow_id: child } }],
      [{ from: 'start', to: 'sub' }],
    );
    const { id } = await start(call, parent);
    const one = await waitUntil(
      async () =>
        ((await call('GET', `/workflows/${child}/executions`)).body as { executions: Execution[] })
          .executions[0],
      (found) => found?.status === 'waiting',
    );
    const address = await findResumePath(call, one!.id);
    await reach(call, id, 'waiting');
    await service.kill9();
    service = await spawnService({ dataDir: data.path });
    call = await service.login();
    // Killed immediately after the acknowledgment: the acknowledged post counts.
    expect((await service.call('POST', address, { body: 'done' })).status).toBe(200);
    await service.kill9();
    service = await spawnService({ dataDir: data.path });
    call = await service.login();
    expect(await reach(call, id, 'completed')).toMatchObject({ output: 'done' });
  } finally {
    await service.kill9();
    data.remove();
  }
});
