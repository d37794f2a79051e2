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
import { createCallingWorkflow, greeting, longWait, manual, mapNode } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;
let isBroken = false;

beforeAll(async () => {
  upstream = await startUpstream(({ headers, path }) =>
    isBroken
      ? { status: 500 }
      : { body: { auth: headers.authorization ?? null }, after: path === '/slow' ? 300 : 0 },
  );
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});

type Execution = { id: string; status: string; output: unknown; [field: string]: unknown };
async function workflow(definition: object, more: object = {}): Promise<string> {
  const response = await api('POST', '/workflows', { body: { name: 'x', definition, ...more } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
async function run(id: string, body: object = {}, headers: Record<string, string> = {}): Promise<Execution> {
  const response = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s', ...body }, headers });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}
function readError(response: ApiResponse): [number, string, string | undefined] {
  const { error } = response.body as { error: { code: string; details: { field?: string } } };
  return [response.status, error.code, error.details.field];
}
const readStatus = async (id: string): Promise<string> =>
  ((await api('GET', `/executions/${id}`)).body as Execution).status;

describe('execute', () => {
  test('with wait, the response is the ended execution', async () => {
    const id = await workflow(greeting);
    const execution = await run(id, { input: { name: 'Ada' } });
    expect(execution).toEqual({
      id: expect.stringMatching(/^ex_/),
      workflow_id: id,
      workflow_version: 1,
      status: 'completed',
      trigger: { type: 'manual', node_id: 'start' },
      input: { name: 'Ada' },
      output: { text: 'Dear Ada' },
      error: null,
      progress: 1,
      current_node: null,
      start_time: expect.stringMatching(/Z$/),
      end_time: expect.stringMatching(/Z$/),
      duration: expect.any(Number),
      parent_execution_id: null,
      retry_of: null,
    });
  });

  test('without wait, or after the wait, the current state of the execution', async () => {
    const id = await workflow(longWait);
    const response = await api('POST', `/workflows/${id}/execute`);
    expect(response.status).toBe(201);
    expect(['queued', 'running', 'waiting']).toContain((response.body as Execution).status);
    const waited = await run(id, { wait: '100ms' });
    expect(waited.status).toBe('waiting');
    expect(waited).toMatchObject({ output: null, end_time: null, duration: null });
  });

  test('bad bodies name their field', async () => {
    const id = await workflow(greeting);
    const bad: [object, string][] = [
      [{ input: [1] }, 'input'],
      [{ input: 'x' }, 'input'],
      [{ wait: '61s' }, 'wait'],
      [{ wait: 5 }, 'wait'],
      [{ until: 'nobody' }, 'until'],
      [{ pins: { nobody: 1 } }, 'pins.nobody'],
      [{ pin_ports: { start: ['out'] } }, 'pin_ports.start'],
      [{ pins: { start: 1 }, pin_ports: { start: ['error'] } }, 'pin_ports.start'],
      [{ pins: { start: 1 }, pin_ports: { start: [] } }, 'pin_ports.start'],
      [{ iterations: [{ input: 1 }] }, 'iterations'],
      [{ until: 'start', iterations: [{ input: 1 }] }, 'iterations'],
      [{ inputs: {} }, 'inputs'],
    ];
    for (const [body, field] of bad) {
      expect(readError(await api('POST', `/workflows/${id}/execute`, { body })), field).toEqual([
        400,
        'VALIDATION_ERROR',
        field,
      ]);
    }
    expect(
      readError(
        await api('POST', `/workflows/${id}/execute`, {
          raw: '{"a":',
          headers: { 'content-type': 'application/json' },
        }),
      )[1],
    ).toBe('VALIDATION_ERROR');
  });

  test('until runs only what leads there; a pinned node does not run', async () => {
    const id = await workflow(createCallingWorkflow('http://127.0.0.1:9/'));
    const pinned = await run(id, { pins: { call: { status: 200, headers: {}, body: 'pinned' } } });
    expect(pinned).toMatchObject({ status: 'completed', output: { answer: 'pinned' } });
    const some = await run(id, { until: 'start', input: { a: 1 } });
    expect(some).toMatchObject({ status: 'completed', output: { a: 1 } });
    const { nodes } = (await api('GET', `/executions/${some.id}`)).body as {
      nodes: { node_id: string; status: string }[];
    };
    expect(nodes.filter(({ status }) => status === 'completed').map(({ node_id }) => node_id)).toEqual([
      'start',
    ]);
  });

  test('a pin of a node with an inherited name is used', async () => {
    const nodes = ['constructor', 'toString', 'hasOwnProperty'];
    const id = await workflow({
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        ...nodes.map((node) => ({ id: node, type: 'http_request', config: { url: 'http://127.0.0.1:9/' } })),
      ],
      connections: nodes.map((node) => ({ from: 'start', to: node })),
    });
    const pins = Object.fromEntries(nodes.map((node) => [node, { n: node }]));
    const ended = await run(id, { pins });
    expect(ended).toMatchObject({ status: 'completed', output: pins });
  });

  test('stored pins keep their ports', async () => {
    const id = await workflow({
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'check', type: 'condition', config: { condition: { field: 'a', operator: 'exists' } } },
      ],
      connections: [{ from: 'start', to: 'check' }],
    });
    const put = (body: object) => api('PUT', `/workflows/${id}/pinned-outputs/check`, { body });
    const list = async () =>
      ((await api('GET', `/workflows/${id}/pinned-outputs`)).body as { pinned_outputs: object[] })
        .pinned_outputs;
    expect((await put({ output: { n: 1 }, ports: ['false'] })).body).toMatchObject({ ports: ['false'] });
    expect(await list()).toMatchObject([{ node_id: 'check', output: { n: 1 }, ports: ['false'] }]);
    await put({ output: { true: 1, error: 2 }, ports: ['true', 'error'] });
    expect(await list()).toMatchObject([{ output: { true: 1, error: 2 }, ports: ['true', 'error'] }]);
    for (const [body, field] of [
      [{ output: 1, ports: ['maybe'] }, 'ports'],
      [{ output: 1, ports: [] }, 'ports'],
      [{ output: 1, ports: 'true' }, 'ports'],
      [{ output: 1, ports: ['true', 'false'] }, 'output'],
      [{ output: { true: 1 }, ports: ['true', 'false'] }, 'output'],
    ] as const)
      expect(readError(await put(body))).toEqual([400, 'VALIDATION_ERROR', field]);
    expect(await list()).toMatchObject([{ ports: ['true', 'error'] }]);
    await put({ output: 3 });
    expect(await list()).toMatchObject([{ output: 3, ports: null }]);
  });

  test('iterations run one node of a body once; a pin delivers on its port', async () => {
    const { id } = (
      await api('POST', '/workflows', {
        body: {
          name: 'Loop',
          definition: {
            nodes: [
              { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
              { id: 'check', type: 'condition', config: { condition: { field: 'a', operator: 'exists' } } },
              {
                id: 'each',
                type: 'for_each',
                config: { items: '{{ input.list }}', nodes: ['first', 'second'] },
              },
              { id: 'first', type: 'http_request', config: { url: 'http://127.0.0.1:9/' } },
              {
                id: 'second',
                type: 'set',
                config: { fields: { got: '{{ input.n }} {{ item.id }} {{ index }}' } },
              },
            ],
            connections: [
              { from: 'start', to: 'check' },
              { from: 'check', to: 'each', sourcePort: 'false' },
            ],
          },
        },
      })
    ).body as { id: string };
    const iteration = { input: { item: { id: 'x' }, index: 4 }, item: { id: 'x' }, index: 4 };
    const body = {
      until: 'second',
      iterations: [iteration],
      pins: { check: {}, first: { n: 7 } },
      pin_ports: { check: ['false'] },
    };
    const ended = await run(id, body);
    expect(ended).toMatchObject({ status: 'completed', output: { n: 7, got: '7 x 4' } });
    const { nodes } = (await api('GET', `/executions/${ended.id}`)).body as {
      nodes: { path: string; status: string }[];
    };
    expect(nodes.map(({ path }) => path)).toContain('each[4]/second');
    // Without the port, the branch to the loop is not taken.
    expect((await run(id, { ...body, pin_ports: {} })).output).toEqual({});
    for (const [wrong, field] of [
      [{ ...body, iterations: [] }, 'iterations'],
      [{ ...body, iterations: [iteration, iteration] }, 'iterations'],
      [{ ...body, pin_ports: { check: ['maybe'] } }, 'pin_ports.check'],
      [{ ...body, pin_ports: { check: ['true', 'false'] } }, 'pins.check'],
    ] as const)
      expect(readError(await api('POST', `/workflows/${id}/execute`, { body: wrong }))).toEqual([
        400,
        'VALIDATION_ERROR',
        field,
      ]);
  });

  test('an Idempotency-Key: once per key and body, also at the same time', async () => {
    const id = await workflow(createCallingWorkflow(`${upstream.url}/once`));
    const body = { input: { a: 1, b: 2 }, wait: '20s' };
    const headers = { 'idempotency-key': 'key-1' };
    const before = upstream.received.length;
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => api('POST', `/workflows/${id}/execute`, { body, headers })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(responses.map((response) => (response.body as Execution).id)).size).toBe(1);
    expect(
      responses.filter((response) => response.headers.get('idempotent-replayed') === 'true').length,
    ).toBe(7);
    expect(upstream.received.length - before).toBe(1);
    const reordered = await api('POST', `/workflows/${id}/execute`, {
      body: { wait: '20s', input: { b: 2, a: 1 } },
      headers,
    });
    expect((reordered.body as Execution).id).toBe((responses[0]!.body as Execution).id);
    expect(
      readError(await api('POST', `/workflows/${id}/execute`, { body: { input: { a: 2 } }, headers })),
    ).toEqual([400, 'CONFLICT', 'Idempotency-Key']);
    const elsewhere = await workflow(greeting);
    expect(
      (await api('POST', `/workflows/${elsewhere}/execute`, { body, headers })).headers.get(
        'idempotent-replayed',
      ),
    ).toBeNull();
    expect(
      readError(
        await api('POST', `/workflows/${id}/execute`, {
          body,
          headers: { 'idempotency-key': 'x'.repeat(256) },
        }),
      )[1],
    ).toBe('VALIDATION_ERROR');
  });
});

describe('get and list', () => {
  test('the detail has every node run', async () => {
    const { id } = await run(await workflow(greeting), { input: { name: 'Ada' } });
    const detail = (await api('GET', `/executions/${id}`)).body as { nodes: object[] };
    expect(detail.nodes).toEqual([
      expect.objectContaining({
        node_id: 'start',
        path: 'start',
        type: 'trigger',
        status: 'completed',
        output: { name: 'Ada' },
      }),
      {
        node_id: 'greet',
        path: 'greet',
        type: 'data_transformer',
        status: 'completed',
        attempt: 1,
        start_time: expect.any(String),
        end_time: expect.any(String),
        duration: expect.any(Number),
        input: { name: 'Ada' },
        output: { text: 'Dear Ada' },
        output_ports: ['out'],
        error: null,
      },
    ]);
    const page = await api('GET', `/executions/${id}/nodes?limit=1&page=2`);
    expect(page.body).toMatchObject({
      nodes: [{ node_id: 'greet' }],
      pagination: { page: 2, limit: 1, total: 2, total_pages: 2 },
    });
  });

  test('a failure shows where and why', async () => {
    const failed = await run(await workflow(greeting), { input: {} });
    expect(failed).toMatchObject({
      status: 'failed',
      output: null,
      error: { node_id: 'greet', message: expect.any(String), attempt: 1 },
    });
    const listed = (await api('GET', '/executions?status=failed&limit=1')).body as { executions: object[] };
    expect(listed.executions[0]).toMatchObject({ id: failed.id, error: { node_id: 'greet' } });
    for (const field of ['input', 'output', 'nodes']) expect(listed.executions[0]).not.toHaveProperty(field);
  });

  test('filters and pages', async () => {
    const id = await workflow(greeting);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await run(id, { input: { name: String(i) } })).id);
    const list = async (path: string): Promise<string[]> => {
      const response = await api('GET', path);
      expect(response.status, response.text).toBe(200);
      return (response.body as { executions: { id: string }[] }).executions.map((one) => one.id);
    };
    expect(await list(`/workflows/${id}/executions`)).toEqual(ids.toReversed());
    expect(await list(`/executions?workflow_id=${id}&limit=2&page=2`)).toEqual([ids[0]]);
    expect(await list(`/workflows/${id}/executions?workflow_id=${id}&limit=2&page=2`)).toEqual([ids[0]]);
    expect(await list(`/workflows/${id}/executions?workflow_id=wf_another`)).toEqual([]);
    expect(await list(`/workflows/${id}/executions?status=failed`)).toEqual([]);
    expect(await list(`/workflows/${id}/executions?from=2100-01-01T00:00:00Z`)).toEqual([]);
    expect(await list(`/workflows/${id}/executions?to=2100-01-01`)).toEqual(ids.toReversed());
    expect(readError(await api('GET', '/executions?from=yesterday'))).toEqual([
      400,
      'VALIDATION_ERROR',
      'from',
    ]);
    expect(readError(await api('GET', '/executions?to=2026-11-31'))).toEqual([400, 'VALIDATION_ERROR', 'to']);
    expect(readError(await api('GET', '/executions?status=done'))).toEqual([
      400,
      'VALIDATION_ERROR',
      'status',
    ]);
    expect((await api('GET', '/executions/ex_nothing')).status).toBe(404);
    expect((await api('GET', `/workflows/${id}`)).body).toMatchObject({ execution_count: 3 });
  });
});

describe('stop', () => {
  test('a waiting execution is stopped, and stays so', async () => {
    const { id } = await run(await workflow(longWait), { wait: '1ms' });
    const response = await api('POST', `/executions/${id}/stop`);
    expect([response.status, (response.body as Execution).status]).toEqual([200, 'stopped']);
    expect(readError(await api('POST', `/executions/${id}/stop`)).slice(0, 2)).toEqual([400, 'CONFLICT']);
    expect(await readStatus(id)).toBe('stopped');
    expect((await api('POST', '/executions/ex_nothing/stop')).status).toBe(404);
  });
});

describe('retry', () => {
  test('from a node that was skipped is refused: it would be skipped again', async () => {
    const id = await workflow({
      nodes: [
        manual,
        {
          id: 'choose',
          type: 'condition',
          config: { condition: { field: 'n', operator: 'exists' }, trueAction: 'yes', falseAction: 'no' },
        },
        mapNode('yes', 'n', 'n'),
        mapNode('no', 'n', 'm'),
      ],
      connections: [{ from: 'start', to: 'choose' }],
    });
    const first = await run(id, { input: { n: 1 } });
    const response = await api('POST', `/executions/${first.id}/retry`, { body: { from: 'no' } });
    expect(readError(response)).toEqual([400, 'CONFLICT', 'from']);
    expect((await api('POST', `/executions/${first.id}/retry`, { body: { from: 'yes' } })).status).toBe(201);
  });

  test('from where it failed: what completed is kept', async () => {
    const id = await workflow(createCallingWorkflow(`${upstream.url}/retry`));
    isBroken = true;
    const failed = await run(id, { input: { n: 1 } });
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'server_error', node_id: 'call' } });
    isBroken = false;
    const before = upstream.received.length;
    const response = await api('POST', `/executions/${failed.id}/retry`, { body: {} });
    expect(response.status, response.text).toBe(201);
    const again = (response.body as Execution).id;
    await waitUntil(
      () => readStatus(again),
      (status) => status === 'completed',
    );
    expect(upstream.received.slice(before).map(({ body }) => body)).toEqual([{ n: 1 }]);
    expect((await api('GET', `/executions/${again}`)).body).toMatchObject({
      retry_of: failed.id,
      trigger: { type: 'retry', execution_id: failed.id },
      input: { n: 1 },
      output: { answer: { auth: null } },
    });
    expect(readError(await api('POST', `/executions/${again}/retry`, { body: {} })).slice(0, 2)).toEqual([
      400,
      'CONFLICT',
    ]);
  });

  test('from a node with another input, and from the start', async () => {
    const id = await workflow({
      nodes: [manual, mapNode('a', 'n', 'n'), mapNode('b', 'n', 'm')],
      connections: [
        { from: 'start', to: 'a' },
        { from: 'a', to: 'b' },
      ],
    });
    const first = await run(id, { input: { n: 1 } });
    const ended = async (body: object): Promise<Execution> => {
      const response = await api('POST', `/executions/${first.id}/retry`, { body });
      expect(response.status, response.text).toBe(201);
      return waitUntil(
        async () => (await api('GET', `/executions/${(response.body as Execution).id}`)).body as Execution,
        ({ status }) => status === 'completed',
      );
    };
    expect(await ended({ from: 'b', input: { n: 5 } })).toMatchObject({ output: { m: 5 }, input: { n: 1 } });
    expect(await ended({ from: 'start' })).toMatchObject({ output: { m: 1 } });
    expect(await ended({ from: 'start', input: { n: 7 } })).toMatchObject({
      output: { m: 7 },
      input: { n: 7 },
    });
    await api('PUT', `/workflows/${id}`, {
      body: {
        definition: {
          nodes: [manual, mapNode('a', 'n', 'n'), mapNode('b', 'n', 'changed')],
          connections: [
            { from: 'start', to: 'a' },
            { from: 'a', to: 'b' },
          ],
        },
      },
    });
    expect(await ended({ from: 'b' })).toMatchObject({ output: { m: 1 }, workflow_version: 1 });
    expect(await ended({ from: 'b', version: 'current' })).toMatchObject({
      output: { changed: 1 },
      workflow_version: 2,
    });
    expect(
      readError(await api('POST', `/executions/${first.id}/retry`, { body: { from: 'nobody' } })),
    ).toEqual([400, 'VALIDATION_ERROR', 'from']);
  });

  test('from the trigger with another input', async () => {
    const id = await workflow({
      nodes: [{ ...manual, id: 'enter' }, mapNode('a', 'n', 'm')],
      connections: [{ from: 'enter', to: 'a' }],
    });
    const first = await run(id, { input: { n: 1 } });
    const body = { from: 'enter', input: { n: 8 } };
    const response = await api('POST', `/executions/${first.id}/retry`, { body });
    expect(response.status, response.text).toBe(201);
    const again = await waitUntil(
      async () => (await api('GET', `/executions/${(response.body as Execution).id}`)).body as Execution,
      ({ status }) => status === 'completed',
    );
    expect(again).toMatchObject({ input: { n: 8 }, output: { m: 8 } });
  });

  test('a trigger other than the original one is rejected, not ignored', async () => {
    const cron = { triggerType: 'schedule', cron: '0 0 1 1 *' };
    const id = await workflow({
      nodes: [
        { id: 'yearly', type: 'trigger', config: cron },
        manual,
        mapNode('a', 'n', 'm'),
        mapNode('b', 'n', 'm'),
      ],
      connections: [
        { from: 'start', to: 'a' },
        { from: 'yearly', to: 'a' },
        { from: 'yearly', to: 'b' },
      ],
    });
    for (const until of ['yearly', 'b'])
      expect(readError(await api('POST', `/workflows/${id}/execute`, { body: { until } }))).toEqual([
        400,
        'VALIDATION_ERROR',
        'until',
      ]);
    const first = await run(id, { input: { n: 1 }, until: 'a' });
    expect(first).toMatchObject({ status: 'completed', output: { m: 1 } });
    const body = { from: 'yearly', input: { n: 2 } };
    expect(readError(await api('POST', `/executions/${first.id}/retry`, { body }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'from',
    ]);
  });

  test('what still runs cannot be retried', async () => {
    const { id } = await run(await workflow(longWait), { wait: '1ms' });
    expect(readError(await api('POST', `/executions/${id}/retry`, { body: {} })).slice(0, 2)).toEqual([
      400,
      'CONFLICT',
    ]);
  });
});

test('settings: the time of an execution, and how many run at once', async () => {
  const late = await run(await workflow(longWait, { settings: { timeout: '300ms' } }));
  expect(late).toMatchObject({ status: 'failed', error: { type: 'timeout' } });
  const id = await workflow(createCallingWorkflow(`${upstream.url}/slow`), {
    settings: { max_concurrency: 1 },
  });
  const both = await Promise.all([run(id), run(id)]);
  expect(both.map(({ status }) => status)).toEqual(['completed', 'completed']);
  const [one, two] = both.toSorted((a, b) =>
    (a['start_time'] as string) < (b['start_time'] as string) ? -1 : 1,
  );
  expect(Date.parse(two!['start_time'] as string)).toBeGreaterThanOrEqual(
    Date.parse(one!['end_time'] as string) - 5,
  );
});

test('a secret that a service echoes is redacted in every API, but not inside the execution', async () => {
  await api('PUT', '/secrets/TOKEN', { body: { value: 'sesame-open-sesame' } });
  const id = await workflow(
    createCallingWorkflow(`${upstream.url}/echo`, {
      authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
    }),
  );
  const execution = await run(id, { input: {} });
  expect(execution.status).toBe('completed');
  expect(upstream.received.at(-1)?.headers.authorization).toBe('Bearer sesame-open-sesame');
  for (const path of ['', '/nodes', '/logs?limit=100']) {
    const response = await api('GET', `/executions/${execution.id}${path}`);
    expect(response.text).not.toContain('sesame');
    if (path === '') expect((response.body as Execution).output).toEqual({ answer: { auth: 'Bearer •••' } });
  }
  const definition = createCallingWorkflow(`${upstream.url}/echo`, {
    authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
  });
  const hook = { triggerType: 'webhook', endpoint: 'leak', authentication: 'none', respond: 'respond' };
  await workflow(
    {
      nodes: [
        { id: 'start', type: 'trigger', config: hook },
        ...definition.nodes.slice(1),
        { id: 'say', type: 'respond', config: { headers: { 'X-Auth': '{{ input.answer.auth }}' } } },
      ],
      connections: [...definition.connections, { from: 'after', to: 'say' }],
    },
    { status: 'active' },
  );
  const message = await weft.call('POST', '/webhooks/leak', { body: {} });
  expect([message.status, message.headers.get('x-auth'), message.body]).toEqual([
    200,
    'Bearer ***',
    { answer: { auth: 'Bearer •••' } },
  ]);
  await api('PUT', '/secrets/TOKEN', { body: { value: 'another-word-of-entry' } });
  await api('DELETE', '/secrets/TOKEN');
  for (const path of ['', '/nodes', '/logs?limit=100'])
    expect((await api('GET', `/executions/${execution.id}${path}`)).text).not.toContain('sesame');
});
