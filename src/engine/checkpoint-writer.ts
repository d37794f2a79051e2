import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Checkpoint, CheckpointResult, NewExecution } from '../ports/store/checkpoint.ts';
import type { GroupCommitter } from './group-commit.ts';
import type { EventEncoder } from './event-encoder.ts';

/** How long (ms) to wait before a checkpoint that the disk refused is tried again. */
const writeAgain = 500;

export type CheckpointWriterDeps = { committer: GroupCommitter; files: FileStore; clock: Clock };
/** Whose checkpoints they are. */
export type CheckpointOwner = {
  readonly isOver: boolean;
  /** Puts it down: someone else holds or ended it, or it never came to be. */
  abandon(): void;
  /** Its fence is not current. */
  stale(): void;
};
/** What the owner says of itself; the writer knows its place in the journal. */
export type CheckpointContent = Omit<Checkpoint, 'create' | 'takes' | 'fence' | 'seq' | 'events' | 'blobs'>;
/** Where its next row of the journal goes, and what its first checkpoint does beside: create it, or take it. */
export type Position = Pick<Checkpoint, 'fence' | 'seq' | 'create' | 'takes'>;

/**
 * Brings the checkpoints of one execution to the disk, one at a time: large values first, then the row that names them. What
 * the disk refuses is kept and tried again, unless nobody was told yet that the execution exists.
 */
export class CheckpointWriter {
  private readonly deps: CheckpointWriterDeps;
  private readonly owner: CheckpointOwner;
  private readonly fence: number;
  private seq: number;
  private create: NewExecution | null;
  private takes: boolean;
  private accept: { resolve: (result: CheckpointResult) => void; reject: (error: unknown) => void } | null =
    null;
  /** Whether one is on its way. */
  isBusy = false;

  constructor(deps: CheckpointWriterDeps, owner: CheckpointOwner, position: Position) {
    this.deps = deps;
    this.owner = owner;
    this.fence = position.fence;
    this.seq = position.seq;
    this.create = position.create;
    this.takes = position.takes === true;
  }

  /** What the store says of the first checkpoint. Rejects when it could not be written. */
  accepted(): Promise<CheckpointResult> {
    return new Promise((resolve, reject) => (this.accept = { resolve, reject }));
  }

  /** `release` is called once it is on the disk, unless the owner is over by then. */
  write(content: CheckpointContent, texts: EventEncoder, release: () => void): void {
    this.isBusy = true;
    const { fence, seq, create } = this;
    const checkpoint: Checkpoint = { ...content, create, fence, seq, events: '', blobs: [] };
    if (this.takes) checkpoint.takes = true;
    if (texts.plain) {
      checkpoint.events = texts.inline();
      this.submit(checkpoint, texts.size, release);
    } else this.submitLarge(checkpoint, texts, release);
  }

  private submitLarge(checkpoint: Checkpoint, texts: EventEncoder, release: () => void): void {
    texts.store(this.deps.files).then(
      (stored) => {
        checkpoint.events = stored.events;
        checkpoint.blobs = stored.blobs;
        this.submit(checkpoint, texts.size, release);
      },
      (error: unknown) => this.refused(error, () => this.submitLarge(checkpoint, texts, release)),
    );
  }

  private submit(checkpoint: Checkpoint, size: number, release: () => void): void {
    this.deps.committer.submit(checkpoint, size, (result, error) => {
      if (result === null) return this.refused(error, () => this.submit(checkpoint, size, release));
      this.isBusy = false;
      this.seq++;
      this.create = null;
      this.takes = false;
      const { accept } = this;
      this.accept = null;
      if (result.kind !== 'written') {
        this.owner.abandon();
        if (accept !== null) accept.resolve(result);
        else this.owner.stale();
        return;
      }
      accept?.resolve(result);
      if (!this.owner.isOver) release();
    });
  }

  /** The disk refused. What was not acknowledged fails to its caller; what was is kept here and written when there is room. */
  private refused(error: unknown, again: () => void): void {
    if (this.accept !== null) {
      this.isBusy = false;
      const { reject } = this.accept;
      this.accept = null;
      this.owner.abandon();
      reject(error);
    } else if (!this.owner.isOver) this.deps.clock.after(writeAgain, again);
  }
}
