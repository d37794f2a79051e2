/**
 * Content-addressed files, stored beside the database. `put` and `write` resolve when the bytes are on disk
 * (fsync of file and folder); equal contents are stored once. A row of the store (`saveFile` or
 * `Checkpoint.blobs`), written afterwards, links a file to its execution; the sweep removes files without a
 * row after a grace period.
 */
export type FileStore = {
  /**
   * Resolves with the lower-case hex SHA-256 of the bytes. Throws WeftError STORAGE_FULL when the disk is
   * full.
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
