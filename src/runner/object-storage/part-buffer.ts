import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ByteSource } from '../../contract/byte-source.ts';
import type { Clock } from '../../ports/clock.ts';
import { BucketError } from '../../ports/files.ts';

/** A part up to this size is in memory, and does not count. */
const SMALL_PART_BYTES = 256 * 1024;
/** Number of larger parts in memory at the same time. */
const MAX_PARTS_IN_MEMORY = 24;
/** Number of further parts, in files. */
const MAX_PARTS_IN_FILES = 200;
/** How long another part waits, ms. */
const WAIT_MS = 60_000;

/** A part of an upload while it is received and sent. */
export type Part = ByteSource & { close(): Promise<void> };
export type PartBuffers = {
  /** The bytes in parts of `partBytes`; only the last one may be shorter. The next one ends the former. */
  collect(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncIterable<Part>;
};

/**
 * Limits the parts in memory. When that many uploads are receiving, perhaps from slow senders, the parts of
 * others are temporary files, so that no upload waits for another one.
 */
export function createPartBuffers(clock: Clock): PartBuffers {
  const places = createPlaces(clock);
  return {
    async *collect(chunks, partBytes) {
      let part = new PartBuffer(places);
      try {
        for await (const chunk of chunks) {
          for (let at = 0; at < chunk.byteLength;) {
            const piece = chunk.subarray(at, at + partBytes - part.size);
            await part.add(piece);
            at += piece.byteLength;
            if (part.size < partBytes) continue;
            yield part;
            await part.close();
            part = new PartBuffer(places);
          }
        }
        if (part.size > 0) yield part;
      } finally {
        await part.close();
      }
    },
  };
}

class PartBuffer implements Part {
  readonly #places: Places;
  #place: Place | null = null;
  #pieces: Uint8Array[] = [];
  #file: FileHandle | null = null;
  #size = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  get size(): number {
    return this.#size;
  }

  async add(piece: Uint8Array): Promise<void> {
    if (this.#place === null && this.#size + piece.byteLength > SMALL_PART_BYTES) {
      this.#place = await this.#places.acquire();
      if (this.#place === 'file') {
        this.#file = await reportFailure(openUnnamed());
        for (const held of this.#pieces.splice(0)) await reportFailure(this.#file.appendFile(held));
      }
    }
    if (this.#file === null) this.#pieces.push(piece);
    else await reportFailure(this.#file.appendFile(piece));
    this.#size += piece.byteLength;
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    if (this.#file === null) yield* this.#pieces;
    else yield* this.#file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>;
  }

  async close(): Promise<void> {
    this.#pieces = [];
    const [file, place] = [this.#file, this.#place];
    this.#file = null;
    this.#place = null;
    await file?.close();
    if (place !== null) this.#places.release(place);
  }
}

/** A file without a name, which ends with its handle and thus with the process. */
async function openUnnamed(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `weft-part-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600);
  await rm(name);
  return file;
}

async function reportFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new BucketError(`a temporary file could not be written (${code})`, true, error);
  }
}

type Place = 'memory' | 'file';
type Places = { acquire(): Promise<Place>; release(place: Place): void };

/** Without a free place, the next one that becomes free is taken, in order of arrival. */
function createPlaces(clock: Clock): Places {
  const free = { memory: MAX_PARTS_IN_MEMORY, file: MAX_PARTS_IN_FILES };
  const waiting: ((place: Place) => void)[] = [];
  return {
    acquire: () =>
      new Promise((resolve, reject) => {
        const place = free.memory > 0 ? 'memory' : 'file';
        if (free[place] > 0) {
          free[place]--;
          return resolve(place);
        }
        const enter = (freed: Place): void => {
          cancel();
          resolve(freed);
        };
        const cancel = clock.after(WAIT_MS, () => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(new BucketError('too many large files are being stored', true));
        });
        waiting.push(enter);
      }),
    release(place) {
      const next = waiting.shift();
      if (next === undefined) free[place]++;
      else next(place);
    },
  };
}
