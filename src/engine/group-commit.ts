import type { Clock } from '../ports/clock.ts';
import type { Checkpoint, CheckpointResult } from '../ports/store/checkpoint.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';

export type CommitCallback = (result: CheckpointResult | null, error: unknown) => void;

/** At most so many checkpoints and bytes go into one batch, so that none holds the writer for long. */
const batchCount = 500;
const batchBytes = 8 * 1024 * 1024;
/** A batch of this size does not wait for the rest of the event loop's turn: the disk works while the loop does. */
const earlyCount = 16;
/** Batches on their way at once: while one waits for the disk, the next is made. */
const mostInFlight = 2;

type Entry = { checkpoint: Checkpoint; size: number; done: CommitCallback };

/**
 * The one way of executions to the disk. What is pending goes into one transaction with one fsync, in the order of its
 * arrival; then everything that waited for it is released. So the cost of the disk is shared by all that happen at the
 * same time. An execution has one checkpoint under way at most, so its own never overtake each other.
 */
export class GroupCommitter {
  private readonly store: Pick<ExecutionStore, 'commit'>;
  private readonly clock: Clock;
  private pending: Entry[] = [];
  private inFlight = 0;
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

  submit(checkpoint: Checkpoint, size: number, done: CommitCallback): void {
    this.pending.push({ checkpoint, size, done });
    this.pendingBytes += size;
    if (this.inFlight < mostInFlight && this.pending.length >= earlyCount) this.send();
    else if (this.inFlight < mostInFlight && !this.armed) {
      this.armed = true;
      // What else this turn of the event loop brings goes into the same transaction.
      this.clock.soon(() => {
        this.armed = false;
        this.send();
      });
    }
  }

  /** Resolves when nothing is pending. */
  flushed(): Promise<void> {
    if (this.inFlight === 0 && this.pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private send(): void {
    if (this.pending.length === 0 || this.inFlight >= mostInFlight) return;
    const batch = this.take();
    this.inFlight++;
    this.store.commit(batch.map((entry) => entry.checkpoint)).then(
      (results) => this.written(batch, results, null),
      (error: unknown) => this.written(batch, null, error),
    );
  }

  private written(batch: Entry[], results: CheckpointResult[] | null, error: unknown): void {
    this.inFlight--;
    batch.forEach((entry, i) => {
      this.pendingBytes -= entry.size;
      entry.done(results?.[i] ?? null, error);
    });
    this.send();
    if (this.inFlight > 0 || this.pending.length > 0) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private take(): Entry[] {
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
