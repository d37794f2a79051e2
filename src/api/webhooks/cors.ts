import type { FastifyReply, FastifyRequest } from 'fastify';
import { createNotFoundError } from '../../contract/errors.ts';

const EXPOSED_HEADERS = 'X-Request-Id, X-Weft-Execution-Id, Retry-After';
/** A list of header names, as in `Access-Control-Request-Headers`. */
const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_HEADER_LIST_LENGTH = 2_000;

/** Returns the origin to allow: the given one, `*`, or null. */
export type AllowedOrigin = (method: string, path: string, origin: string) => Promise<string | null>;

/**
 * Sets the CORS headers of a response or an error when the endpoint's trigger allows the origin of the
 * calling page.
 */
export async function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  allowed: AllowedOrigin,
): Promise<boolean> {
  const requestedMethod =
    request.method === 'OPTIONS' ? request.headers['access-control-request-method'] : request.method;
  const { origin } = request.headers;
  if (origin === undefined || requestedMethod === undefined) return false;
  const allowedOrigin = await allowed(requestedMethod, path, origin);
  if (allowedOrigin === null) return false;
  reply.header('access-control-allow-origin', allowedOrigin);
  if (allowedOrigin !== '*') reply.header('vary', 'Origin');
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}

/**
 * Responds to a CORS preflight. Preflights carry no credential, so an endpoint that does not allow the origin
 * is reported as NOT_FOUND, like an endpoint that does not exist.
 */
export async function sendPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  allowed: AllowedOrigin,
): Promise<FastifyReply> {
  if (!(await allowOrigin(request, reply, path, allowed))) throw createNotFoundError('webhook');
  reply.header('access-control-allow-methods', request.headers['access-control-request-method'] ?? '');
  const names = request.headers['access-control-request-headers'] ?? '';
  if (names.length <= MAX_HEADER_LIST_LENGTH && HEADER_LIST.test(names))
    reply.header('access-control-allow-headers', names);
  reply.header('access-control-max-age', '600');
  return reply.code(204).send();
}
