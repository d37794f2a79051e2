import { randomFillSync } from 'node:crypto';
import { createTimeOrderedIds } from '../lib/ids.ts';
import type { Clock } from '../ports/clock.ts';
import { idPrefixes, type Ids } from '../ports/ids.ts';

/** Timers of this clock never keep the process alive; the server and the store do. */
export function systemClock(): Clock {
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

export function createIds(now: () => number): Ids {
  const next = createTimeOrderedIds(now, (bytes) => void randomFillSync(bytes));
  return { next: (kind) => `${idPrefixes[kind]}_${next()}` };
}
