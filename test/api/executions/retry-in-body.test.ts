import { expect, test } from 'vitest';
import { waitUntil } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { manual, mapNode } from '../definitions.ts';

const { api } = useService();

type Execution = {
  id: string;
  status: string;
  output: unknown;
  nodes: { path: string; start_time: unknown }[];
};

const loop = { id: 'loop', type: 'for_each', config: { items: [1, 2, 3], nodes: ['double', 'wrap'] } };
const double = mapNode('double', 'item', 'n', '{{ value * 2 }}');
const wrap = mapNode('wrap', 'n', 'm');
const definition = { nodes: [manual, loop, double, wrap], connections: [{ from: 'start', to: 'loop' }] };

async function create(): Promise<string> {
  const made = await api('POST', '/workflows', { body: { name: 'Loop', definition } });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}

async function run(workflow: string, body: object = {}): Promise<Execution> {
  const started = await api('POST', `/workflows/${workflow}/execute`, { body: { wait: '20s', ...body } });
  expect(started.status, started.text).toBe(201);
  return started.body as Execution;
}

async function retry(id: string, body: object): Promise<Execution> {
  const started = await api('POST', `/executions/${id}/retry`, { body });
  expect(started.status, started.text).toBe(201);
  return waitUntil(
    async () => (await api('GET', `/executions/${(started.body as Execution).id}`)).body as Execution,
    ({ status }) => status === 'completed',
  );
}

async function readError(path: string, body: object): Promise<unknown[]> {
  const response = await api('POST', path, { body });
  const { code, details } = (response.body as { error: { code: string; details: Record<string, unknown> } })
    .error;
  return [response.status, code, details['field'], details['issue']];
}

test('a place in a body is retried, with another input and with another version', async () => {
  const workflow = await create();
  const { id, output } = await run(workflow);
  expect(output).toEqual({ results: [{ m: 2 }, { m: 4 }, { m: 6 }] });
  const again = await retry(id, { from: 'loop[1]/wrap', input: { n: 'changed' } });
  expect(again.output).toEqual({ results: [{ m: 2 }, { m: 'changed' }, { m: 6 }] });
  expect(again.nodes.filter(({ start_time: at }) => at !== null).map(({ path }) => path)).toEqual([
    'start',
    'loop',
    'loop[1]/wrap',
  ]);
  const { logs } = (await api('GET', `/executions/${again.id}/logs?limit=100`)).body as {
    logs: { message: string; data: { path: string } }[];
  };
  expect(
    logs.filter(({ message }) => message === 'Output given, not run').map(({ data }) => data.path),
  ).toContain('loop[2]/wrap');

  await api('PUT', `/workflows/${workflow}`, {
    body: { definition: { ...definition, nodes: [manual, loop, double, mapNode('wrap', 'n', 'new')] } },
  });
  expect((await retry(id, { from: 'loop[2]', version: 'current' })).output).toEqual({
    results: [{ m: 2 }, { m: 4 }, { new: 6 }],
  });
});

test('what a retry cannot start from is refused with what there is', async () => {
  const { id } = await run(await create());
  const path = `/executions/${id}/retry`;
  expect(await readError(path, { from: 'loop[7]/wrap' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'from',
    'names a run that does not exist: "loop[7]"; the body of loop ran 3 times, from [0] to [2]',
  ]);
  expect(await readError(path, { from: 'loop[1]/start' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'from',
    'names no node in loop[1]; its nodes are: double, wrap',
  ]);
  expect(await readError(path, { from: 'loop[1]', input: { n: 1 } })).toEqual([
    400,
    'VALIDATION_ERROR',
    'input',
    'needs one node to go to: name a node run in from, such as "loop[1]/<node>"',
  ]);
});

test('a pin sets the output of one node run, and of all others of the node', async () => {
  const workflow = await create();
  const pinned = await run(workflow, { pins: { double: { n: 0 }, 'loop[1]/double': { n: 'one' } } });
  expect(pinned.output).toEqual({ results: [{ m: 0 }, { m: 'one' }, { m: 0 }] });
  for (const path of ['loop[1]/start', 'double[1]/wrap', 'loop[1', 'x/loop[1]/wrap'])
    expect(
      (await readError(`/workflows/${workflow}/execute`, { pins: { [path]: 1 } })).slice(0, 3),
      path,
    ).toEqual([400, 'VALIDATION_ERROR', `pins.${path}`]);
});
