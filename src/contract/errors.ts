/**
 * The closed catalogue of error codes. Every door (REST, GraphQL, WebSocket) shows an error by its code;
 * clients may switch on it. `status` is the HTTP status; only those named by the interface are used.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid.',
    when: 'The body, query or definition is wrong; details name the field and the issue.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 400,
    message: 'The payload is too large.',
    when: 'A size limit was exceeded; details.limit is the limit in bytes.',
  },
  CONFLICT: {
    status: 400,
    message: 'The current state does not allow this.',
    when: 'A state, version, endpoint or idempotency key stands against it.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Authentication is required or has failed.',
    when: 'No credential, or a bad, expired or revoked one.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'This credential does not allow that.',
    when: 'The role or scope does not reach, or a request by session cookie does not prove its origin.',
  },
  NOT_FOUND: { status: 404, message: 'There is no such thing.', when: 'It does not exist, or is not yours.' },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests.',
    when: 'A limit was reached; details.reason is plan, workflow or capacity.',
  },
  EXECUTION_FAILED: {
    status: 500,
    message: 'The execution failed.',
    when: 'A webhook that answers on completion, whose execution failed.',
  },
  STORAGE_FULL: {
    status: 500,
    message: 'The storage is full; nothing was written.',
    when: 'The disk has no room. Reads go on; writes work again when there is room.',
  },
  STORAGE_UNAVAILABLE: {
    status: 500,
    message: 'The database cannot be reached; nothing was written. Try again.',
    when: 'PostgreSQL is away or too busy. It is tried for some seconds before this is answered.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on our side.',
    when: 'A fault of the service; the request id finds the log line.',
  },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

/** Whether it tells of a fault on this side, which belongs into the log. */
export function isServerError(code: ErrorCode): boolean {
  return code === 'INTERNAL_ERROR' || code === 'STORAGE_FULL' || code === 'STORAGE_UNAVAILABLE';
}

/** Whether what failed with it is to be tried again as it is. */
export function isTemporary(code: ErrorCode): boolean {
  return code === 'RATE_LIMITED' || code === 'STORAGE_FULL' || code === 'STORAGE_UNAVAILABLE';
}

/** One fault of an input: `field` is a dotted path such as `definition.nodes[2].config.url`. */
export type FieldError = { field: string; issue: string };

/** An error that may be shown to the caller as it is: code, message and details are public. */
export class WeftError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message?: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message ?? errorCatalogue[code].message, cause === undefined ? undefined : { cause });
    this.name = 'WeftError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** A VALIDATION_ERROR with its first fault in `details.field`/`details.issue` and all of them in `details.errors`. */
export function validationError(faults: readonly FieldError[], message?: string): WeftError {
  const first = faults[0] ?? { field: '', issue: 'is not valid' };
  return new WeftError('VALIDATION_ERROR', message ?? `${first.field || 'The input'}: ${first.issue}`, {
    field: first.field,
    issue: first.issue,
    errors: [...faults],
  });
}

export function notFound(what: string): WeftError {
  return new WeftError('NOT_FOUND', `There is no such ${what}.`);
}

export function conflict(message: string, details: Record<string, unknown> = {}): WeftError {
  return new WeftError('CONFLICT', message, details);
}
