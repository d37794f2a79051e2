import type { FastifyInstance } from 'fastify';
import { WeftError } from '../../contract/errors.ts';

/** Bytes of bodies that may be in memory at once, over all requests in flight. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Smaller bodies are not counted: even one for each connection is little. */
const COUNTED_FROM = 16 * 1024;

/**
 * Keeps many large bodies at once from filling the memory: a request whose body does not fit is refused (429) before it is
 * read. A body without a length counts as the largest that its route takes.
 */
export function guardBodies(app: FastifyInstance, maxBytes = MAX_BYTES): void {
  let held = 0;
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { 'content-length': given, 'transfer-encoding': chunked } = request.headers;
    const limit = request.routeOptions.bodyLimit;
    const size = Math.min(chunked === undefined ? Number(given ?? 0) : limit, limit);
    if (!(size >= COUNTED_FROM)) {
      done();
      return;
    }
    if (held + size > maxBytes) {
      done(
        new WeftError('RATE_LIMITED', 'Too many large requests are under way.', {
          reason: 'capacity',
          retry_after: 1,
        }),
      );
      return;
    }
    held += size;
    reply.raw.once('close', () => {
      held -= size;
    });
    done();
  });
}
