import type { Clock } from '../../src/ports/clock.ts';

export type TestClock = Clock & {
  /** Moves time on and fires what became due, earliest first; what these set anew fires too when it is due by then. */
  advance(ms: number): Promise<void>;
};

/** Time that only moves when the test says so. Network and disk are real, so `advance` gives them turns of the event loop. */
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
      // As when a machine was asleep: the time is new at once, and each timer that is due fires once before new ones do.
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
