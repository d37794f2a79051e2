import { isSettled } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult } from '../../ports/store/checkpoint.ts';
import { WRITTEN } from '../procedures/commit.ts';
import type { DirectOutcome } from './direct-writer.ts';
import { diskFailure } from './failure.ts';
import { packBatch, type PackedBatch } from './packed-batch.ts';
import type { Patience } from './patience.ts';
import { LONGEST, type RedoLog } from './redo-log.ts';
import type { Redone } from './redo-recovery.ts';

/** Records and ms after which the thread gets what was written, if nobody asks for it sooner. */
const MANY = 32;
const LONG = 10;
/** ms that the thread may take for it before nothing more is taken: what is acknowledged should soon be seen. */
const TOO_LONG = 250;
/** ms after which it is given again when it could not be put into the database. */
const AGAIN = 1_000;

export type RedoWriter = {
  /**
   * Writes a batch, if it is one of those that cannot fail. Only while the thread has nothing to do but what it has from here:
   * what the batch rests on cannot change before its turn.
   */
  take(batch: readonly Checkpoint[]): DirectOutcome<CheckpointResult[]>;
  /** Before any other write is given to the thread: what was taken is put into the database first. */
  yieldTo(): void;
  /** Whether all that was taken is in the database. */
  isEmpty(): boolean;
  /** When what was taken can be read. Null: now, or when the disk has room again, which nobody should wait for. */
  readable(): Promise<void> | null;
  close(): Promise<void>;
};

type RedoWriterOptions = {
  /** Null: there is none, and nothing is taken. */
  log: RedoLog | null;
  epoch: string;
  patience: Patience;
  /** As it is in the database now. */
  isAlive(workflowId: string, ownerId: string): boolean;
  /** Whether there is room in the database for what is taken: else it could not be read until there is. */
  hasRoom(): boolean;
  /** Puts records into the database, in the thread. False: it cannot now, for want of room or of a lock. */
  put(batch: PackedBatch, which: Redone): Promise<boolean>;
  now?: () => number;
};

/**
 * Writes executions that are begun and settled by one checkpoint into the redo log: one short write, where the database needs six
 * pages and all the work that fills them. The thread does that later, for many in one transaction. Everything else that is
 * written comes after them, and every read waits for them, so that nobody can tell while the database can be written.
 */
export function createRedoWriter(options: RedoWriterOptions): RedoWriter {
  const { log, epoch, patience, now = () => performance.now() } = options;
  /** Taken, and not known to be in the database: the first is record `first`. The thread has the first `given` of them. */
  const taken: PackedBatch[] = [];
  let first = 1;
  let given = 0;
  let jobs = 0;
  /** When the thread began to have some of them without a pause. */
  let since = 0;
  /** The last try failed. Until one succeeds nothing is taken, nobody waits, and one try is made at a time. */
  let isStuck = false;
  let lastTry: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  /** Workflows that are there, as far as no other write changes it. */
  const alive = new Set<string>();

  const isThere = ({ create }: Checkpoint): boolean => {
    const { workflowId, ownerId } = create!;
    const name = `${workflowId} ${ownerId}`;
    if (!alive.has(name) && options.isAlive(workflowId, ownerId)) alive.add(name);
    return alive.has(name);
  };

  const mayTake = (batch: readonly Checkpoint[]): boolean => {
    if (isStuck || (jobs > 0 && now() - since > TOO_LONG)) return false;
    try {
      return batch.every(isWhole) && options.hasRoom() && batch.every(isThere);
    } catch {
      // The thread meets the same, and tells what it is.
      return false;
    }
  };

  function give(): void {
    if (!isStuck) giveAll();
  }

  function giveAll(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (given === taken.length || (isStuck && jobs > 0)) return;
    const which = { epoch, from: first + given, to: first + taken.length - 1 };
    const batch = taken.slice(given).flat();
    given = taken.length;
    if (jobs++ === 0) since = now();
    lastTry = put(batch, which);
  }

  async function put(batch: PackedBatch, which: Redone): Promise<void> {
    let isDone: boolean | null = null;
    try {
      isDone = await options.put(batch, which);
    } catch {
      // The writer has told of it: the process ends, and the next start does it.
    }
    jobs--;
    since = now();
    if (isDone === true) {
      const count = which.to - first + 1;
      taken.splice(0, count);
      first += count;
      given -= count;
      log!.release(which.to);
      isStuck = false;
      return;
    }
    isStuck = true;
    // All from there on are given again, in their order, when the last job that is under way has come back.
    given = Math.min(given, which.from - first);
    if (isDone === false && jobs === 0) giveIn(AGAIN);
  }

  function giveIn(ms: number): void {
    timer ??= setTimeout(giveAll, ms);
  }

  return {
    take(batch) {
      if (log === null || !mayTake(batch)) return null;
      const packed = packBatch(batch);
      const text = JSON.stringify(packed);
      try {
        const isWritten = patience.spend(() => log.append(first + taken.length, text)) ?? false;
        if (!isWritten) return null;
      } catch (error) {
        return { failure: diskFailure(error) };
      }
      taken.push(packed);
      if (taken.length - given >= MANY) give();
      else giveIn(LONG);
      return { value: batch.map(() => WRITTEN) };
    },
    yieldTo() {
      // An empty one is not cleared: V8 would make it a new table, at each commit.
      if (alive.size > 0) alive.clear();
      give();
    },
    isEmpty: () => taken.length === 0,
    readable() {
      if (taken.length === 0 || isStuck) return null;
      give();
      return lastTry;
    },
    async close() {
      give();
      // What does not get there now does when the store is opened again.
      await lastTry;
      if (timer !== null) clearTimeout(timer);
      log?.close();
    },
  };
}

/** Begun and settled at once, with nothing beside it that could refuse it or must be written with it, and not too long. */
function isWhole(checkpoint: Checkpoint): boolean {
  const { create, status, events, blobs, takes, wake, follow } = checkpoint;
  if (create === null || !isSettled(status) || blobs.length > 0 || events.length > LONGEST) return false;
  if (takes !== undefined || wake !== undefined || follow !== undefined) return false;
  const { dedupe, tick, polled, files } = create;
  if (dedupe !== null || tick !== null || polled !== undefined || files !== undefined) return false;
  // The database takes no others, and JSON has none.
  const numbers = [checkpoint.progress, checkpoint.seq, checkpoint.startTime ?? 0, checkpoint.endTime ?? 0];
  return [...numbers, create.createdAt, create.retention, create.workflowVersion].every(Number.isFinite);
}
