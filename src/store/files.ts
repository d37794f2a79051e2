import { createHash, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { WeftError } from '../contract/errors.ts';
import type { SweptFiles } from '../ports/files.ts';

export const FILES_FOLDER = 'files';
/** Folder of files that are being written and not yet named. */
const UNFINISHED_FOLDER = 'new';

/** Size of one read, in bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * In ms: contents stored within this time are never removed, because the row that refers to them may not be
 * committed yet.
 */
const GRACE_PERIOD_MS = 3_600_000;

export type DiskFiles = SweptFiles;

/** Whether `openDiskFiles` has been called for this data folder. */
export function hasFilesFolder(dataDir: string): boolean {
  return existsSync(path.join(dataDir, FILES_FOLDER, UNFINISHED_FOLDER));
}

/**
 * Stores contents as files named by their SHA-256: `<folder>/ab/cdef…`. A file appears complete, by a rename
 * after fsync, and never changes; its modification time is when the content was last stored. Throws when the
 * folder cannot be created.
 */
export async function openDiskFiles(dataDir: string, now: () => number): Promise<DiskFiles> {
  const folder = path.join(dataDir, FILES_FOLDER);
  const unfinished = path.join(folder, UNFINISHED_FOLDER);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await syncFolder(folder);
  await syncFolder(dataDir);
  const alone = createKeyedQueue();

  const put = async (bytes: Uint8Array): Promise<string> => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    return await alone(hash, async () => {
      const file = getContentPath(folder, hash);
      if (await renewFile(file, bytes.byteLength, now())) return hash;
      await writeAtomically(unfinished, now, async (handle, temporary) => {
        await handle.writeFile(bytes);
        return async () => moveIntoPlace(folder, temporary, file);
      });
      return hash;
    });
  };

  const write = (chunks: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }> =>
    writeAtomically(unfinished, now, async (handle, temporary) => {
      const sum = createHash('sha256');
      let size = 0;
      for await (const chunk of chunks) {
        sum.update(chunk);
        size += chunk.byteLength;
        await writeAll(handle, chunk);
      }
      const hash = sum.digest('hex');
      return () =>
        alone(hash, async () => {
          const file = getContentPath(folder, hash);
          if (await renewFile(file, size, now())) await rm(temporary, { force: true });
          else await moveIntoPlace(folder, temporary, file);
          return { hash, size };
        });
    });

  const removeOld = async (hash: string): Promise<boolean> =>
    await alone(hash, async () => {
      const file = getContentPath(folder, hash);
      const info = await statOrNull(file);
      if (info === null || info.mtimeMs > now() - GRACE_PERIOD_MS) return false;
      await rm(file, { force: true });
      return true;
    });

  return {
    put,
    write,
    open: async (hash, range) => {
      const file = getContentPath(folder, hash);
      if (!isHash(hash) || (await statOrNull(file)) === null) return null;
      return { [Symbol.asyncIterator]: () => pieces(file, range) };
    },
    get: async (hash) => {
      if (!isHash(hash)) return null;
      try {
        return await readFile(getContentPath(folder, hash));
      } catch (error) {
        if (readCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
    remove: async (hashes) => {
      for (const hash of hashes) if (isHash(hash)) await removeOld(hash);
    },
    sweep: async (unreferenced, isStopped = () => false) => {
      await sweepUnfinished(unfinished, now() - GRACE_PERIOD_MS);
      let count = 0;
      for (const part of await readdir(folder)) {
        if (isStopped()) return count;
        if (!/^[0-9a-f]{2}$/.test(part)) continue;
        const hashes = (await readdir(path.join(folder, part))).map((rest) => part + rest).filter(isHash);
        for (let i = 0; i < hashes.length; i += SWEEP_BATCH_SIZE) {
          for (const hash of await unreferenced(hashes.slice(i, i + SWEEP_BATCH_SIZE))) {
            if (await removeOld(hash)) count++;
          }
        }
      }
      return count;
    },
  };
}

const SWEEP_BATCH_SIZE = 100;

/** The path of a content in the folder of contents. */
export function getContentPath(folder: string, hash: string): string {
  return path.join(folder, hash.slice(0, 2), hash.slice(2));
}

/** Hashes come from rows; anything else must never become a path. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Records that the content was stored again. False when it is missing or incomplete (a damaged disk) and must
 * be written.
 */
async function renewFile(file: string, size: number, now: number): Promise<boolean> {
  const info = await statOrNull(file);
  if (info === null || info.size !== size) return false;
  await utimes(file, now / 1000, now / 1000);
  return true;
}

/**
 * Creates a file that is visible only when complete: `fill` writes it and returns how to publish it, which
 * happens once it is on disk. On any error the unfinished file is removed.
 */
async function writeAtomically<T>(
  unfinished: string,
  now: () => number,
  fill: (handle: FileHandle, temporary: string) => Promise<() => Promise<T>>,
): Promise<T> {
  const temporary = path.join(unfinished, randomUUID());
  try {
    const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    let finish: () => Promise<T>;
    try {
      finish = await fill(handle, temporary);
      await handle.utimes(now() / 1000, now() / 1000);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return await finish();
  } catch (error) {
    await rm(temporary, { force: true });
    const code = readCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new WeftError('STORAGE_FULL', undefined, {}, error);
    throw error;
  }
}

async function moveIntoPlace(folder: string, temporary: string, file: string): Promise<void> {
  const part = path.dirname(file);
  if ((await mkdir(part, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(folder);
  await rename(temporary, file);
  await syncFolder(part);
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) {
    const { bytesWritten } = await handle.write(chunk, at);
    at += bytesWritten;
  }
}

async function* pieces(
  file: string,
  { start, end }: { start: number; end: number } = { start: 0, end: Infinity },
): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file, constants.O_RDONLY);
  try {
    for (let at = start; at < end;) {
      // A new buffer each time: the consumer may still be sending the previous one when the next is read.
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function sweepUnfinished(unfinished: string, before: number): Promise<void> {
  for (const name of await readdir(unfinished)) {
    const file = path.join(unfinished, name);
    const info = await statOrNull(file);
    if (info !== null && info.mtimeMs <= before) await rm(file, { force: true });
  }
}

async function statOrNull(file: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (readCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Syncs the folder's entries to disk: a rename is durable only after this. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Serializes operations on one key, so that a removal never overtakes a `put` of the same content. */
function createKeyedQueue(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = last.get(key) ?? Promise.resolve();
    const turn = before.then(run, run);
    const settled = turn.catch(() => {});
    last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
