import type { ErrorCode } from './generated/types.ts';

/** One validation error; `field` is a dotted path such as `definition.nodes[2].config.url`. */
export type FieldError = { field: string; issue: string };

export type ErrorInit = {
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** HTTP status of the response; null when there was none. */
  readonly status?: number | null;
  /** The request id, which the service's log contains, too; null when there was no response. */
  readonly requestId?: string | null;
  readonly cause?: unknown;
};

/** The base class of all errors of the client, except the reason of an aborted signal. */
export class WeftError extends Error {
  override readonly name: string = 'WeftError';
  /** The service's code, or `CONNECTION`, `TIMEOUT`, `UNEXPECTED_RESPONSE` or `SLOW_READER`. */
  readonly code: string;
  /** HTTP status; null when there was no response. */
  readonly status: number | null;
  /** The request id in the service's log; null when there was no response. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, init: ErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.status = init.status ?? null;
    this.requestId = init.requestId ?? null;
    this.details = init.details ?? {};
  }
}

/** The input is invalid. `field` and `issue` are those of the first error, `errors` lists all of them. */
export class ValidationError extends WeftError {
  override readonly name: string = 'ValidationError';
  get field(): string {
    return readText(this.details['field']);
  }
  get issue(): string {
    return readText(this.details['issue']);
  }
  get errors(): readonly FieldError[] {
    const { errors } = this.details;
    return Array.isArray(errors) ? (errors as FieldError[]) : [];
  }
}

/** A size limit was exceeded. */
export class PayloadTooLargeError extends WeftError {
  override readonly name: string = 'PayloadTooLargeError';
  /** The limit in bytes; null when the service did not send it. */
  get limit(): number | null {
    return readNumber(this.details['limit']);
  }
}

/** The request conflicts with a state, a version, an endpoint or an idempotency key. */
export class ConflictError extends WeftError {
  override readonly name: string = 'ConflictError';
}

/** The credential is missing, invalid, expired or revoked. */
export class UnauthorizedError extends WeftError {
  override readonly name: string = 'UnauthorizedError';
}

/** The credential is valid, but its role or scope does not permit the request. */
export class ForbiddenError extends WeftError {
  override readonly name: string = 'ForbiddenError';
}

/** The resource does not exist or belongs to another user. */
export class NotFoundError extends WeftError {
  override readonly name: string = 'NotFoundError';
}

/** Too many requests, and the required wait exceeds the client's limit. */
export class RateLimitedError extends WeftError {
  override readonly name: string = 'RateLimitedError';
  /** Seconds until a retry can succeed; null when the service did not send it. */
  get retryAfter(): number | null {
    return readNumber(this.details['retry_after']);
  }
  /** `plan`, `workflow` or `capacity`; empty when the service did not send it. */
  get reason(): string {
    return readText(this.details['reason']);
  }
}

/** An execution whose result was requested did not complete. */
export class ExecutionFailedError extends WeftError {
  override readonly name: string = 'ExecutionFailedError';
  get executionId(): string {
    return readText(this.details['execution_id']);
  }
}

/** A server error, including full storage. */
export class ServerError extends WeftError {
  override readonly name: string = 'ServerError';
}

/** The service could not be reached, or the connection closed before the response was complete. */
export class ConnectionError extends WeftError {
  override readonly name: string = 'ConnectionError';
  constructor(init: ErrorInit, code = 'CONNECTION') {
    super(code, init);
  }
}

/** The timeout expired. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
  constructor(init: ErrorInit) {
    super(init, 'TIMEOUT');
  }
}

/** The response does not come from a Weft service, for example from a proxy in between. */
export class UnexpectedResponseError extends WeftError {
  override readonly name: string = 'UnexpectedResponseError';
  constructor(init: ErrorInit) {
    super('UNEXPECTED_RESPONSE', init);
  }
}

/** More updates were queued than the client keeps for a slow reader. */
export class SlowReaderError extends WeftError {
  override readonly name: string = 'SlowReaderError';
  constructor(init: ErrorInit) {
    super('SLOW_READER', init);
  }
}

const classes: Record<ErrorCode, new (code: string, init: ErrorInit) => WeftError> = {
  VALIDATION_ERROR: ValidationError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  CONFLICT: ConflictError,
  UNAUTHORIZED: UnauthorizedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  RATE_LIMITED: RateLimitedError,
  EXECUTION_FAILED: ExecutionFailedError,
  STORAGE_FULL: ServerError,
  STORAGE_UNAVAILABLE: ServerError,
  INTERNAL_ERROR: ServerError,
};

/** Creates the error for a code of the service; a plain WeftError for an unknown code. */
export function createError(code: string, init: ErrorInit): WeftError {
  const known = Object.hasOwn(classes, code) ? classes[code as ErrorCode] : WeftError;
  return new known(code, init);
}

/** Whether a retry may succeed: no connection, timeout, too many requests, or a server error. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof WeftError) || error.code === 'EXECUTION_FAILED') return false;
  if (error instanceof ConnectionError) return error.status === null;
  return error.status === 429 || (error.status ?? 0) >= 500;
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
