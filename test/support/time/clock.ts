import type { Clock } from '../../../src/ports/clock.ts';

export type TestClock = Clock & {
  /**
   * Advances time and fires due timers, earliest first. Timers that these set fire too when they are due by
   * then.
   */
  advance(ms: number): Promise<void>;
};

/**
 * Time that only the test advances. Network and disk are real, so `advance` also yields to the event loop.
 */
export function createTestClock(start: number): TestClock {
  let time = start;
  let last = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

  function nextDue(until: number): [number, { at: number; run: () => void }] | undefined {
    let found: [number, { at: number; run: () => void }] | undefined;
    for (const entry of timers)
      if (entry[1].at <= until && (found === undefined || entry[1].at < found[1].at)) found = entry;
    return found;
  }

  return {
    now: () => time,
    after(ms, run) {
      const id = ++last;
      timers.set(id, { at: time + Math.max(0, ms), run });
      return () => void timers.delete(id);
    },
    soon: (run) => void setImmediate(run),
    async advance(ms) {
      // As after a suspended machine: the time changes at once, and each due timer fires once before new
      // timers fire.
      time += ms;
      for (let round = 0; round < 50; round++) {
        const due: (() => void)[] = [];
        for (let found = nextDue(time); found !== undefined; found = nextDue(time)) {
          timers.delete(found[0]);
          due.push(found[1].run);
        }
        for (const run of due) run();
        await turn();
        if (nextDue(time) === undefined && due.length === 0) return;
      }
    },
  };
}
