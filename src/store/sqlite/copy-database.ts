import { chmod, open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { missingRecords } from './redo-log-migration.ts';

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
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // The open read keeps the snapshot: without it each foreign write would start the copy anew.
    source.exec('BEGIN');
    if (missingRecords(source, file).length > 0)
      throw new Error(
        `The redo log of an older Weft has not been moved to ${file}: start this version on it once, then make the backup.`,
      );
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
  checkCopy(target);
  await chmod(target, 0o600);
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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
