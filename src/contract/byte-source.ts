/**
 * A stream of known size. Each call of `read` starts again at the first byte; the bytes are never all in
 * memory.
 */
export type ByteSource = { readonly size: number; read(): AsyncIterable<Uint8Array> };
