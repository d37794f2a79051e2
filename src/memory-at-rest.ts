import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/** ms between two looks. */
const LOOK = 2_000;
/** The part of that time which a process at rest works at most. */
const BUSY = 0.05;
/** Bytes that the young generation has grown by when there is something to give back. */
const GROWN = 4 * 1024 * 1024;

/** What a look asks and does; `busy` in [0, 1] since it was last asked, `young` in bytes. */
export type Memory = { busy: () => number; young: () => number; collect: () => void };

/** A look: whether it collected, since it had grown beyond what a collection had left, and nothing was going on. */
export function watchMemory({ busy, young, collect }: Memory): () => boolean {
  let left = 0;
  return () => {
    if (busy() > BUSY || young() < left + GROWN) return false;
    collect();
    left = young();
    return true;
  };
}

/**
 * V8 keeps what its young generation grew to in a flood, or at the start, for as long as the process lives. Once hardly anything
 * goes on, all that is free is given back: some 20 MB, for which the process stands still for 60 to 90 ms. Returns what ends it. It
 * does nothing where the process was started without `--expose-gc`.
 */
export function giveMemoryBackAtRest(): () => void {
  if (collector() === undefined) return () => {};
  const look = watchMemory(memoryOf());
  const timer = setInterval(look, LOOK);
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
