/**
 * Bytes by content, beside the database. `put` and `write` have the bytes on disk (fsync of file and folder) before they
 * resolve; the same content is stored once. Which execution a content belongs to is a row of the store (`saveFile`, or
 * `Checkpoint.blobs`), written after them; content without a row is removed by the sweep after a grace period.
 */
export type FileStore = {
  /** Resolves with the lower-case hex SHA-256 of the bytes. Throws WeftError STORAGE_FULL when there is no room. */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * As `put`, for bytes that arrive piece by piece: it holds one piece at a time, and asks for the next when that one is
   * written. When `chunks` throws, or there is no room, nothing is left and it rejects with that. `size` in bytes.
   */
  write(chunks: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }>;
  /** Null when there is no such content. */
  get(hash: string): Promise<Uint8Array | null>;
  /**
   * The content, or its bytes from `start` to before `end`, piece by piece as they are asked for; null when there is no such
   * content. Each iteration reads anew, and gives back what it holds when it ends, also early.
   */
  open(hash: string, range?: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | null>;
  /** Deletes contents that are in `hashes`. */
  remove(hashes: readonly string[]): Promise<void>;
};
