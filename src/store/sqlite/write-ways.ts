import path from 'node:path';
import type { Checkpoint, CheckpointResult } from '../../ports/store/checkpoint.ts';
import type { Driver } from '../driver.ts';
import type { Arguments, ProcedureName, Result } from '../procedures/registry.ts';
import { createDirectWriter, type DirectOutcome } from './direct-writer.ts';
import { createRoomCheck } from './disk-room.ts';
import { errorOf } from './failure.ts';
import { Patience } from './patience.ts';
import { openRedoLog, redoFileOf } from './redo-log.ts';
import { createRedoWriter } from './redo-writer.ts';
import type { Thread } from './thread.ts';

/** Checkpoints in a batch that may be written without the thread, into the redo log or into the database. */
const FEW_FOR_LOG = 4;
const FEW = 2;
/** Direct writes after which the writer thread looks after the write-ahead log. */
const TEND_EVERY = 32;

export type WriteWays = {
  readonly write: Driver['write'];
  /** When everything that resolved can be read. Null: now. */
  readable(): Promise<void> | null;
  /** After all that was given; the thread goes on. */
  close(): Promise<void>;
};

type WriteWaysOptions = {
  file: string;
  writer: Thread;
  epoch: string;
  isAlive: (workflowId: string, ownerId: string) => boolean;
  /** The outcome of a write is about to be known. */
  written: () => void;
  onFatal: (error: Error) => void;
};

/**
 * A few checkpoints are written on the event loop, into the redo log or into the database; all else goes to the writer thread.
 * Whichever way they go, writes take effect in the order in which they were given.
 */
export function createWriteWays({
  file,
  writer,
  epoch,
  isAlive,
  written,
  onFatal,
}: WriteWaysOptions): WriteWays {
  const patience = new Patience();
  const direct = createDirectWriter(file, patience);
  let untended = 0;
  let broken: Error | null = null;
  let isClosing = false;

  const known = <T>(outcome: Promise<T>): Promise<T> =>
    outcome.then((value) => {
      written();
      return value;
    });

  const redo = createRedoWriter({
    log: openRedoLog(redoFileOf(file), epoch),
    epoch,
    patience,
    isAlive,
    hasRoom: createRoomCheck(path.dirname(file)),
    put: (batch, which) => known(writer.redo(batch, which)),
  });

  const tend = (): void => {
    if (++untended < TEND_EVERY) return;
    // What goes wrong there, the writer reports itself.
    writer.tend(untended).catch(() => {});
    untended = 0;
  };

  /** Null: the thread must do it. */
  const writeHere = (batch: readonly Checkpoint[]): DirectOutcome<CheckpointResult[]> => {
    if (isClosing || batch.length > FEW_FOR_LOG) return null;
    const outcome = writer.onlyRedoes() ? redo.take(batch) : null;
    if (outcome !== null) return outcome;
    if (batch.length > FEW || !writer.isIdle() || !redo.isEmpty()) return null;
    const done = direct.run('commit', [batch]);
    if (done !== null && 'value' in done) {
      written();
      tend();
    }
    return done;
  };

  const writeThere = <K extends ProcedureName>(name: K, args: Arguments<K>): Promise<Result<K>> => {
    redo.yieldTo();
    if (name !== 'commit') return known(writer.run(name, ...args));
    return known(writer.commit(args[0] as readonly Checkpoint[]) as Promise<Result<K>>);
  };

  return {
    write(name, ...args) {
      if (broken !== null) return Promise.reject(broken);
      const outcome = name === 'commit' ? writeHere(args[0] as readonly Checkpoint[]) : null;
      if (outcome === null) return writeThere(name, args);
      if ('value' in outcome) return Promise.resolve(outcome.value as Result<typeof name>);
      const error = errorOf(outcome.failure);
      if (outcome.failure.fatal) onFatal((broken = error));
      return Promise.reject(error);
    },
    readable: () => redo.readable(),
    async close() {
      isClosing = true;
      await redo.close();
      direct.close();
    },
  };
}
