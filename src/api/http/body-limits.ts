import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { validationError, WeftError } from '../../contract/errors.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import type { Clock } from '../../ports/clock.ts';

/** Bytes of bodies that may be in memory at once, over all requests in flight. One client network may hold half of them. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Smaller bodies are not counted: even one for each connection is little. Routes that are limited to this size never count. */
const UNCOUNTED_BYTES = 16 * 1024;
/** A counted body must bring `MIN_BYTES` in every interval. */
const INTERVAL_MS = 5_000;
const MIN_BYTES = 4 * 1024;

/**
 * Keeps large bodies from filling the memory. Bytes count when they arrive, not when they are announced, and until the request is
 * answered. A request whose body does not fit gets RATE_LIMITED, and one whose body arrives too slowly VALIDATION_ERROR.
 */
export function limitBodies(
  app: FastifyInstance,
  clock: Pick<Clock, 'after'>,
  { maxBytes = MAX_BYTES, intervalMs = INTERVAL_MS } = {},
): void {
  let held = 0;
  const heldByClient = new Map<string, number>();

  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': given, 'transfer-encoding': chunked } = request.headers;
    const limit = request.routeOptions.bodyLimit;
    const size = Math.min(chunked === undefined ? Number(given ?? 0) : limit, limit);
    if (!(size > UNCOUNTED_BYTES)) {
      done();
      return;
    }
    const client = clientNetwork(request.ip);
    const ofClient = (): number => heldByClient.get(client) ?? 0;
    const fits = (bytes: number): boolean => held + bytes <= maxBytes && ofClient() + bytes <= maxBytes / 2;
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
        held += chunk.length;
        heldByClient.set(client, ofClient() + chunk.length);
        next(null, chunk);
      },
    });
    // A reader that refused the body has stopped listening.
    body.on('error', () => {});
    reply.raw.once('close', () => {
      // The rest of a refused body is discarded, so that the next request of the connection can be read.
      payload.unpipe(body);
      payload.resume();
      body.destroy();
      held -= arrived;
      const rest = ofClient() - arrived;
      if (rest > 0) heldByClient.set(client, rest);
      else heldByClient.delete(client);
    });

    let before = 0;
    const checkRate = (): void => {
      if (arrived - before < MIN_BYTES) {
        reply.raw.once('finish', () => request.raw.socket.destroySoon());
        const issue = `arrives too slowly: it must bring ${MIN_BYTES} bytes every ${intervalMs / 1000} seconds`;
        body.destroy(validationError([{ field: 'body', issue }]));
        return;
      }
      before = arrived;
      cancel = clock.after(intervalMs, checkRate);
    };
    let cancel = clock.after(intervalMs, checkRate);
    body.once('close', () => cancel());

    payload.once('error', (error) => body.destroy(error));
    done(null, payload.pipe(body));
  });
}

function tooManyBodies(): WeftError {
  return new WeftError('RATE_LIMITED', 'Too many large requests are under way.', {
    reason: 'capacity',
    retry_after: 1,
  });
}
