import type { Clock } from '../../../ports/clock.ts';
import type { FileStore } from '../../../ports/files.ts';
import type {
  Checkpoint,
  CheckpointResult,
  NewExecution,
  StateSnapshot,
} from '../../../ports/store/checkpoint.ts';
import type { GroupCommitter } from '../group-commit.ts';
import type { EventEncoder } from '../../journal/event-encoder.ts';
import type { Snapshots } from './snapshots.ts';

/** The delay before a failed write of a checkpoint is retried. */
const WRITE_RETRY_DELAY_MS = 500;

export type CheckpointWriterDeps = { committer: GroupCommitter; files: FileStore; clock: Clock };
/** The execution that writes the checkpoints. */
export type CheckpointOwner = {
  readonly isEvicted: boolean;
  /** Evicts the execution: another worker holds it, it was stopped or deleted, or it was never created. */
  abandon(): void;
  /** The execution's fence is no longer current. */
  stale(): void;
  readonly snapshots: Pick<Snapshots, 'add' | 'take'>;
};
/** The part of a checkpoint that the owner provides; the writer adds the position in the journal. */
export type CheckpointContent = Omit<
  Checkpoint,
  'create' | 'isFirstClaim' | 'fence' | 'seq' | 'events' | 'blobs' | 'snapshot'
>;
/** Where the next journal row goes, and whether the first checkpoint also creates or takes the execution. */
export type JournalPosition = Pick<Checkpoint, 'fence' | 'seq' | 'create' | 'isFirstClaim'>;

/**
 * Writes the checkpoints of one execution, one at a time: large values first, then the row that names them. A
 * failed write is retried, unless it is the one that creates the execution: that one fails to the caller.
 */
export class CheckpointWriter {
  private readonly deps: CheckpointWriterDeps;
  private readonly owner: CheckpointOwner;
  private readonly fence: number;
  private seq: number;
  private create: NewExecution | null;
  private isFirstClaim: boolean;
  private accept: { resolve: (result: CheckpointResult) => void; reject: (error: unknown) => void } | null =
    null;
  /** Whether a checkpoint is in flight. */
  isBusy = false;

  constructor(deps: CheckpointWriterDeps, owner: CheckpointOwner, position: JournalPosition) {
    this.deps = deps;
    this.owner = owner;
    this.fence = position.fence;
    this.seq = position.seq;
    this.create = position.create;
    this.isFirstClaim = position.isFirstClaim === true;
  }

  /** Resolves with the store's result for the first checkpoint. Rejects when it could not be written. */
  accepted(): Promise<CheckpointResult> {
    return new Promise((resolve, reject) => (this.accept = { resolve, reject }));
  }

  /** `committed` is called when the checkpoint is on disk, unless the owner was evicted before. */
  write(content: CheckpointContent, encoder: EventEncoder, committed: () => void): void {
    this.isBusy = true;
    const { fence, seq, create } = this;
    const checkpoint: Checkpoint = { ...content, create, fence, seq, events: '', blobs: [] };
    if (this.isFirstClaim) checkpoint.isFirstClaim = true;
    const { snapshots } = this.owner;
    snapshots.add(encoder);
    const snapshot = snapshots.take(content.status === 'waiting');
    if (encoder.hasNoLargeValues && snapshot === null) {
      checkpoint.events = encoder.inline();
      this.submit(checkpoint, encoder.size, committed);
    } else this.submitLarge(checkpoint, encoder, snapshot, committed);
  }

  /** Writes what must be on disk before the row, or takes time to encode. */
  private submitLarge(
    checkpoint: Checkpoint,
    encoder: EventEncoder,
    snapshot: Promise<StateSnapshot | null> | null,
    committed: () => void,
  ): void {
    Promise.all([encoder.store(this.deps.files), snapshot]).then(
      ([stored, encoded]) => {
        checkpoint.events = stored.events;
        checkpoint.blobs = stored.blobs;
        if (encoded !== null) checkpoint.snapshot = encoded;
        this.submit(checkpoint, encoder.size + (encoded?.data.length ?? 0), committed);
      },
      (error: unknown) =>
        this.failed(error, () => this.submitLarge(checkpoint, encoder, snapshot, committed)),
    );
  }

  private submit(checkpoint: Checkpoint, size: number, committed: () => void): void {
    this.deps.committer.submit(checkpoint, size, (result, error) => {
      if (result === null) return this.failed(error, () => this.submit(checkpoint, size, committed));
      this.isBusy = false;
      this.seq++;
      this.create = null;
      this.isFirstClaim = false;
      const { accept } = this;
      this.accept = null;
      if (result.kind !== 'written') {
        this.owner.abandon();
        if (accept !== null) accept.resolve(result);
        else this.owner.stale();
        return;
      }
      accept?.resolve(result);
      if (!this.owner.isEvicted) committed();
    });
  }

  private failed(error: unknown, retry: () => void): void {
    if (this.accept !== null) {
      this.isBusy = false;
      const { reject } = this.accept;
      this.accept = null;
      this.owner.abandon();
      reject(error);
    } else if (!this.owner.isEvicted) this.deps.clock.after(WRITE_RETRY_DELAY_MS, retry);
  }
}
