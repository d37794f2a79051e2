// User code: the cost of a trivial call, and whether endless loops of one user delay W1. Both loads are
// measured in turns in the same run, so their ratio is comparable between machines.
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from '../src/runner/sandbox/sandbox.ts';
import type { Options } from './options.ts';
import type { FigureRow } from './report.ts';
import { startService, type Service } from './service.ts';
import { LIMITS } from './targets.ts';
import { activate } from './throughput.ts';
import { listWorkloads, type Workload } from './workloads.ts';
import { load, requireWrk } from './wrk.ts';

const LOOPS = 50;
const CONNECTIONS = 50;
const CALLS = 1_000;
const WARM_UP_CALLS = 200;

type Load = { p99: number; perSecond: number };

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Duration of an empty call in a running process, in ms. */
async function trivialCall(): Promise<number> {
  const sandbox = createSandbox({ warn: () => {} });
  const call = () =>
    sandbox.run({
      ownerId: 'bench',
      source: 'export default (input) => input',
      argument: { n: 1 },
      timeout: 10_000,
      signal: new AbortController().signal,
      log: () => {},
    });
  try {
    const times: number[] = [];
    for (let i = 0; i < WARM_UP_CALLS + CALLS; i++) {
      const began = performance.now();
      const { kind } = await call();
      if (kind !== 'value') throw new Error('a trivial call failed');
      if (i >= WARM_UP_CALLS) times.push(performance.now() - began);
    }
    return middle(times);
  } finally {
    sandbox.close();
  }
}

async function startLoops(service: Service): Promise<string[]> {
  const { id } = await service.rest<{ id: string }>('POST', '/workflows', {
    name: 'endless',
    definition: {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'loop', type: 'code', config: { source: 'export default () => { for (;;); }', timeout: '5m' } },
      ],
      connections: [{ from: 'start', to: 'loop' }],
    },
  });
  const started = await Promise.all(
    Array.from({ length: LOOPS }, () =>
      service.rest<{ id: string }>('POST', `/workflows/${id}/execute`, { input: {} }),
    ),
  );
  // Waits until the processes run. Their start is not measured.
  await sleep(2_000);
  return started.map((execution) => execution.id);
}

async function stopLoops(service: Service, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => service.rest('POST', `/executions/${id}/stop`)));
  await sleep(500);
}

export async function measureSandbox(options: Options, say: (line: string) => void): Promise<FigureRow[]> {
  const trivial = await trivialCall();
  say(`sandbox: a trivial call takes ${trivial.toFixed(2)} ms (median of ${CALLS})`);
  const figures: FigureRow[] = [
    { what: 'sandbox: a trivial call', value: trivial, unit: 'ms', limit: LIMITS.codeCall },
  ];
  await requireWrk();
  const w1 = listWorkloads('').find(({ name }) => name === 'W1') as Workload;
  const service = await startService();
  try {
    const { url } = await activate(service, w1);
    const seconds = options.seconds ?? 3;
    const once = async (): Promise<Load> => {
      const { p99, perSecond, errors } = await load({
        url,
        body: w1.body,
        connections: CONNECTIONS,
        seconds,
      });
      if (errors > 0) throw new Error(`${errors} requests failed`);
      return { p99, perSecond };
    };
    await once();
    const alone: Load[] = [];
    const beside: Load[] = [];
    for (let round = 0; round < options.rounds; round++) {
      alone.push(await once());
      const loops = await startLoops(service);
      beside.push(await once());
      await stopLoops(service, loops);
    }
    const of = (list: readonly Load[], what: keyof Load) => middle(list.map((one) => one[what]));
    const ratio = of(beside, 'p99') / of(alone, 'p99');
    say(
      `sandbox: W1 at ${CONNECTIONS} connections, p99 ${of(alone, 'p99').toFixed(1)} ms alone, ` +
        `${of(beside, 'p99').toFixed(1)} ms beside ${LOOPS} endless loops (${ratio.toFixed(2)} times); ` +
        `${of(alone, 'perSecond').toFixed(0)} and ${of(beside, 'perSecond').toFixed(0)} a second`,
    );
    figures.push(
      {
        what: 'W1 p99 beside 50 endless loops, times that alone',
        value: ratio,
        unit: '',
        limit: LIMITS.besideLoops,
      },
      {
        what: 'W1 rate beside 50 endless loops, share of that alone',
        value: of(beside, 'perSecond') / of(alone, 'perSecond'),
        unit: '',
      },
    );
  } finally {
    await service.remove();
  }
  return figures;
}
