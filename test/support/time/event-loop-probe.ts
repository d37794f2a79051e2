import { waitUntil, type SpawnedService } from '../service.ts';

/** Baseline of a processor that is fast enough for the limits as they are, in ms. */
const BASELINE_MS = 6;

/*
 * Measures inside the service how long the event loop is blocked: the CPU time of its thread between two
 * ticks of a timer of 1 ms. It is CPU time because a clock also counts other programs. A shared processor is
 * slower as well, so a fixed amount of work, the baseline, is measured with it.
 */
const probe = `
  let longest = 0;
  const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
  let before = used();
  setInterval(() => { const now = used(); longest = Math.max(longest, now - before); before = now; }, 1).unref();
  const work = Array.from({ length: 10_000 }, (_, i) => ({ id: i, name: 'item ' + i, tags: ['a', 'b'] }));
  const measureBaseline = () => { const began = used(); JSON.parse(JSON.stringify(work)); return used() - began; };
  process.on('SIGUSR2', () => {
    const blocked = longest.toFixed(1);
    const baseline = Math.min(measureBaseline(), measureBaseline(), measureBaseline()).toFixed(1);
    console.error('BLOCKED ' + blocked + ' ms BASELINE ' + baseline + ' ms');
    longest = 0;
    before = used();
  });
`;

/** Arguments of Node for a service whose event loop is measured. */
export const eventLoopProbe = ['--import', `data:text/javascript,${encodeURIComponent(probe)}`];

export type EventLoopBlock = {
  /** Longest block since the last reading, in CPU ms. */
  readonly longest: number;
  /** Current CPU ms of the fixed amount of work. */
  readonly baseline: number;
};

/** Reads and resets the longest block of a service that was started with `eventLoopProbe`. */
export async function readEventLoopBlock(service: SpawnedService): Promise<EventLoopBlock> {
  const readings = (): string[] => service.logs().match(/BLOCKED [\d.]+ ms BASELINE [\d.]+ ms/g) ?? [];
  const before = readings().length;
  service.child.kill('SIGUSR2');
  const all = await waitUntil(
    () => Promise.resolve(readings()),
    (list) => list.length > before,
  );
  const [, longest, , , baseline] = all.at(-1)!.split(' ');
  return { longest: Number(longest), baseline: Number(baseline) };
}

/** Whether the longest block is below `limitMs`, which grows on a slow processor. */
export function isBelow(limitMs: number, { longest, baseline }: EventLoopBlock): boolean {
  return longest < limitMs * Math.max(1, baseline / BASELINE_MS);
}
