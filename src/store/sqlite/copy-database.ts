import { chmod, open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { openForWriting } from './connection.ts';
import { readRedoLog, redoFileOf, type RedoRecord } from './redo-log.ts';
import { lacking, redoAll } from './redo-recovery.ts';

/** Pages per step; the event loop of this thread runs between steps. */
const STEP = 2_000;

/**
 * Copies the database as it is at one moment into `target` (made, mode 0600), also while others write, checks the
 * copy and has it on disk. The copy is one file without logs: it holds what stood in them. Throws when `target` exists or the copy is damaged.
 */
export async function copyDatabase(
  file: string,
  target: string,
  progress: (copied: number, total: number) => void = () => {},
): Promise<void> {
  await (await open(target, 'wx', 0o600)).close();
  // Before the copy is made: what goes from the log into the database meanwhile is in the copy.
  const records = readRedoLog(redoFileOf(file));
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // The open read keeps the snapshot: without it each foreign write would start the copy anew.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
        return STEP;
      },
    });
  } finally {
    source.close();
  }
  complete(target, file, records);
  checkCopy(target);
  await chmod(target, 0o600);
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function complete(target: string, file: string, records: readonly RedoRecord[]): void {
  if (records.length === 0) return;
  const copy = openForWriting(target);
  try {
    const missing = lacking(copy.db, records);
    if (missing.length === 0) return;
    copy.exec('BEGIN IMMEDIATE');
    redoAll(copy, missing, redoFileOf(file));
    copy.exec('COMMIT');
  } finally {
    copy.db.close();
  }
}

function checkCopy(target: string): void {
  const copy = new Database(target, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    const verdict: unknown = copy.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok') throw new Error(`The copy of the database is damaged: ${String(verdict)}`);
  } finally {
    copy.close();
  }
}
