import type { Clock } from '../ports/clock.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { DueTimer } from '../ports/store/timers.ts';

/** Timers that are taken at once, and the shortest pause (ms) between two looks at the rows. */
const batch = 200;
const shortest = 10;
const longest = 60_000;
const shortestAmongOthers = 100;
const longestAmongOthers = 2_000;

/**
 * Fires the timers of the store when they are due. The rows are the truth; in memory there is only the time of the next
 * look. A row stays until the checkpoint of its consequence clears it, so a crash in between fires it again.
 */
export class TimerLoop {
  private readonly store: Pick<ExecutionStore, 'dueTimers' | 'nextTimer'>;
  private readonly clock: Clock;
  /** Null: there is no other. */
  private readonly worker: string | null;
  private readonly fire: (timer: DueTimer) => Promise<void>;
  private readonly failed: (error: unknown) => void;
  private nextLook = Infinity;
  private cancel: (() => void) | null = null;
  private looking = false;
  private stopped = true;

  constructor(
    store: Pick<ExecutionStore, 'dueTimers' | 'nextTimer'>,
    clock: Clock,
    worker: string | null,
    fire: (timer: DueTimer) => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.store = store;
    this.clock = clock;
    this.worker = worker;
    this.fire = fire;
    this.failed = failed;
  }

  start(): void {
    this.stopped = false;
    this.lookAt(0);
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  /** A timer was written that is due at `dueAt`. */
  lookAt(dueAt: number): void {
    if (this.stopped || dueAt >= this.nextLook) return;
    this.nextLook = dueAt;
    this.cancel?.();
    const pause = Math.min(longest, Math.max(0, dueAt - this.clock.now()));
    this.cancel = this.clock.after(pause, () => void this.look());
  }

  private async look(): Promise<void> {
    if (this.looking || this.stopped) return;
    this.looking = true;
    this.nextLook = Infinity;
    let again = longest;
    try {
      const due = await this.store.dueTimers(this.clock.now(), batch, this.worker);
      await Promise.all(due.map((timer) => this.fire(timer)));
      const next = await this.store.nextTimer();
      // Among others, what is due and somebody else's stands in the way; and what others set may not be told.
      const [soon, late] =
        this.worker === null ? [shortest, longest] : [shortestAmongOthers, longestAmongOthers];
      again = next === null ? late : Math.max(soon, Math.min(late, next - this.clock.now()));
    } catch (error) {
      this.failed(error);
      again = 1_000;
    }
    this.looking = false;
    const asked = this.nextLook;
    this.nextLook = Infinity;
    this.lookAt(Math.min(asked, this.clock.now() + again));
  }
}
