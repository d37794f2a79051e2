import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { fromBytes } from '../../lib/vectors/packed-embedding.ts';
import { isInBucket } from '../../ports/files.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Scalar } from '../statement.ts';
import { checkSchema } from '../sqlite/migrate.ts';
import { DATABASE_FILE } from '../sqlite/open-store.ts';
import { listMissingRecords } from '../sqlite/redo-log-migration.ts';

/** Rows and characters per read. */
const MAX_ROWS = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Tables about processes that have ended, and the schema version. */
const SKIPPED_TABLES = new Set(['migrations', 'workers', 'processes']);

export type SourceTable = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
};
/** `last`: the row id after which to continue; null: there are no more rows. */
export type SourceRows = { readonly rows: Scalar[][]; readonly last: number | null };

/** The data folder that is moved; it is only read. */
export type Source = {
  readonly tables: readonly SourceTable[];
  /** Identifies a state of the folder. */
  readonly fingerprint: string;
  listRowsAfter(table: SourceTable, id: number): SourceRows;
  /** The hashes of all contents that rows refer to, except those in a bucket. */
  hashes(): string[];
  close(): void;
};

/**
 * Opens a data folder for reading, and prevents services from starting on it until `close`. Throws an error
 * that the CLI can print when there is no data, a service is running on it, or its schema has another
 * version.
 */
export function openSource(dataDir: string): Source {
  const file = path.join(dataDir, DATABASE_FILE);
  if (!existsSync(file))
    throw new Error(`There is no Weft data in ${dataDir}: set WEFT_DATA_DIR to the data folder.`);
  const lock = lockForReading(dataDir);
  let db: Database.Database | null = null;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    // One snapshot until the end.
    db.exec('BEGIN');
    const version = checkSchema(db);
    if (version < migrations.length)
      throw new Error(
        `The data in ${dataDir} was written by an older version of Weft: start this version on it once, stop it, then move the data.`,
      );
    if (listMissingRecords(db, file).length > 0)
      throw new Error(
        `The redo log of an older version of Weft in ${dataDir} has not been moved to the database: start this version on it once, stop it, then move the data.`,
      );
    return createSource(db, file, lock);
  } catch (error) {
    db?.close();
    lock?.close();
    throw error;
  }
}

/**
 * A service holds its folder's lock exclusively, so a reader cannot take it; while a reader holds it, no
 * service starts.
 */
function lockForReading(dataDir: string): Database.Database | null {
  const file = path.join(dataDir, 'weft.lock');
  // No service has ever run on this folder: it is a restored backup.
  if (!existsSync(file)) return null;
  const lock = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    lock.exec('BEGIN');
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return lock;
  } catch (error) {
    lock.close();
    throw new Error(`A service is running on ${dataDir}: stop it before you move the data.`, {
      cause: error,
    });
  }
}

function createSource(db: Database.Database, file: string, lock: Database.Database | null): Source {
  const names = db
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
    )
    .all();
  const tables = names
    .filter(({ name }) => !SKIPPED_TABLES.has(name))
    .map(({ name }): SourceTable => ({
      name,
      columns: (db.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name),
      rows: db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${name}`).get()!.n,
    }));
  const { size, mtimeMs } = statSync(file);
  return {
    tables,
    fingerprint: JSON.stringify([size, mtimeMs, tables.map(({ name, rows }) => [name, rows])]),
    listRowsAfter: ({ name, columns }, id) => {
      const query = db
        .prepare<[number], [number, ...(Scalar | Uint8Array)[]]>(
          `SELECT rowid, ${columns.join(', ')} FROM ${name} WHERE rowid > ? ORDER BY rowid`,
        )
        .raw();
      const rows: Scalar[][] = [];
      let last = null;
      let characters = 0;
      for (const [rowid, ...columnValues] of query.iterate(id)) {
        const values = columnValues.map((value) => (value instanceof Uint8Array ? fromBytes(value) : value));
        rows.push(values);
        for (const value of values) if (typeof value === 'string') characters += value.length;
        last = Number(rowid);
        if (rows.length >= MAX_ROWS || characters >= MAX_CHARACTERS) break;
      }
      return { rows, last };
    },
    hashes: () =>
      db
        .prepare<[], { hash: string }>('SELECT hash FROM blobs UNION SELECT hash FROM files ORDER BY hash')
        .all()
        .map(({ hash }) => hash)
        .filter((hash) => !isInBucket(hash)),
    close: () => {
      db.close();
      lock?.close();
    },
  };
}
