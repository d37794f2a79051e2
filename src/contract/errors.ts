/**
 * The closed catalog of error codes. Every API (REST, GraphQL, WebSocket) reports an error by its code, and
 * clients may switch on it. `status` is the HTTP status; only statuses of the interface are used.
 */
export const errorCatalog = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid.',
    when: 'The body, query or definition is invalid; `details` name the field and the issue.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 400,
    message: 'The payload is too large.',
    when: 'A size limit was exceeded; `details.limit` is the limit in bytes.',
  },
  CONFLICT: {
    status: 400,
    message: 'The request conflicts with the current state.',
    when: 'The request conflicts with the current state, version, endpoint or idempotency key.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Authentication is required or has failed.',
    when: 'The credential is missing, invalid, expired or revoked.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'The credential does not allow this request.',
    when: 'The credential lacks the required role or scope, or a request with a session cookie does not prove its origin.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'The resource does not exist.',
    when: 'The resource does not exist or belongs to another user.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests.',
    when: 'A limit was reached; `details.reason` is `plan`, `workflow` or `capacity`.',
  },
  EXECUTION_FAILED: {
    status: 500,
    message: 'The execution failed.',
    when: 'The execution of a webhook that responds on completion failed.',
  },
  STORAGE_FULL: {
    status: 500,
    message: 'The storage is full; nothing was written.',
    when: 'The disk is full. Reads still work; writes resume when space is available.',
  },
  STORAGE_UNAVAILABLE: {
    status: 500,
    message: 'The database cannot be reached; nothing was written. Try again.',
    when: 'PostgreSQL is unreachable or overloaded. Weft retries for some seconds before it returns this error.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'An internal error occurred.',
    when: 'The service failed; find the log entry by the request id.',
  },
} as const;

export type ErrorCode = keyof typeof errorCatalog;

/** Whether the error is a failure of the service, which is logged. */
export function isServerError(code: ErrorCode): boolean {
  return code === 'INTERNAL_ERROR' || code === 'STORAGE_FULL' || code === 'STORAGE_UNAVAILABLE';
}

/** Whether repeating the same request later can succeed. */
export function isTemporary(code: ErrorCode): boolean {
  return code === 'RATE_LIMITED' || code === 'STORAGE_FULL' || code === 'STORAGE_UNAVAILABLE';
}

/** One invalid field of an input: `field` is a dotted path such as `definition.nodes[2].config.url`. */
export type FieldError = { field: string; issue: string };

/** An error that may be returned to the caller: code, message and details are public. */
export class WeftError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message?: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message ?? errorCatalog[code].message, cause === undefined ? undefined : { cause });
    this.name = 'WeftError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCatalog[this.code].status;
  }
}

/**
 * A VALIDATION_ERROR with its first error in `details.field`/`details.issue` and all errors in
 * `details.errors`.
 */
export function createValidationError(errors: readonly FieldError[], message?: string): WeftError {
  const first = errors[0] ?? { field: '', issue: 'is not valid' };
  return new WeftError('VALIDATION_ERROR', message ?? `${first.field || 'The input'}: ${first.issue}`, {
    field: first.field,
    issue: first.issue,
    errors: [...errors],
  });
}

export function createNotFoundError(what: string): WeftError {
  return new WeftError('NOT_FOUND', `The ${what} does not exist.`);
}

export function createConflictError(message: string, details: Record<string, unknown> = {}): WeftError {
  return new WeftError('CONFLICT', message, details);
}
