import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/** ms between two looks. */
const LOOK = 2_000;
/** The part of that time which a process at rest works at most. */
const BUSY = 0.05;
/** Bytes of the young generation from which there is something to give back. */
const GROWN = 4 * 1024 * 1024;

/** What a look asks and does; `busy` in [0, 1] since it was last asked, `young` in bytes. */
export type Memory = { busy(): number; young(): number; collect(): void };

/** True: it had grown, and nothing was going on. */
export function lookAtMemory({ busy, young, collect }: Memory): boolean {
  if (busy() > BUSY || young() < GROWN) return false;
  collect();
  return true;
}

/**
 * V8 keeps what its young generation grew to in a flood, or at the start, for as long as the process lives. Once hardly anything
 * goes on, all that is free is given back: some 20 MB, for which the process stands still for 60 to 90 ms. Returns what ends it. It
 * does nothing where the process was started without `--expose-gc`.
 */
export function giveMemoryBackAtRest(): () => void {
  if (collector() === undefined) return () => {};
  const memory = memoryOf();
  const timer = setInterval(() => lookAtMemory(memory), LOOK);
  timer.unref();
  return () => clearInterval(timer);
}

/** This thread's. */
export function memoryOf(): Memory {
  let before = performance.eventLoopUtilization();
  return {
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    young: () =>
      getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0,
    collect: () => collector()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  };
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** V8's own, where the process was started with `--expose-gc`. */
function collector(): Collect | undefined {
  return (globalThis as { gc?: Collect }).gc;
}
