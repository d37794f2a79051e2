import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredFile } from '../../services/file-reader.ts';

/** How long a download may pause without the client reading. */
const DOWNLOAD_IDLE_TIMEOUT_MS = 60_000;

/**
 * The headers of a file. Its content is not trusted and is on the origin of the service: browsers must save
 * it, not render it or guess its type.
 */
export function createFileHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  };
}

/** The headers of a file, or of the range that was requested, and the number of its bytes. */
export function createRangeHeaders({ name, size, etag, range }: StoredFile): {
  headers: Readonly<Record<string, string>>;
  status: 200 | 206;
  length: number;
} {
  const headers = { ...createFileHeaders(name), 'accept-ranges': 'bytes', etag };
  if (range === null) return { headers, status: 200, length: size };
  const contentRange = `bytes ${range.start}-${range.end - 1}/${size}`;
  return {
    headers: { ...headers, 'content-range': contentRange },
    status: 206,
    length: range.end - range.start,
  };
}

/** Sends bytes as fast as the client reads them. */
export function sendDownload(
  {
    contentType,
    size,
    bytes,
  }: { contentType: string; size: number | null; bytes: AsyncIterable<Uint8Array> },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.type(contentType);
  if (size !== null) reply.header('content-length', size);
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  reply.raw.setTimeout(DOWNLOAD_IDLE_TIMEOUT_MS);
  return reply.send(Readable.from(bytes, { objectMode: false }));
}
