import type { Clock } from '../ports/clock.ts';

export type DueWorkDeps<T, C> = {
  due(now: number, limit: number): Promise<T[]>;
  /** When the next work is due; null: none. */
  next(): Promise<number | null>;
  /** Returns what the writes of the work need; null: another process has it. */
  claim(work: T, now: number): Promise<C | null>;
  /** Does the work, and records its end. `signal` aborts when the process stops or loses the leadership. */
  serve(work: T, claim: C, signal: AbortSignal): Promise<void>;
  maxConcurrency: number;
  /** Maximum sleep, ms: work that another process added is found within this time. */
  maxSleep: number;
  /** The pause after the work could not be read, ms. */
  retryDelay: number;
  /** The messages of errors: the work could not be read, or not done. */
  messages: { read: string; serve: string };
  clock: Clock;
  report(message: string, error: unknown): void;
};

/**
 * A task of the leader that does stored work when it is due, in a limited number at once. A crash only
 * repeats the work that was in progress.
 */
export function createDueWork<T, C>({ clock, ...deps }: DueWorkDeps<T, C>) {
  let isRunning = false;
  let isLooking = false;
  let isWanted = false;
  let cancelSleep = (): void => {};
  const active = new Set<Promise<void>>();
  /** Of the current start: a process may become the leader several times. */
  let stopping = new AbortController();

  function look(): void {
    if (!isRunning) return;
    if (isLooking) {
      isWanted = true;
      return;
    }
    cancelSleep();
    isLooking = true;
    isWanted = false;
    void begin()
      .catch((error: unknown) => {
        deps.report(deps.messages.read, error);
        return deps.retryDelay;
      })
      .then((sleep) => {
        isLooking = false;
        if (!isRunning) return;
        if (isWanted) look();
        else cancelSleep = clock.after(sleep, look);
      });
  }

  /** Starts due work up to the capacity; returns the ms until the next pass. */
  async function begin(): Promise<number> {
    const capacity = deps.maxConcurrency - active.size;
    // Each completed one triggers another pass.
    if (capacity <= 0) return deps.maxSleep;
    const now = clock.now();
    const due = await deps.due(now, capacity);
    const claims = await Promise.all(due.map((one) => deps.claim(one, now)));
    for (const [i, one] of due.entries()) {
      const claim = claims[i] ?? null;
      if (claim === null) continue;
      const work = deps
        .serve(one, claim, stopping.signal)
        .catch((error: unknown) => deps.report(deps.messages.serve, error))
        .finally(() => {
          active.delete(work);
          look();
        });
      active.add(work);
    }
    const next = await deps.next();
    return next === null ? deps.maxSleep : Math.min(deps.maxSleep, Math.max(0, next - clock.now()));
  }

  return {
    start(): void {
      if (isRunning) return;
      isRunning = true;
      stopping = new AbortController();
      look();
    },
    /** Work was added: runs a pass at once. */
    wake: look,
    /** Resolves when the work in progress has ended, which `signal` aborts. */
    async stop(): Promise<void> {
      isRunning = false;
      cancelSleep();
      stopping.abort();
      await Promise.all(active);
    },
  };
}
