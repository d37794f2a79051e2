import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../contract/errors.ts';

const EXPOSED = 'X-Request-Id, X-Weft-Execution-Id, Retry-After';
/** Names of headers in a list, as a browser asks for them. */
const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_LIST = 2_000;

/** The origin to allow: the one given, `*`, or null. */
export type AllowedOrigin = (method: string, path: string, origin: string) => Promise<string | null>;

/** Lets the page that called read the answer, an error too, when the endpoint's trigger allows its origin. */
export async function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  allowed: AllowedOrigin,
): Promise<boolean> {
  const asked =
    request.method === 'OPTIONS' ? request.headers['access-control-request-method'] : request.method;
  const { origin } = request.headers;
  if (origin === undefined || asked === undefined) return false;
  const given = await allowed(asked, path, origin);
  if (given === null) return false;
  reply.header('access-control-allow-origin', given);
  if (given !== '*') reply.header('vary', 'Origin');
  reply.header('access-control-expose-headers', EXPOSED);
  return true;
}

/**
 * A browser's question before the call itself. It is unproved, so it starts and tells nothing: an endpoint that does not allow
 * the origin is as unknown as one that is not there.
 */
export async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  allowed: AllowedOrigin,
): Promise<FastifyReply> {
  if (!(await allowOrigin(request, reply, path, allowed))) throw notFound('webhook');
  reply.header('access-control-allow-methods', request.headers['access-control-request-method'] ?? '');
  const names = request.headers['access-control-request-headers'] ?? '';
  if (names.length <= MAX_LIST && HEADER_LIST.test(names))
    reply.header('access-control-allow-headers', names);
  reply.header('access-control-max-age', '600');
  return reply.code(204).send();
}
