import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key';
const EXPOSED =
  'X-Request-Id, Weft-Version, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, X-Weft-Execution-Id';

/** Whether answers to pages of one origin are not those to another. */
export function variesByOrigin(origins: readonly string[]): boolean {
  return origins.length > 0 && !origins.includes('*');
}

/**
 * Lets browsers on these origins call; null when there are none. The function answers a preflight itself and then returns
 * true. Cookies and the header that a request by session cookie needs are allowed to none, so `*` gives
 * away nothing that a caller does not hold.
 */
export function createCors(
  origins: readonly string[],
): ((request: FastifyRequest, reply: FastifyReply) => boolean) | null {
  if (origins.length === 0) return null;
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || (!any && !allowed.has(origin))) return false;
    reply.header('access-control-allow-origin', any ? '*' : origin);
    reply.header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
      return false;
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', HEADERS);
    reply.header('access-control-max-age', '600');
    void reply.code(204).send();
    return true;
  };
}
