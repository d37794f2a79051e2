/**
 * A stream of known size. Each call of `read` starts again at the first byte; the bytes are never all in
 * memory.
 */
export type ByteSource = { readonly size: number; read(): AsyncIterable<Uint8Array> };

/** A file of the execution. */
export type StoredFile = ByteSource & {
  readonly name: string;
  readonly contentType: string;
  /** The bytes from `start` (inclusive) to `end` (exclusive). */
  slice(start: number, end: number): AsyncIterable<Uint8Array>;
};

/** A reference to binary data in the file storage. `size` in bytes. */
export type FileReference = { $file: { id: string; name: string; content_type: string; size: number } };
