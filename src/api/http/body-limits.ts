import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createValidationError, WeftError } from '../../contract/errors.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * Bytes of request bodies held in memory over all requests in flight. One client network may use half of
 * them.
 */
const MAX_BYTES = 256 * 1024 * 1024;
/** Bodies up to this size are not counted, because the connection limit bounds their total. */
const UNCOUNTED_BYTES = 16 * 1024;
/** A counted body must deliver at least `MIN_BYTES` in every interval. */
const INTERVAL_MS = 5_000;
const MIN_BYTES = 4 * 1024;

/**
 * Bounds the memory of request bodies. Bytes count when they arrive, until the response ends. A body that
 * does not fit gets RATE_LIMITED; a body that arrives too slowly gets VALIDATION_ERROR.
 */
export function limitBodies(
  app: FastifyInstance,
  clock: Pick<Clock, 'after'>,
  { maxBytes = MAX_BYTES, intervalMs = INTERVAL_MS } = {},
): void {
  let heldBytes = 0;
  const heldByClient = new Map<string, number>();

  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': given, 'transfer-encoding': chunked } = request.headers;
    const limit = request.routeOptions.bodyLimit;
    const size = Math.min(chunked === undefined ? Number(given ?? 0) : limit, limit);
    if (!(size > UNCOUNTED_BYTES)) {
      done();
      return;
    }
    const client = getClientNetwork(request.ip);
    const readClientBytes = (): number => heldByClient.get(client) ?? 0;
    const fits = (bytes: number): boolean =>
      heldBytes + bytes <= maxBytes && readClientBytes() + bytes <= maxBytes / 2;
    if (!fits(UNCOUNTED_BYTES)) {
      done(tooManyBodies());
      return;
    }

    let arrived = 0;
    const body = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        if (!fits(chunk.length)) {
          next(tooManyBodies());
          return;
        }
        arrived += chunk.length;
        heldBytes += chunk.length;
        heldByClient.set(client, readClientBytes() + chunk.length);
        next(null, chunk);
      },
    });
    // The parser stops listening once it has rejected the body; an unhandled error would end the process.
    body.on('error', () => {});
    reply.raw.once('close', () => {
      // Discards the rest of a rejected body, so that the next request on the connection can be read.
      payload.unpipe(body);
      payload.resume();
      body.destroy();
      heldBytes -= arrived;
      const rest = readClientBytes() - arrived;
      if (rest > 0) heldByClient.set(client, rest);
      else heldByClient.delete(client);
    });

    let previouslyArrived = 0;
    const checkRate = (): void => {
      if (arrived - previouslyArrived < MIN_BYTES) {
        reply.raw.once('finish', () => request.raw.socket.destroySoon());
        const issue = `arrives too slowly: it must deliver at least ${MIN_BYTES} bytes every ${intervalMs / 1000} seconds`;
        body.destroy(createValidationError([{ field: 'body', issue }]));
        return;
      }
      previouslyArrived = arrived;
      cancel = clock.after(intervalMs, checkRate);
    };
    let cancel = clock.after(intervalMs, checkRate);
    body.once('close', () => cancel());

    payload.once('error', (error) => body.destroy(error));
    done(null, payload.pipe(body));
  });
}

function tooManyBodies(): WeftError {
  return new WeftError('RATE_LIMITED', 'Too many large requests are in progress.', {
    reason: 'capacity',
    retry_after: 1,
  });
}
