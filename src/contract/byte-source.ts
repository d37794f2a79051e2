/** Bytes of a known number, too many to be held: each `read` gives them anew, piece by piece as they are asked for. */
export type ByteSource = { readonly size: number; read(): AsyncIterable<Uint8Array> };
