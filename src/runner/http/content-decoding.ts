import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Reservation } from '../../lib/limits/memory-budget.ts';
import { LARGE_RESPONSE_BYTES } from './send-request.ts';
import type { Cancellation } from './cancellation.ts';
import { httpFailure } from './http-failure.ts';
import type { Progress } from './http-failure.ts';

/** Supported encodings. */
export const ACCEPT_ENCODING = 'gzip, br, deflate';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
} as const;
const rawInflate = promisify(inflateRaw);
const streams = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const;

/** Maximum compression ratio of deflate (RFC 1951: 258 bytes for two bits). Brotli has no such limit. */
const MAX_RATIO = 1032;

export type Decoding = { maxBytes: number; giving: Cancellation; progress: Progress; place: Reservation };

/**
 * Decodes a content encoding, at most one, with a result of at most `maxBytes`. A potentially large result
 * waits for memory. Rejects with an HttpFailure or the cancellation reason.
 */
export async function decodeBody(
  host: string,
  body: Buffer,
  encoding: string | undefined,
  decoding: Decoding,
): Promise<Buffer> {
  const name = body.length === 0 ? null : readEncoding(host, encoding);
  if (name === null) return body;
  const { maxBytes, place } = decoding;
  const most = name === 'br' ? maxBytes : Math.min(maxBytes, body.length * MAX_RATIO);
  if (most <= LARGE_RESPONSE_BYTES) return decode(host, name, body, maxBytes);
  await reserveMemory(most, decoding);
  const decoded = await decode(host, name, body, maxBytes);
  place.settle(decoded.length > LARGE_RESPONSE_BYTES ? decoded.length : 0);
  return decoded;
}

function reserveMemory(bytes: number, { giving, progress, place }: Decoding): Promise<void> {
  return new Promise((resolve, reject) => {
    if (giving.isOver) return reject(giving.reason as Error);
    const isGranted = place.ask(bytes, () => {
      progress.at = 'body';
      giving.listen(null);
      resolve();
    });
    if (isGranted) return resolve();
    progress.at = 'memory';
    giving.listen(() => {
      place.leave();
      reject(giving.reason as Error);
    });
  });
}

async function decode(
  host: string,
  name: keyof typeof decoders,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  const options = { maxOutputLength: maxBytes };
  try {
    // Some servers send deflate without a zlib header. A zlib header has 8 in its low four bits.
    if (name === 'deflate' && (body[0] ?? 0) % 16 !== 8) return await rawInflate(body, options);
    return await decoders[name](body, options);
  } catch (error) {
    if (error instanceof RangeError) throw createSizeError(host, maxBytes);
    throw createEncodingError(host, name);
  }
}

/** Like `decodeBody`, for a body as it arrives, with backpressure from the reader. */
export async function* decodeStream(
  host: string,
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const name = readEncoding(host, encoding);
  if (name === null) {
    yield* body;
    return;
  }
  const pieces = body[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    if (first.done === true) return;
    const isRaw = name === 'deflate' && (first.value[0] ?? 0) % 16 !== 8;
    const decoder = isRaw ? createInflateRaw() : streams[name]();
    const rest = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    };
    // Errors also reach the loop below.
    pipeline(Readable.from(rest(), { objectMode: false }), decoder, () => {});
    let length = 0;
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) throw createSizeError(host, maxBytes);
      yield piece;
    }
  } catch (error) {
    throw error instanceof HttpFailure || !isDecoderError(error) ? error : createEncodingError(host, name);
  } finally {
    // Not awaited: it settles only with the next chunk or a cancellation.
    void pieces.return?.().catch(() => {});
  }
}

/** Null if the body is not encoded. Throws HttpFailure for an unsupported encoding. */
function readEncoding(host: string, encoding: string | undefined): keyof typeof decoders | null {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  if (Object.hasOwn(decoders, name)) return name as keyof typeof decoders;
  throw httpFailure(
    'network',
    `${host} responded with the encoding ${name.slice(0, 50)}; only one of ${ACCEPT_ENCODING} is supported`,
  );
}

function isDecoderError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_|^ERR_(_|BROTLI|ZLIB)/.test(String(error.code));
}

function createSizeError(host: string, maxBytes: number): Error {
  return httpFailure('limit', `${host} responded with more than ${maxBytes} bytes`, false);
}

function createEncodingError(host: string, name: string): Error {
  return httpFailure('network', `${host} responded with a body that is not ${name}`);
}
