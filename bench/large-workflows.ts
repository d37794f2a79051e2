// Chains and fan-outs of 1,000 and 10,000 nodes. Time must be linear in the number of nodes, and the event
// loop must not block.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FigureRow } from './report.ts';
import { startService, type Service } from './service.ts';
import { LIMITS } from './targets.ts';

const SIZES = [1000, 10_000] as const;
const GIVE_UP_MS = 120_000;
const PING_MS = 5;

type Execution = { id: string; status: string; duration: number | null; error: unknown };

const start = { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } };
const step = (id: string) => ({
  id,
  type: 'data_transformer',
  position: { x: 0, y: 0 },
  config: { operations: [{ action: 'map', input: 'n', output: 'n' }] },
});

function definition(shape: 'chain' | 'fan-out', size: number) {
  const ids = Array.from({ length: size - 1 }, (_, index) => `n${index}`);
  const connections = ids.map((id, index) => ({
    from: shape === 'fan-out' || index === 0 ? 'start' : `n${index - 1}`,
    to: id,
  }));
  return { nodes: [start, ...ids.map(step)], connections };
}

// The longest ping is the loop's longest delay plus the time of one request.
async function watchLoop(service: Service, until: AbortSignal): Promise<number> {
  let longest = 0;
  while (!until.aborted) {
    const began = performance.now();
    await (await fetch(`${service.base}/health/live`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - began);
    await sleep(PING_MS);
  }
  return longest;
}

type Health = { checks: { event_loop: { event_loop_max_ms: number } } };

/** Measures the service process only: its start, the saving of the workflow and the runs. */
async function loopMax(service: Service): Promise<number> {
  const { checks } = await service.rest<Health>('GET', '/health');
  return checks.event_loop.event_loop_max_ms;
}

async function run(shape: 'chain' | 'fan-out', size: number) {
  const service = await startService();
  try {
    const { id } = await service.rest<{ id: string }>('POST', '/workflows', {
      name: `${shape} of ${size}`,
      definition: definition(shape, size),
    });
    const execute = async (): Promise<Execution> => {
      let execution = await service.rest<Execution>('POST', `/workflows/${id}/execute`, {
        input: { n: 1 },
        wait: '60s',
      });
      const deadline = performance.now() + GIVE_UP_MS;
      while (['queued', 'running', 'waiting'].includes(execution.status) && performance.now() < deadline) {
        await sleep(100);
        execution = await service.rest<Execution>('GET', `/executions/${execution.id}`);
      }
      if (execution.status !== 'completed') {
        throw new Error(`${shape} of ${size}: ${execution.status} ${JSON.stringify(execution.error)}`);
      }
      return execution;
    };
    await execute();
    const ending = new AbortController();
    const watching = watchLoop(service, ending.signal);
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const began = performance.now();
      await execute();
      times.push(performance.now() - began);
    }
    ending.abort();
    const pinged = await watching;
    times.sort((a, b) => a - b);
    return { time: times[1] ?? Number.NaN, loop: await loopMax(service), pinged };
  } finally {
    await service.remove();
  }
}

export async function measureGraphs(say: (line: string) => void): Promise<FigureRow[]> {
  const rows: FigureRow[] = [];
  for (const shape of ['chain', 'fan-out'] as const) {
    const times: number[] = [];
    for (const size of SIZES) {
      const { time, loop, pinged } = await run(shape, size);
      times.push(time);
      say(
        `${shape} of ${size}: ${time.toFixed(0)} ms, event loop held at most ${loop.toFixed(0)} ms, slowest ping ${pinged.toFixed(0)} ms`,
      );
      rows.push({ what: `${shape} of ${size} nodes`, value: time, unit: 'ms' });
      rows.push({
        what: `${shape} of ${size} nodes: event loop's longest delay`,
        value: loop,
        unit: 'ms',
        // The larger size is reported without a limit.
        ...(size === SIZES[0] && { limit: LIMITS.loop }),
      });
    }
    const growth = (times[1] ?? 0) / (times[0] ?? 1);
    rows.push({
      what: `${shape}: time of 10,000 / time of 1,000`,
      value: growth,
      unit: '×',
      limit: LIMITS.growth,
    });
  }
  return rows;
}
