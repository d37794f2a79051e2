import path from 'node:path';
import { createReadStream } from 'node:fs';
import { getContentPath, FILES_FOLDER, isHash } from '../files.ts';
import { toPublicError } from '../postgres/failure.ts';
import { addRows } from './checksum.ts';
import { openSource, type Source } from './source.ts';
import { withTarget, type Target } from './target.ts';

/** `what`: a table, or `files`; `isCheck`: the verification pass. */
export type MoveStep = {
  readonly what: string;
  readonly isCheck: boolean;
  readonly done: number;
  readonly total: number;
};
export type MoveReport = { readonly rows: number; readonly tables: number; readonly files: number };

/**
 * Copies a data folder into an empty database, reads everything back and compares counts and checksums. After
 * an interruption, the same call resumes where it stopped; until it has finished, no service starts on that
 * database. The folder is only read. Throws errors that the CLI can print.
 */
export async function moveToPostgres(options: {
  readonly dataDir: string;
  readonly url: string;
  readonly now: () => number;
  readonly progress: (step: MoveStep) => void;
}): Promise<MoveReport> {
  const { dataDir, url, now, progress } = options;
  const source = openSource(dataDir);
  try {
    return await withTarget(url, source.fingerprint, now, async (target) => {
      const hashes = source.hashes();
      // Contents first: no row ever refers to a missing content.
      await copyContents(path.join(dataDir, FILES_FOLDER), hashes, target, progress);
      for (const table of source.tables) await copyTable(source, target, table, progress);
      for (const table of source.tables) await checkTable(target, table, progress);
      await target.finish();
      const rows = source.tables.reduce((sum, table) => sum + table.rows, 0);
      return { rows, tables: source.tables.length, files: hashes.length };
    });
  } catch (error) {
    throw toPublicError(error);
  } finally {
    source.close();
  }
}

type Progress = (step: MoveStep) => void;

async function copyContents(
  folder: string,
  hashes: readonly string[],
  target: Target,
  progress: Progress,
): Promise<void> {
  for (const [i, hash] of hashes.entries()) {
    if (!isHash(hash)) throw new Error(`The database refers to a content by an invalid hash: ${hash}`);
    if ((await target.files.open(hash)) === null) {
      const written = await target.files.write(createReadStream(getContentPath(folder, hash)));
      if (written.hash !== hash) throw new Error(`The content ${hash} is damaged in ${folder}.`);
    }
    progress({ what: 'files', isCheck: false, done: i + 1, total: hashes.length });
  }
}

async function copyTable(
  source: Source,
  target: Target,
  table: Source['tables'][number],
  progress: Progress,
): Promise<void> {
  let state = await target.readState(table.name);
  for (;;) {
    progress({ what: table.name, isCheck: false, done: state.rows, total: table.rows });
    const { rows, last } = source.listRowsAfter(table, state.last);
    if (last === null) return;
    state = { last, rows: state.rows + rows.length, sum: addRows(state.sum, rows) };
    await target.add(table, rows, state);
  }
}

async function checkTable(
  target: Target,
  table: Source['tables'][number],
  progress: Progress,
): Promise<void> {
  const wanted = await target.readState(table.name);
  const found = await target.read(table, (done) =>
    progress({ what: table.name, isCheck: true, done, total: table.rows }),
  );
  if (wanted.rows !== table.rows || found.rows !== wanted.rows || found.sum !== wanted.sum)
    throw new Error(
      `The copy of ${table.name} differs from the original: ${table.rows} rows in the original, ${found.rows} in the copy${found.rows === table.rows ? ', with different content' : ''}. Start again with an empty database.`,
    );
}
