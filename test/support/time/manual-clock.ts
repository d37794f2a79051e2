import type { Clock } from '../../../src/ports/clock.ts';

/** A clock that advances only on request and runs due timers in order. `soon` uses the real event loop. */
export class ManualClock implements Clock {
  private time: number;
  private readonly alarms = new Set<{ at: number; run: () => void }>();

  constructor(start = 1_800_000_000_000) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.time + ms, run };
    this.alarms.add(alarm);
    return () => void this.alarms.delete(alarm);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Discards all pending timers, as when their process ends. */
  forget(): void {
    this.alarms.clear();
  }

  advance(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const due = [...this.alarms].filter((a) => a.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.alarms.delete(due);
      this.time = Math.max(this.time, due.at);
      due.run();
    }
    this.time = until;
  }
}
