import { chmod, open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { listMissingRecords } from './redo-log-migration.ts';

/** Pages per step; the thread's event loop runs between steps. */
const STEP_PAGES = 2_000;

/**
 * Copies a snapshot of the database into a new file `target` (mode 0600) while others may write, verifies the
 * copy and syncs it to disk. The copy is a single file that includes the content of the logs. Throws when
 * `target` exists or the copy is damaged.
 */
export async function copyDatabase(
  file: string,
  target: string,
  progress: (copied: number, total: number) => void = () => {},
): Promise<void> {
  await (await open(target, 'wx', 0o600)).close();
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // The open read keeps the snapshot: otherwise each foreign write would restart the copy.
    source.exec('BEGIN');
    if (listMissingRecords(source, file).length > 0)
      throw new Error(
        `The redo log of an older version of Weft has not been moved to ${file}: start this version on it once, then create the backup.`,
      );
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
        return STEP_PAGES;
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
