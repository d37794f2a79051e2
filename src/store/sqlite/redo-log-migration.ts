import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type Database from 'better-sqlite3';
import { commit } from '../transactions/commit.ts';
import * as executions from '../queries/executions.ts';
import * as meta from '../queries/meta.ts';
import { change, selectFirst } from '../statement.ts';
import { openForWriting, type Connection } from './connection.ts';
import { toError, toFailure } from './failure.ts';
import { migrate } from './migrate.ts';
import { decodeBatch, type EncodedBatch } from './writer/batch-codec.ts';

/*
 * Earlier versions acknowledged some executions when they were in a redo log, `weft.db-redo`, and moved them
 * to the database some milliseconds later. This file moves what such a version left behind, once, and removes
 * the log.
 *
 * The log is a file of fixed size. A record begins at a multiple of BLOCK and shares no block with another
 * record:
 *
 *   0   01 'r' 'd'
 *   3   the format of the text
 *   4   CRC-32 of all that follows
 *   8   the epoch, 8 bytes: the run of the program that wrote the record
 *   16  the number, 6 bytes: 1, 2, 3 … within the epoch
 *   24  the length of the text in bytes
 *   32  the text: a `PackedBatch` as JSON, UTF-8
 *
 * The row `redo` of the table `meta` is `<epoch> <number>`: the database contains all records of earlier
 * epochs, and those of this epoch up to this number.
 */
const MAGIC = 0x64_72_01;
const FORMAT = 1;
const HEADER_BYTES = 32;
const BLOCK_BYTES = 4096;
const META_NAME = 'redo';

type RedoRecord = { format: number; epoch: string; number: number; text: string };

export function getRedoLogPath(databaseFile: string): string {
  return `${databaseFile}-redo`;
}

/**
 * Moves the executions of a redo log into the database and removes the log. Returns how many were moved;
 * null: there is no log. Records are applied in one transaction that also deletes the row `redo`, so a
 * process that is killed at any point either repeats the move or finds nothing left to move. Throws an error
 * fit for the terminal when a record cannot be read or applied.
 */
export function migrateRedoLog(databaseFile: string, now: number): number | null {
  const file = getRedoLogPath(databaseFile);
  if (!existsSync(file)) return null;
  const moved = moveRecords(databaseFile, now);
  rmSync(file);
  syncFolder(path.dirname(file));
  return moved;
}

function moveRecords(databaseFile: string, now: number): number {
  let connection: Connection | null = null;
  try {
    connection = openForWriting(databaseFile);
    migrate(connection.db, now);
    connection.exec('BEGIN IMMEDIATE');
    const records = listMissingRecords(connection.db, databaseFile);
    const moved = applyAll(connection, records, getRedoLogPath(databaseFile));
    connection.run(change(meta.remove, META_NAME));
    connection.exec('COMMIT');
    return moved;
  } catch (error) {
    throw toError(toFailure(error));
  } finally {
    connection?.db.close();
  }
}

/** The records of the redo log that the database does not contain, in their order. */
export function listMissingRecords(db: Database.Database, databaseFile: string): RedoRecord[] {
  const records = readRecords(getRedoLogPath(databaseFile));
  if (records.length === 0) return [];
  const state = db.prepare<[string], string>(meta.get).pluck().get(META_NAME);
  const [current, applied] = state?.split(' ') ?? [];
  return records.filter(({ epoch, number }) => epoch === current && number > Number(applied));
}

function applyAll(connection: Connection, records: readonly RedoRecord[], file: string): number {
  let moved = 0;
  for (const { format, number, text } of records) {
    if (format !== FORMAT)
      throw new Error(
        `${file} contains records in format ${format} that are not in the database; this version reads format ${FORMAT}. Start the version of Weft that wrote them once, and stop it.`,
      );
    try {
      moved += apply(connection, JSON.parse(text) as EncodedBatch);
    } catch (error) {
      const { message, isTemporary } = toFailure(error);
      if (isTemporary) throw error;
      throw new Error(
        `Record ${number} of ${file} cannot be moved to the database (${message}). Keep the file and report this; without the file Weft starts without the record.`,
        { cause: error },
      );
    }
  }
  return moved;
}

/** Returns the number of executions written. A record is rejected when its workflow no longer exists. */
function apply(connection: Connection, packed: EncodedBatch): number {
  const batch = decodeBatch(packed).filter(
    ({ executionId }) => connection.run(selectFirst(executions.head, executionId)) === null,
  );
  return connection.run(commit(batch)).filter(({ kind }) => kind === 'written').length;
}

/** Records with a valid checksum, of all epochs; those of one epoch in the order of their numbers. */
function readRecords(file: string): RedoRecord[] {
  const bytes = readContents(file);
  const records: RedoRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; at += BLOCK_BYTES) {
    if (bytes.readUIntLE(at, 3) !== MAGIC) continue;
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at + 24);
    if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) continue;
    records.push({
      format: bytes.readUInt8(at + 3),
      epoch: bytes.toString('hex', at + 8, at + 16),
      number: bytes.readUIntLE(at + 16, 6),
      text: bytes.toString('utf8', at + HEADER_BYTES, end),
    });
  }
  return records.toSorted((a, b) => a.number - b.number);
}

function readContents(file: string): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  try {
    return readFileSync(file);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${file} cannot be read (${message}). It may contain executions that are not in the database.`,
      {
        cause: error,
      },
    );
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
