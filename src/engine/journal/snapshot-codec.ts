import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';

/** Fewer bytes are compressed at once: passing them to another thread would take longer. */
const MAX_SYNC_BYTES = 16 * 1024;
const options = { level: constants.Z_BEST_SPEED };
/** Bytes of a piece while a long snapshot is decompressed: pieces of the default size are thousands. */
const decompression = { chunkSize: 1024 * 1024 };

const compress = promisify<Buffer, typeof options, Buffer>(deflateRaw);
const decompress = promisify<Buffer, typeof decompression, Buffer>(inflateRaw);

/**
 * Encodes the data of a snapshot as text. `data` is read before the function returns, so that later changes
 * have no effect. V8's format, unlike JSON, stores an object that occurs several times once.
 */
export function encodeSnapshot(data: unknown): Promise<string> {
  const bytes = serialize(data);
  if (bytes.length <= MAX_SYNC_BYTES)
    return Promise.resolve(deflateRawSync(bytes, options).toString('base64'));
  return compress(bytes, options).then((compressed) => compressed.toString('base64'));
}

/** @throws {Error} when the text is not a snapshot that this version of V8 can read. */
export async function decodeSnapshot(text: string): Promise<unknown> {
  const bytes = Buffer.from(text, 'base64');
  return deserialize(
    bytes.length <= MAX_SYNC_BYTES ? inflateRawSync(bytes) : await decompress(bytes, decompression),
  ) as unknown;
}
