import { WeftError } from '../contract/errors.ts';

/** How the hashes of contents in a bucket start, which are not hashes but unique names. */
const BUCKET_PREFIX = 's3-';

export function isInBucket(hash: string): boolean {
  return hash.startsWith(BUCKET_PREFIX);
}

export function toBucketHash(name: string): string {
  return `${BUCKET_PREFIX}${name}`;
}

/** The reverse of `toBucketHash`. */
export function readObjectName(hash: string): string {
  return hash.slice(BUCKET_PREFIX.length);
}

/** The bucket of files cannot be reached, or refuses a request. `reason`: without the name of its host. */
export class BucketError extends WeftError {
  readonly reason: string;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;

  constructor(reason: string, isTemporary: boolean, cause?: unknown) {
    super('STORAGE_UNAVAILABLE', `The file storage is not available: ${reason}.`, {}, cause);
    this.name = 'BucketError';
    this.reason = reason;
    this.isTemporary = isTemporary;
  }
}

/**
 * Content-addressed files, stored beside the database. `put` and `write` resolve when the bytes are on disk
 * (fsync of file and folder); equal contents are stored once. A row of the store (`saveFile` or
 * `Checkpoint.blobs`), written afterwards, links a file to its execution; the sweep removes files without a
 * row after a grace period.
 */
export type FileStore = {
  /**
   * Resolves with the lower-case hex SHA-256 of the bytes; in a bucket, with a name for which `isInBucket`
   * holds, a new one for each call. Throws WeftError STORAGE_FULL when the disk is full, and BucketError.
   */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * Like `put`, for a stream: holds one chunk at a time and requests the next when it is written. When
   * `chunks` throws or the disk is full, it removes the file and rejects with that error. `size` in bytes.
   */
  write(chunks: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }>;
  /** Null when the file does not exist. */
  get(hash: string): Promise<Uint8Array | null>;
  /**
   * Streams a file, or its bytes from `start` (inclusive) to `end` (exclusive); null when it does not exist.
   * Each iteration opens the file anew and closes it when it ends, also early.
   */
  open(hash: string, range?: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | null>;
  /** Deletes the files with these hashes. */
  remove(hashes: readonly string[]): Promise<void>;
};

export type SweptFiles = FileStore & {
  /**
   * Removes contents that are older than a grace period and unreferenced, and leftovers of an interrupted
   * `put`. `unreferenced` returns those of the given hashes that no row refers to. Ends early when
   * `isStopped` returns true. Returns the number of removed contents.
   */
  sweep(
    unreferenced: (hashes: readonly string[]) => Promise<string[]>,
    isStopped?: () => boolean,
  ): Promise<number>;
};
