import type { Clock } from '../ports/clock.ts';

/** Timers of this clock never keep the process alive; the server and the store do. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
    soon: (run) => void setImmediate(run),
  };
}
