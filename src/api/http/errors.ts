import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isServerError, WeftError, validationError } from '../../contract/errors.ts';

export type ErrorBody = { error: { code: string; message: string; details: Record<string, unknown> } };

export function errorBody(error: WeftError): ErrorBody {
  return { error: { code: error.code, message: error.message, details: error.details } };
}

/** The one place where an error becomes an answer. What is not a WeftError is logged with its stack and shown as INTERNAL_ERROR. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = knownError(error, request);
  if (known === null || isServerError(known.code)) {
    request.log.error({ err: error }, 'request failed');
  }
  const shown = known ?? new WeftError('INTERNAL_ERROR');
  if (shown.code === 'UNAUTHORIZED' && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', 'Bearer realm="weft"');
  }
  const retryAfter = shown.details['retry_after'];
  if (shown.code === 'RATE_LIMITED' && typeof retryAfter === 'number')
    reply.header('retry-after', String(retryAfter));
  keepForTheBody(request, reply);
  void reply.code(shown.status).header('cache-control', 'no-store').send(errorBody(shown));
}

/** Bodies up to this size are read to their end and thrown away when the request was refused before. */
const DISCARDED_BODY = 64 * 1024 * 1024;

/**
 * The framework closes the connection under a body that it refuses. A client that sends the whole of it before it reads (fetch
 * of Node does) would then see a broken pipe instead of the answer. So the connection stays, and what is left of the body
 * is discarded, within the server's time for a request.
 */
export function keepForTheBody(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.getHeader('connection') !== 'close' || !request.server.server.listening) return;
  if (Number(request.headers['content-length']) <= DISCARDED_BODY) reply.removeHeader('connection');
}

/** The error that the caller may see; null for a fault of ours. */
export function knownError(error: unknown, request: FastifyRequest): WeftError | null {
  return error instanceof WeftError ? error : fromFramework(error, request);
}

/** What the framework threw while it read a request, as one of our codes; null for anything else. */
function fromFramework(error: unknown, request: FastifyRequest): WeftError | null {
  const code = (error as Partial<FastifyError> | null)?.code;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit;
      return new WeftError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, { limit });
    }
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return validationError([{ field: 'body', issue: 'is not valid JSON' }]);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return validationError([{ field: 'content-type', issue: 'must be application/json' }]);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return validationError([{ field: 'content-length', issue: 'does not match the size of the body' }]);
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      // Asked of a method that no path here has.
      return new WeftError('NOT_FOUND', `There is no ${request.method} at this path.`);
    case 'FST_ERR_BAD_URL':
      return validationError([{ field: 'path', issue: 'is not a valid URL path' }]);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new WeftError('NOT_FOUND');
    case 'ECONNRESET':
      // The client left in the middle of its body: nobody reads the answer, and it is no fault of ours.
      return validationError([{ field: 'body', issue: 'ended before it was complete' }]);
    default:
      return null;
  }
}
