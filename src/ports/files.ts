/**
 * Bytes by content, beside the database. `put` has the bytes on disk (fsync of file and folder) before it resolves;
 * the same content is stored once. Which execution a content belongs to is a row of the store (`saveFile`, or
 * `Checkpoint.blobs`), written after `put`; content without a row is removed by the sweep after a grace period.
 */
export type FileStore = {
  /** Resolves with the lower-case hex SHA-256 of the bytes. Throws WeftError STORAGE_FULL when there is no room. */
  put(bytes: Uint8Array): Promise<string>;
  /** Null when there is no such content. */
  get(hash: string): Promise<Uint8Array | null>;
  /** Deletes contents that are in `hashes`. */
  remove(hashes: readonly string[]): Promise<void>;
};
