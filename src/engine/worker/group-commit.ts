import type { Clock } from '../../ports/clock.ts';
import type { Checkpoint, CheckpointResult } from '../../ports/store/checkpoint.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

export type CommitCallback = (result: CheckpointResult | null, error: unknown) => void;

/** Limits of one batch, so that none occupies the writer for long. */
const MAX_BATCH_COUNT = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/**
 * A batch of this size is sent before the current event-loop turn ends, so that the disk works in parallel.
 */
const EARLY_SEND_COUNT = 16;
/** Batches in flight at once: the next one is prepared while one waits for the disk. */
const MAX_IN_FLIGHT = 2;

type Entry = { checkpoint: Checkpoint; size: number; done: CommitCallback };

/**
 * Writes the checkpoints of all executions. Pending checkpoints share one transaction and one fsync, in the
 * order of their arrival. Each execution has at most one checkpoint in flight, so its checkpoints never
 * overtake each other.
 */
export class GroupCommitter {
  private readonly store: Pick<ExecutionStore, 'commit'>;
  private readonly clock: Clock;
  private pending: Entry[] = [];
  private inFlight = 0;
  private isSendScheduled = false;
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
    if (this.inFlight < MAX_IN_FLIGHT && this.pending.length >= EARLY_SEND_COUNT) this.send();
    else if (this.inFlight < MAX_IN_FLIGHT && !this.isSendScheduled) {
      this.isSendScheduled = true;
      // Checkpoints of the same event-loop turn go into the same transaction.
      this.clock.soon(() => {
        this.isSendScheduled = false;
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
    if (this.pending.length === 0 || this.inFlight >= MAX_IN_FLIGHT) return;
    const batch = this.takeBatch();
    this.inFlight++;
    this.store.commit(batch.map((entry) => entry.checkpoint)).then(
      (results) => this.handleWritten(batch, results, null),
      (error: unknown) => this.handleWritten(batch, null, error),
    );
  }

  private handleWritten(batch: Entry[], results: CheckpointResult[] | null, error: unknown): void {
    this.inFlight--;
    batch.forEach((entry, i) => {
      this.pendingBytes -= entry.size;
      entry.done(results?.[i] ?? null, error);
    });
    this.send();
    if (this.inFlight > 0 || this.pending.length > 0) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private takeBatch(): Entry[] {
    let bytes = 0;
    let count = 0;
    while (count < this.pending.length && count < MAX_BATCH_COUNT && (count === 0 || bytes < MAX_BATCH_BYTES))
      bytes += this.pending[count++]!.size;
    if (count === this.pending.length) {
      const all = this.pending;
      this.pending = [];
      return all;
    }
    return this.pending.splice(0, count);
  }
}
