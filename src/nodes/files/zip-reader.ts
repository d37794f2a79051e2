import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import type { StoredFile } from '../../contract/byte-source.ts';
import { DataError } from '../data/data-error.ts';

/** Bytes that are read at once for the small records of the directory. */
const WINDOW_BYTES = 256 * 1024;

type Window = { start: number; bytes: Buffer };

/** Reads parts of a file. Small parts come from a window, as the directory is read in many small parts. */
class FileReader extends RandomAccessReader {
  readonly #file: StoredFile;
  #window: Window = { start: 0, bytes: Buffer.alloc(0) };

  constructor(file: StoredFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.slice(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#windowOf(position, length).then(
      ({ start, bytes }) => {
        bytes.copy(buffer, offset, position - start, position - start + length);
        callback(null);
      },
      (error: unknown) => callback(error as Error),
    );
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }

  async #windowOf(position: number, length: number): Promise<Window> {
    const { start, bytes } = this.#window;
    if (position >= start && position + length <= start + bytes.length) return this.#window;
    const end = Math.min(this.#file.size, position + Math.max(length, WINDOW_BYTES));
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#file.slice(position, end)) pieces.push(piece);
    this.#window = { start: position, bytes: Buffer.concat(pieces) };
    if (this.#window.bytes.length < length) throw new Error('unexpected end of the file');
    return this.#window;
  }
}

/** An entry of an archive, without directories. `size` in bytes, as the archive states it. */
export type ZipEntry = { readonly path: string; readonly size: number; readonly entry: Entry };

/** Opens an archive. Its content is not read yet. @throws {DataError} */
export async function openZip(file: StoredFile): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(new FileReader(file), file.size, {
      autoClose: false,
      lazyEntries: true,
      validateEntrySizes: true,
    });
  } catch (error) {
    throw toDataError(error);
  }
}

/** Lists the files of an archive. `limit`: maximum number of entries. @throws {DataError} */
export async function listEntries(zip: ZipFile, limit: number, signal: AbortSignal): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  if (zip.entryCount > limit)
    throw new DataError('value', `must have at most ${limit} entries, not ${zip.entryCount}`, 'limit');
  try {
    for await (const entry of zip.eachEntry()) {
      if (signal.aborted) break;
      if (!entry.fileName.endsWith('/'))
        entries.push({ path: entry.fileName, size: entry.uncompressedSize, entry });
    }
  } catch (error) {
    throw toDataError(error);
  }
  return entries;
}

/** Decompresses a file of an archive. @throws {DataError} while it is iterated, too. */
export async function* readEntry(zip: ZipFile, { path, entry }: ZipEntry): AsyncGenerator<Uint8Array, void> {
  if (entry.isEncrypted()) throw new DataError('value', `must not be protected by a password: ${path}`);
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw toDataError(error, path);
  }
}

function toDataError(error: unknown, path = ''): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const where = path === '' ? '' : ` (in ${path})`;
  return new DataError('value', `must be a ZIP file: ${error.message.replace(/\.$/, '')}${where}`);
}
