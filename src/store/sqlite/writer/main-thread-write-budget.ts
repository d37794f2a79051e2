/** In ms: a longer write on the event loop counts as slow. */
const SLOW_WRITE_MS = 2;
/**
 * In ms: the time spent in slow writes is added up, and decays at a twentieth of elapsed time; while it
 * exceeds this budget, the thread does all writes. The event loop therefore waits for a slow disk for at most
 * 5 % of the time, and a single slow write, which occurs on every disk, does not switch to the thread.
 */
const MAX_SLOW_MS = 50;
const DECAY_RATE = 1 / 20;

/** Decides whether the event loop may wait for the disk. */
export class MainThreadWriteBudget {
  readonly #now: () => number;
  /** In ms: how long the event loop has waited for slow writes, as of `#at`. */
  #waited = 0;
  #at: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Runs a write that waits for the disk; returns null without running it when the budget is exhausted. */
  spend<T>(write: () => T): T | null {
    const started = this.#now();
    this.#waited = Math.max(0, this.#waited - (started - this.#at) * DECAY_RATE);
    this.#at = started;
    if (this.#waited > MAX_SLOW_MS) return null;
    const outcome = write();
    const took = this.#now() - started;
    if (took > SLOW_WRITE_MS) this.#waited += took;
    return outcome;
  }
}
