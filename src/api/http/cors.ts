import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADERS =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';
const EXPOSED =
  'X-Request-Id, Weft-Version, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, X-Weft-Execution-Id, WWW-Authenticate';

/** Whether responses differ between origins, which requires `Vary: Origin`. */
export function variesByOrigin(origins: readonly string[]): boolean {
  return origins.length > 0 && !origins.includes('*');
}

/**
 * Allows browsers on these origins to call the API; null when there are none. The function returns true when
 * it has sent the response to a preflight. Cookies and the CSRF header are never allowed, so `*` grants
 * nothing without a credential.
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
