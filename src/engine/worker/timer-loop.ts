import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { DueTimer } from '../../ports/store/timers.ts';
import type { Lease } from './lease.ts';

/** Due timers that one query reads, in addition to those that remain of the last one, and in total. */
const BATCH_SIZE = 200;
const MAX_BATCH_SIZE = 10_000;
/** The longest pause while no other timer is due than before. */
const MAX_REPEAT_PAUSE_MS = 200;
/** The shortest and longest pause between two queries. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 60_000;
/** In a cluster, timers of other processes are found too, and messages about new ones may be lost. */
const MIN_CLUSTER_PAUSE_MS = 100;
const MAX_CLUSTER_PAUSE_MS = 2_000;
const ERROR_PAUSE_MS = 1_000;

/**
 * Fires the timers of the store when they are due. The rows are the source of truth; memory holds only the
 * time of the next query. A row stays until the checkpoint of its consequence clears it, so a crash in
 * between fires it again.
 */
export class TimerLoop {
  private readonly store: Pick<ExecutionStore, 'dueTimers' | 'nextTimer'>;
  private readonly clock: Clock;
  /** Null: this process is alone on its store. */
  private readonly lease: Lease | null;
  private readonly fire: (timer: DueTimer) => void;
  private readonly failed: (error: unknown) => void;
  /** Timers of the last query. A row remains while its execution is loaded, or cannot be. */
  private fired = new Set<string>();
  private repeatPause = 0;
  private nextQueryAt = Infinity;
  private cancel: (() => void) | null = null;
  private isRunning = false;
  private isStopped = true;

  constructor(
    store: Pick<ExecutionStore, 'dueTimers' | 'nextTimer'>,
    clock: Clock,
    lease: Lease | null,
    fire: (timer: DueTimer) => void,
    failed: (error: unknown) => void,
  ) {
    this.store = store;
    this.clock = clock;
    this.lease = lease;
    this.fire = fire;
    this.failed = failed;
  }

  start(): void {
    this.isStopped = false;
    this.scheduleAt(0);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel?.();
  }

  /** Schedules a query at `dueAt`, when a newly written timer is due. */
  scheduleAt(dueAt: number): void {
    if (this.isStopped || dueAt >= this.nextQueryAt) return;
    this.nextQueryAt = dueAt;
    this.cancel?.();
    const pause = Math.min(MAX_PAUSE_MS, Math.max(0, dueAt - this.clock.now()));
    this.cancel = this.clock.after(pause, () => void this.runDueTimers());
  }

  private async runDueTimers(): Promise<void> {
    if (this.isRunning || this.isStopped) return;
    this.isRunning = true;
    this.nextQueryAt = Infinity;
    let pause = MAX_PAUSE_MS;
    try {
      const { lease } = this;
      const now = this.clock.now();
      const limit = Math.min(MAX_BATCH_SIZE, BATCH_SIZE + this.fired.size);
      const due =
        lease === null
          ? await this.store.dueTimers(now, limit, null)
          : await this.store.dueTimers(now, limit, lease.worker, lease.takeoverTime);
      for (const timer of due) this.fire(timer);
      const repeatPause = this.noteDue(due);
      const next = await this.store.nextTimer();
      const [soon, late] =
        lease === null ? [MIN_PAUSE_MS, MAX_PAUSE_MS] : [MIN_CLUSTER_PAUSE_MS, MAX_CLUSTER_PAUSE_MS];
      pause = next === null ? late : Math.max(soon, repeatPause, Math.min(late, next - this.clock.now()));
    } catch (error) {
      this.failed(error);
      pause = ERROR_PAUSE_MS;
    }
    this.isRunning = false;
    const asked = this.nextQueryAt;
    this.nextQueryAt = Infinity;
    this.scheduleAt(Math.min(asked, this.clock.now() + pause));
  }

  /** Remembers the due timers. Returns the minimum pause in ms, which grows while all were due before. */
  private noteDue(due: readonly DueTimer[]): number {
    const keys = due.map(({ executionId, path }) => `${executionId} ${path}`);
    const isRepeated = keys.length > 0 && keys.every((key) => this.fired.has(key));
    this.fired = new Set(keys);
    this.repeatPause = isRepeated ? Math.min(MAX_REPEAT_PAUSE_MS, 2 * this.repeatPause) : MIN_PAUSE_MS;
    return isRepeated ? this.repeatPause : 0;
  }
}
