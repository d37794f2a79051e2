import type { Clock } from '../ports/clock.ts';

/** Longer than a call, so that no other process repeats the work while it runs. ms. */
const CLAIM_MS = 45_000;
const MAX_CONCURRENCY = 4;

export type DueWorkDeps<T> = {
  due(now: number, limit: number): Promise<T[]>;
  /** When the next work is due; null: none. */
  next(): Promise<number | null>;
  /** False: another process has it. */
  claim(work: T, until: number): Promise<boolean>;
  /** Does the work, and records its end. `signal` aborts when the process stops or loses the leadership. */
  serve(work: T, until: number, signal: AbortSignal): Promise<void>;
  /** Maximum sleep, ms: work that another process added is found within this time. */
  maxSleep: number;
  /** The messages of errors: the work could not be read, or not done. */
  messages: { read: string; serve: string };
  clock: Clock;
  report(message: string, error: unknown): void;
};

/**
 * A task of the leader that does stored work when it is due, in a limited number at once. A crash only
 * repeats the work that was in progress.
 */
export function createDueWork<T>({ clock, ...deps }: DueWorkDeps<T>) {
  let isRunning = false;
  let isLooking = false;
  let isWanted = false;
  let cancelSleep = (): void => {};
  const active = new Set<Promise<void>>();
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
        return deps.maxSleep;
      })
      .then((sleep) => {
        isLooking = false;
        if (!isRunning) return;
        if (isWanted) look();
        else cancelSleep = clock.after(sleep, look);
      });
  }

  /** Starts due work; returns the ms until the next pass. Each completed one triggers another pass. */
  async function begin(): Promise<number> {
    const capacity = MAX_CONCURRENCY - active.size;
    if (capacity <= 0) return deps.maxSleep;
    const now = clock.now();
    for (const one of await deps.due(now, capacity)) {
      const until = now + CLAIM_MS;
      if (!(await deps.claim(one, until))) continue;
      const work = deps
        .serve(one, until, stopping.signal)
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
    async stop(): Promise<void> {
      isRunning = false;
      cancelSleep();
      stopping.abort();
      await Promise.all(active);
    },
  };
}
