import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { isInBucket } from '../ports/files.ts';
import { FILES_FOLDER, getContentPath, isHash, syncFolder } from './files.ts';
import { copyDatabase } from './sqlite/copy-database.ts';
import { checkSchema } from './sqlite/migrate.ts';
import { DATABASE_FILE } from './sqlite/open-store.ts';

/*
 * A backup is a folder:
 *
 * manifest.json lists the content; written last, so a folder without it is an unfinished backup
 *
 * weft.db a snapshot of the database
 *
 * files/ab/cdef… every file content that the database refers to, except those in a bucket
 *
 * the other files of the data folder (the key)
 */

const MANIFEST = 'manifest.json';
const FORMAT = 1;
const RESTORE_FOLDER = '.restoring';
/** Files of a running process, or of its database, which is copied separately. */
const NOT_COPIED = /^weft\.(db(-wal|-shm|-journal|-redo)?|lock(-journal)?|pid(\.new)?)$/;

export type Manifest = {
  format: number;
  createdAt: string;
  schema: number;
  /** `bucketFiles`: files in a bucket, which are not part of the backup. Older backups do not have it. */
  counts: { users: number; workflows: number; executions: number; files: number; bucketFiles?: number };
  /** SHA-256 (hex) of every file except those in `files/`, whose names are their hashes. */
  sha256: Record<string, string>;
};

export type BackupProgress = (step: { what: 'database' | 'files'; done: number; total: number }) => void;

/**
 * Copies the data folder into a new folder `target` and syncs it to disk; a service may be running on it.
 * Throws when `target` exists, there is no data, or the copy does not verify; `target` is then removed.
 */
export async function copyBackup(
  target: string,
  dataDir: string,
  now: number,
  progress: BackupProgress = () => {},
): Promise<Manifest> {
  const database = path.join(dataDir, DATABASE_FILE);
  if (!(await isThere(database)))
    throw new Error(`There is no data in ${dataDir}: ${DATABASE_FILE} is missing.`);
  await mkdirNew(target);
  try {
    const copy = path.join(target, DATABASE_FILE);
    const from = path.join(dataDir, FILES_FOLDER);
    const to = path.join(target, FILES_FOLDER);
    // Copies the existing contents first, then the database, then the contents added meanwhile. Young
    // contents are never removed, so no content that the copied database refers to can have been deleted in
    // between.
    const early = describeDatabase(database).hashes;
    await copyContents(from, to, early, progress, 'may be gone');
    await copyDatabase(database, copy, (done, total) => progress({ what: 'database', done, total }));
    const { schema, counts, hashes } = describeDatabase(copy);
    const copied = new Set(early);
    for (const hash of early) if (!hashes.has(hash)) await rm(getContentPath(to, hash), { force: true });
    await copyContents(
      from,
      to,
      new Set([...hashes].filter((hash) => !copied.has(hash) || !existsSync(getContentPath(to, hash)))),
      progress,
    );
    const sha256: Record<string, string> = { [DATABASE_FILE]: await hashFile(copy) };
    for (const name of await otherFiles(dataDir)) {
      await copyOnDisk(path.join(dataDir, name), path.join(target, name));
      sha256[name] = await hashFile(path.join(target, name));
    }
    const manifest = { format: FORMAT, createdAt: new Date(now).toISOString(), schema, counts, sha256 };
    await writeOnDisk(path.join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await syncFolder(target);
    await syncFolder(path.dirname(path.resolve(target)));
    return manifest;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Verifies a backup and copies it into an empty or missing data folder. Throws, and leaves the folder empty,
 * when the backup is unfinished, damaged, incomplete, or newer than this program.
 */
export async function restoreFrom(
  source: string,
  dataDir: string,
  progress: BackupProgress = () => {},
): Promise<Manifest> {
  const manifest = await readManifest(source);
  for (const name of Object.keys(manifest.sha256)) {
    if (!(await isFile(path.join(source, name))))
      throw new Error(`The backup is damaged: ${name} is missing.`);
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await readdir(dataDir)).some((name) => name !== RESTORE_FOLDER)) {
    throw new Error(`${dataDir} is not empty. A restore needs a data folder that is empty or missing.`);
  }
  // Inside the target, which may be a mount; verified files are moved up at the end, the database last.
  const unfinished = path.join(dataDir, RESTORE_FOLDER);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    for (const [name, expected] of Object.entries(manifest.sha256)) {
      await copyOnDisk(path.join(source, name), path.join(unfinished, name));
      if ((await hashFile(path.join(unfinished, name))) !== expected) {
        throw new Error(`The backup is damaged: ${name} does not match its manifest.`);
      }
    }
    const { schema, hashes } = describeDatabase(path.join(unfinished, DATABASE_FILE));
    if (schema !== manifest.schema)
      throw new Error('The backup is damaged: its schema does not match its manifest.');
    await copyContents(
      path.join(source, FILES_FOLDER),
      path.join(unfinished, FILES_FOLDER),
      hashes,
      progress,
      'is damage',
    );
    await syncFolder(unfinished);
    for (const name of [
      FILES_FOLDER,
      ...Object.keys(manifest.sha256).filter((n) => n !== DATABASE_FILE),
      DATABASE_FILE,
    ]) {
      await rename(path.join(unfinished, name), path.join(dataDir, name));
    }
    await rm(unfinished, { recursive: true });
    await syncFolder(dataDir);
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function readManifest(source: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(path.join(source, MANIFEST), 'utf8');
  } catch (error) {
    throw new Error(`${source} is not a finished backup: ${MANIFEST} cannot be read.`, { cause: error });
  }
  const manifest = parseManifest(text);
  if (manifest === null) throw new Error(`The backup is damaged: ${MANIFEST} is not a manifest.`);
  if (manifest.format !== FORMAT) {
    throw new Error(`The backup has format ${manifest.format}; this program supports format ${FORMAT}.`);
  }
  const names = Object.keys(manifest.sha256 ?? {});
  // Names become paths, so only plain names are accepted.
  if (
    !names.includes(DATABASE_FILE) ||
    names.some((name) => name !== path.basename(name) || name.startsWith('..'))
  ) {
    throw new Error(`The backup is damaged: ${MANIFEST} does not list its files.`);
  }
  const { counts, createdAt } = manifest;
  if (typeof createdAt !== 'string' || typeof counts !== 'object' || counts === null)
    throw new Error(`The backup is damaged: ${MANIFEST} does not describe its content.`);
  return manifest as Manifest;
}

/** Null when the text is not JSON, or not a manifest. */
function parseManifest(text: string): Partial<Manifest> | null {
  try {
    const parsed = JSON.parse(text) as Partial<Manifest> | null;
    return typeof parsed?.format === 'number' ? parsed : null;
  } catch {
    return null;
  }
}

function describeDatabase(file: string): { schema: number; counts: Manifest['counts']; hashes: Set<string> } {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const schema = checkSchema(db);
    const count = (sql: string): number => db.prepare<[], { n: number }>(sql).get()?.n ?? 0;
    const rows = db
      .prepare<[], { hash: string }>('SELECT hash FROM blobs UNION SELECT hash FROM files')
      .all();
    const hashes = rows.map((row) => row.hash).filter((hash) => !isInBucket(hash));
    return {
      schema,
      counts: {
        users: count('SELECT count(*) AS n FROM users'),
        workflows: count('SELECT count(*) AS n FROM workflows WHERE removed = 0'),
        executions: count(`SELECT coalesce(sum(n), 0) AS n FROM counters WHERE subject = 'all'`),
        files: hashes.length,
        bucketFiles: rows.length - hashes.length,
      },
      hashes: new Set(hashes),
    };
  } finally {
    db.close();
  }
}

/** Copies contents, verifies each, and syncs them to disk. */
async function copyContents(
  from: string,
  to: string,
  hashes: ReadonlySet<string>,
  progress: BackupProgress,
  missing: 'may be gone' | 'is damage' | 'is an error' = 'is an error',
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  let done = 0;
  for (const hash of hashes) {
    if (!isHash(hash)) throw new Error(`The database refers to a content by an invalid hash: ${hash}`);
    done++;
    await mkdir(path.dirname(getContentPath(to, hash)), { recursive: true, mode: 0o700 });
    try {
      await copyOnDisk(getContentPath(from, hash), getContentPath(to, hash));
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (isGone && missing === 'may be gone') continue;
      if (isGone && missing === 'is damage')
        throw new Error(`The backup is damaged: the content ${hash} is missing.`, { cause: error });
      throw error;
    }
    if ((await hashFile(getContentPath(to, hash))) !== hash)
      throw new Error(`The content ${hash} is damaged.`);
    progress({ what: 'files', done, total: hashes.size });
  }
  for (const part of await readdir(to)) await syncFolder(path.join(to, part));
  await syncFolder(to);
}

async function otherFiles(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { withFileTypes: true });
  return entries
    .filter((e) => e.isFile() && !NOT_COPIED.test(e.name) && e.name !== MANIFEST)
    .map((e) => e.name);
}

async function copyOnDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const handle = await open(to, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeOnDisk(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function mkdirNew(folder: string): Promise<void> {
  await mkdir(path.dirname(path.resolve(folder)), { recursive: true });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Error(`${folder} already exists.`, { cause: error });
    }
    throw error;
  }
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
