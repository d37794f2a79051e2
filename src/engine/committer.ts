import type { Clock } from '../ports/clock.ts';
import type { Checkpoint, CheckpointResult, ExecutionStore } from '../ports/store.ts';

export type Committed = (result: CheckpointResult | null, error: unknown) => void;

/** At most so many checkpoints and bytes go into one transaction, so that none holds the writer for long. */
const batchCount = 1_000;
const batchBytes = 16 * 1024 * 1024;

/**
 * The one way of executions to the disk. Everything that is pending when the writer is free goes into one transaction
 * with one fsync, in the order of its arrival; then everything that waited for it is released. So the cost of the disk is
 * shared by all that happen at the same time, and an execution's own checkpoints never overtake each other.
 */
export class Committer {
  private readonly store: Pick<ExecutionStore, 'commit'>;
  private readonly clock: Clock;
  private pending: { checkpoint: Checkpoint; size: number; done: Committed }[] = [];
  private busy = false;
  private armed = false;
  private idle: (() => void)[] = [];
  /** Bytes that wait for the disk. */
  pendingBytes = 0;

  constructor(store: Pick<ExecutionStore, 'commit'>, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  get pendingCount(): number {
    return this.pending.length;
  }

  submit(checkpoint: Checkpoint, size: number, done: Committed): void {
    this.pending.push({ checkpoint, size, done });
    this.pendingBytes += size;
    if (this.busy || this.armed) return;
    this.armed = true;
    // What else this turn of the event loop brings goes into the same transaction.
    this.clock.soon(() => {
      this.armed = false;
      if (!this.busy) void this.write();
    });
  }

  /** Resolves when nothing is pending. */
  flushed(): Promise<void> {
    if (!this.busy && this.pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private async write(): Promise<void> {
    this.busy = true;
    while (this.pending.length > 0) {
      const batch = this.take();
      let results: CheckpointResult[] | null = null;
      let error: unknown = null;
      try {
        results = await this.store.commit(batch.map((b) => b.checkpoint));
      } catch (thrown) {
        error = thrown;
      }
      batch.forEach((entry, i) => {
        this.pendingBytes -= entry.size;
        entry.done(results?.[i] ?? null, error);
      });
    }
    this.busy = false;
    const waiting = this.idle;
    this.idle = [];
    for (const resolve of waiting) resolve();
  }

  private take(): { checkpoint: Checkpoint; size: number; done: Committed }[] {
    let bytes = 0;
    let count = 0;
    while (count < this.pending.length && count < batchCount && (count === 0 || bytes < batchBytes))
      bytes += this.pending[count++]!.size;
    if (count === this.pending.length) {
      const all = this.pending;
      this.pending = [];
      return all;
    }
    return this.pending.splice(0, count);
  }
}
