import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { httpFailure } from './http-failure.ts';

/** What the gate asks for and can undo. */
export const ACCEPT_ENCODING = 'gzip, br, deflate';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
} as const;
const rawInflate = promisify(inflateRaw);

/** Undoes a content encoding; at most one, and never past `maxBytes` of what comes out. Rejects with an HttpFailure. */
export async function decodeBody(
  host: string,
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (body.length === 0 || name === '' || name === 'identity') return body;
  if (!Object.hasOwn(decoders, name))
    throw httpFailure(
      'network',
      `${host} answered in the encoding ${name.slice(0, 50)}; at most one of ${ACCEPT_ENCODING} is read`,
    );
  const options = { maxOutputLength: maxBytes };
  try {
    // Some servers send deflate without its zlib header; a zlib header is 8 in its low four bits.
    if (name === 'deflate' && (body[0] ?? 0) % 16 !== 8) return await rawInflate(body, options);
    return await decoders[name as keyof typeof decoders](body, options);
  } catch (error) {
    if (error instanceof RangeError)
      throw httpFailure('limit', `${host} answered with more than ${maxBytes} bytes`, false);
    throw httpFailure('network', `${host} answered with a body that is not ${name}`);
  }
}
