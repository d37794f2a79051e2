import type Database from 'better-sqlite3';
import type { CheckpointResult } from '../../ports/store/checkpoint.ts';
import { commit } from '../procedures/commit.ts';
import * as executions from '../queries/executions.ts';
import * as meta from '../queries/meta.ts';
import { change, first } from '../statement.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failure.ts';
import { unpackBatch, type PackedBatch } from './packed-batch.ts';
import { FORMAT, readRedoLog, redoFileOf, type RedoRecord } from './redo-log.ts';

/** What of the redo log is in the database, said by the database itself: written in the transactions that put it there. */
type RedoState = { epoch: string; applied: number };

const NAME = 'redo';
const textOf = (epoch: string, applied: number): string => `${epoch} ${applied}`;

function redoStateOf(db: Database.Database): RedoState | null {
  const text = db.prepare<[string], string>(meta.get).pluck().get(NAME);
  const [epoch, applied] = text?.split(' ') ?? [];
  return epoch === undefined ? null : { epoch, applied: Number(applied) };
}

/** The epoch in which this process writes its records. */
export function currentEpoch(db: Database.Database): string {
  const state = redoStateOf(db);
  if (state === null) throw new Error('The database has no epoch: the writer begins one.');
  return state.epoch;
}

/** Of these records those that the database lacks. Of other epochs it lacks none: an epoch begins when all before it are there. */
export function lacking(db: Database.Database, records: readonly RedoRecord[]): RedoRecord[] {
  if (records.length === 0) return [];
  const state = redoStateOf(db);
  return records.filter(({ epoch, number }) => epoch === state?.epoch && number > state.applied);
}

/** Puts what is missing of a batch into the database, within the transaction that is open. */
export function redo(connection: Connection, packed: PackedBatch): CheckpointResult[] {
  // One that is there was written another way, since its record could not be, as far as was known.
  const batch = unpackBatch(packed).filter(
    ({ executionId }) => connection.run(first(executions.head, executionId)) === null,
  );
  return connection.run(commit(batch));
}

/** The same for records. Throws an error fit for the terminal when one cannot be put there, or another version wrote it. */
export function redoAll(connection: Connection, records: readonly RedoRecord[], file: string): void {
  for (const { format, number, text } of records) {
    if (format !== FORMAT)
      throw new Error(
        `Another version of Weft wrote ${file}, and the database lacks what is in it: start that version once, and stop it.`,
      );
    try {
      // What is refused is of a workflow that somebody took out of the database by other means.
      redo(connection, JSON.parse(text) as PackedBatch);
    } catch (error) {
      const { message, passing } = failureOf(error);
      if (passing) throw error;
      throw new Error(
        `Record ${number} of ${file} cannot be put into the database (${message}). Without that file Weft starts without it: keep it, and report this.`,
        { cause: error },
      );
    }
  }
}

/**
 * Within the transaction that is open, when the writer starts: with it the database lacks nothing more, and a new epoch has begun.
 */
export function recover(connection: Connection, databaseFile: string): void {
  const file = redoFileOf(databaseFile);
  redoAll(connection, lacking(connection.db, readRedoLog(file)), file);
  const epoch = connection.db.prepare<[], string>('SELECT lower(hex(randomblob(8)))').pluck().get()!;
  connection.run(change(meta.put, NAME, textOf(epoch, 0)));
}

/** Records `from` to `to` of an epoch, on their way into the database. */
export type Redone = { epoch: string; from: number; to: number };

/** Notes them, within the transaction that puts them there. Throws when those before them are not there. */
export function noteRedone(connection: Connection, { epoch, from, to }: Redone): void {
  const changed = connection.run(change(meta.replace, textOf(epoch, to), NAME, textOf(epoch, from - 1)));
  if (changed !== 1) throw new Error(`Record ${from} of the redo log came out of turn.`);
}
