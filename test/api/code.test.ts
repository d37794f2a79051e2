import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import type { Call } from '../support/service.ts';

const { api } = useService();

type Issue = { node_id: string; field: string; issue: string };
type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string; node_id: string; data?: { code: string; line?: number } } | null;
  nodes: { node_id: string; status: string; attempt: number; duration: number; output: unknown }[];
};

const manual = { id: 't', type: 'trigger', config: { triggerType: 'manual' } };
const definition = (...nodes: { id: string; type: string; config: object }[]) => ({
  nodes: [manual, ...nodes],
  connections: nodes.map(({ id }, i) => ({ from: nodes[i - 1]?.id ?? 't', to: id })),
});
/** The timeout is long because code has low priority, and another program may use the CPU. */
const code = (source: string, more: object = {}) => ({
  id: 'c',
  type: 'code',
  config: { language: 'javascript', source, timeout: '60s', ...more },
});

async function workflow(
  nodes: Parameters<typeof definition>,
  call: Call = api,
): Promise<{ id: string; issues: Issue[] }> {
  const response = await call('POST', '/workflows', {
    body: { name: 'code', definition: definition(...nodes) },
  });
  expect(response.status, response.text).toBe(201);
  return response.body as { id: string; issues: Issue[] };
}
async function execute(id: string, input: unknown = {}, wait = '60s', call: Call = api): Promise<Execution> {
  const response = await call('POST', `/workflows/${id}/execute`, { body: { input, wait } });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}
const detail = async (id: string, call: Call = api): Promise<Execution> =>
  (await call('GET', `/executions/${id}`)).body as Execution;

test('code gets the input and returns the output; printed lines are in the log', async () => {
  const source =
    'export default async (input) => { console.log("hello", input.n); return { doubled: input.n * 2 }; }';
  const { id, issues } = await workflow([code(source)]);
  expect(issues).toEqual([]);
  const execution = await execute(id, { n: 21 });
  expect(execution).toMatchObject({ status: 'completed', output: { doubled: 42 } });
  const { logs } = (await api('GET', `/executions/${execution.id}/logs?node_id=c&limit=10`)).body as {
    logs: { level: string; message: string; data: object }[];
  };
  expect(logs.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info Started',
    'info hello 21',
    'info Completed',
  ]);
  expect(logs[1]?.data).toEqual({ path: 'c' });
});

test('braces in code are code, and not a template', async () => {
  const source = 'export default (input) => { const a = {b: {{c: 1}}.c}; return a };';
  expect((await workflow([code(source)])).issues[0]?.issue).toMatch(/does not compile/);
  const fine =
    'export default (input) => { if (input.x) {{ return `{{ input.y }}`; }} return {a: {b: 1}}; };';
  expect(await execute((await workflow([code(fine)])).id, { x: 1 })).toMatchObject({
    status: 'completed',
    output: '{{ input.y }}',
  });
});

test('a large number of code stays a number', async () => {
  const { id } = await workflow([code('export default () => 2 ** 63')]);
  expect(await execute(id)).toMatchObject({ status: 'completed', output: 2 ** 63 });
});

describe('errors are found when the workflow is saved, without running it', () => {
  test.each<[string, object, string, RegExp]>([
    [
      'syntax',
      { source: 'export default (input) => {\n  const a = ;\n}' },
      'config.source',
      /line 2, column 13/,
    ],
    [
      'an import',
      { source: 'import "x"; export default () => 1' },
      'config.source',
      /import is not available/,
    ],
    ['no default export', { source: 'const x = 1' }, 'config.source', /default export/],
    ['no source', {}, 'config.source', /is required/],
    ['an empty source', { source: '' }, 'config.source', /empty/],
    ['a source too long', { source: `export default 1;${' '.repeat(262_144)}` }, 'config.source', /262144/],
    [
      'another language',
      { source: 'export default () => 1', language: 'python' },
      'config.language',
      /javascript/,
    ],
    ['a time too long', { source: 'export default () => 1', timeout: '6m' }, 'config.timeout', /5m/],
    [
      'no time',
      { source: 'export default () => 1', timeout: '0s' },
      'config.timeout',
      /must be a duration of more than 0/,
    ],
    ['an unknown field', { source: 'export default () => 1', memory: 5 }, 'config.memory', /./],
  ])('%s', async (_title, config, field, issue) => {
    const began = performance.now();
    const saved = await workflow([{ id: 'c', type: 'code', config }]);
    expect(saved.issues).toEqual([{ node_id: 'c', field, issue: expect.stringMatching(issue) }]);
    expect(performance.now() - began).toBeLessThan(20_000);
    const active = await api('PUT', `/workflows/${saved.id}`, { body: { status: 'active' } });
    expect(active.status).toBe(400);
    expect(active.body).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { field: `definition.nodes[1].${field}` } },
    });
    expect((await api('POST', `/workflows/${saved.id}/execute`, { body: {} })).status).toBe(400);
  });

  test('what would never end is not run', async () => {
    const began = performance.now();
    expect((await workflow([code('for (;;); export default () => 1')])).issues).toEqual([]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('a secret has no place in it', async () => {
    await api('PUT', '/secrets/KEY', { body: { value: 'v' } });
    const { issues } = await workflow([code('export default () => 1', { timeout: '{{ secrets.KEY }}' })]);
    expect(issues.length).toBeGreaterThan(0);
  });
});

test('a failure is a `code` error with its code and place, and flows out of the error port', async () => {
  const { id } = await workflow([code('export default () => {\n  throw new TypeError("broken");\n}')]);
  const failed = await execute(id);
  expect(failed.status).toBe('failed');
  expect(failed.error).toEqual({
    type: 'code',
    message: 'TypeError: broken',
    node_id: 'c',
    attempt: 1,
    data: { code: 'CODE_THROWN', line: 2, column: 9 },
  });
  const caught = await api('POST', '/workflows', {
    body: {
      name: 'caught',
      definition: {
        nodes: [
          manual,
          code('export default () => { throw 1 }'),
          { id: 's', type: 'stop', config: { outcome: 'completed', output: '{{ input.type }}' } },
        ],
        connections: [
          { from: 't', to: 'c' },
          { from: 'c', sourcePort: 'error', to: 's' },
        ],
      },
    },
  });
  expect(await execute((caught.body as { id: string }).id)).toMatchObject({
    status: 'completed',
    output: 'code',
  });
});

test('a retry policy counts for code', async () => {
  const retryPolicy = { maxAttempts: 3, initialDelay: '1ms', retryConditions: ['code'] };
  const { id } = await workflow([code('export default () => { throw 1 }', { retryPolicy })]);
  expect((await execute(id)).error).toMatchObject({ type: 'code', attempt: 3 });
});

test('endless loops end at their timeout while other code continues', async () => {
  const loop = await workflow([code('export default () => { for (;;); }', { timeout: '200ms' })]);
  const quick = await workflow([code('export default (input) => input')]);
  await execute(quick.id);
  const began = performance.now();
  const loops = Array.from({ length: 12 }, () => execute(loop.id, {}, '40s'));
  let health = 0;
  for (let i = 0; i < 10; i++) {
    const at = performance.now();
    expect((await api('GET', '/workflows')).status).toBe(200);
    health = Math.max(health, performance.now() - at);
  }
  for (const execution of await Promise.all(loops))
    expect(execution.error).toMatchObject({ type: 'timeout', data: { code: 'CODE_TIMEOUT' } });
  expect(health).toBeLessThan(5_000);
  expect(performance.now() - began).toBeLessThan(40_000);
  expect(await execute(quick.id, { a: 1 })).toMatchObject({ status: 'completed', output: { a: 1 } });
});

test('stopping the execution ends the code', async () => {
  const { id } = await workflow([code('export default () => { for (;;); }', { timeout: '5m' })]);
  const response = await api('POST', `/workflows/${id}/execute`, { body: {} });
  const execution = response.body as Execution;
  const codeStatus = async (): Promise<string | undefined> =>
    (await detail(execution.id)).nodes.find((run) => run.node_id === 'c')?.status;
  await expect.poll(codeStatus).toBe('running');
  expect((await api('POST', `/executions/${execution.id}/stop`)).body).toMatchObject({ status: 'stopped' });
  // Its process is free for others at once.
  const quick = await workflow([code('export default () => 1')]);
  const began = performance.now();
  await Promise.all(Array.from({ length: 8 }, () => execute(quick.id)));
  expect(performance.now() - began).toBeLessThan(60_000);
});
