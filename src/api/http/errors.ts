import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isServerError, WeftError, createValidationError } from '../../contract/errors.ts';

export type ErrorBody = { error: { code: string; message: string; details: Record<string, unknown> } };

export function createErrorBody(error: WeftError): ErrorBody {
  return { error: { code: error.code, message: error.message, details: error.details } };
}

/**
 * Sends an error response. An error that is not a WeftError is logged with its stack and sent as
 * INTERNAL_ERROR.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toKnownError(error, request);
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
  keepConnectionForBody(request, reply);
  void reply.code(shown.status).header('cache-control', 'no-store').send(createErrorBody(shown));
}

/** The largest rejected body that is read to its end and discarded. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/**
 * Keeps the connection open when a body is rejected. Fastify would close it, and a client that sends the
 * whole body before it reads (such as fetch in Node) would get a broken pipe instead of the response. The
 * rest of the body is discarded within the request time-out.
 */
export function keepConnectionForBody(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.getHeader('connection') !== 'close' || !request.server.server.listening) return;
  if (Number(request.headers['content-length']) <= MAX_DISCARDED_BYTES) reply.removeHeader('connection');
}

/** The error that the caller may see; null for an internal error. */
export function toKnownError(error: unknown, request: FastifyRequest): WeftError | null {
  return error instanceof WeftError ? error : convertFastifyError(error, request);
}

/** Converts the errors of Fastify to error codes of the API; null for any other error. */
function convertFastifyError(error: unknown, request: FastifyRequest): WeftError | null {
  const code = (error as Partial<FastifyError> | null)?.code;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit;
      return new WeftError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, { limit });
    }
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return createValidationError([{ field: 'body', issue: 'is not valid JSON' }]);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return createValidationError([{ field: 'content-type', issue: 'must be application/json' }]);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return createValidationError([
        { field: 'content-length', issue: 'does not match the size of the body' },
      ]);
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      // Fastify reports this for methods that no route of the path has.
      return new WeftError('NOT_FOUND', `This path does not exist or does not support ${request.method}.`);
    case 'FST_ERR_BAD_URL':
      return createValidationError([{ field: 'path', issue: 'is not a valid URL path' }]);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new WeftError('NOT_FOUND');
    case 'ECONNRESET':
      // The client disconnected while sending its body, so no response is read and nothing needs to be
      // logged.
      return createValidationError([{ field: 'body', issue: 'ended before it was complete' }]);
    default:
      return null;
  }
}
