import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/** ms between two looks. */
const LOOK = 2_000;
/** The part of that time which a process at rest works at most. */
const BUSY = 0.05;
/** Bytes that the young generation has grown to when there is something to give back. */
const GROWN = 4 * 1024 * 1024;
/** ms of work in all from which what was compiled by then is worth more than the memory. */
const WARM = 2_000;

/** What a look asks and does; `busy` in [0, 1] since it was last asked, `worked` in ms since the start, `young` in bytes. */
export type Memory = { busy: () => number; worked: () => number; young: () => number; collect: () => void };

/** A look: collects when nothing is going on. False: that was the last one. */
export function watchMemory({ busy, worked, young, collect }: Memory): () => boolean {
  return () => {
    if (worked() > WARM) return false;
    if (busy() > BUSY || young() < GROWN) return true;
    collect();
    return false;
  };
}

/**
 * A start makes V8's young generation grow, and V8 keeps that for as long as the process lives. Once hardly anything goes on, all that
 * is free is given back: some 10 MB, for which the process stands still for 60 to 90 ms. Once, and only before it has worked much:
 * compiled code goes as well, so a process that was warm would answer the next flood ten times later. Returns what ends it. It
 * does nothing where the process was started without `--expose-gc`.
 */
export function giveMemoryBackAtRest(): () => void {
  if (collector() === undefined) return () => {};
  const look = watchMemory(memoryOf());
  const timer = setInterval(() => {
    if (!look()) clearInterval(timer);
  }, LOOK);
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
    worked: () => performance.eventLoopUtilization().active,
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
