/** A write on the event loop that took longer (ms) counts as slow. */
const SLOW = 2;
/**
 * What slow ones took (ms) adds up, and is forgotten twenty times as slowly as time goes by; while it is more than so much, the
 * thread does all writing. So the event loop waits for a slow disk for at most a twentieth of the time, and a single slow write,
 * which every disk has now and then, sends nobody to the thread.
 */
const MOST = 50;
const FORGOTTEN = 1 / 20;

/** Whether the event loop may wait for the disk. */
export class MainThreadWriteBudget {
  readonly #now: () => number;
  /** ms that the loop has waited for slow writes, as of `#at`. */
  #waited = 0;
  #at: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Does a write that waits for the disk; null, without doing it, when there were too many slow ones. */
  spend<T>(write: () => T): T | null {
    const started = this.#now();
    this.#waited = Math.max(0, this.#waited - (started - this.#at) * FORGOTTEN);
    this.#at = started;
    if (this.#waited > MOST) return null;
    const outcome = write();
    const took = this.#now() - started;
    if (took > SLOW) this.#waited += took;
    return outcome;
  }
}
