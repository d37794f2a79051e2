import type { ErrorCode } from './generated/types.ts';

/** One fault of an input; `field` is a dotted path such as `definition.nodes[2].config.url`. */
export type Fault = { field: string; issue: string };

export type ErrorFacts = {
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Of the answer; null when there was none. */
  readonly status?: number | null;
  /** Of the answer; the same id is in the service's log. */
  readonly requestId?: string | null;
  readonly cause?: unknown;
};

/** Everything that this client throws, but for the reason of an aborted signal, which passes as it is. */
export class WeftError extends Error {
  override readonly name: string = 'WeftError';
  /** The service's code, or one of the client's own: `CONNECTION`, `TIMEOUT`, `UNEXPECTED_ANSWER`, `SLOW_READER`. */
  readonly code: string;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** The service's id of the request, for its log; null when no answer came. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.details = facts.details ?? {};
  }
}

/** The input is wrong. `field` and `issue` are the first fault, `errors` all of them. */
export class ValidationError extends WeftError {
  override readonly name: string = 'ValidationError';
  get field(): string {
    return textOf(this.details['field']);
  }
  get issue(): string {
    return textOf(this.details['issue']);
  }
  get errors(): readonly Fault[] {
    const { errors } = this.details;
    return Array.isArray(errors) ? (errors as Fault[]) : [];
  }
}

/** A size limit was exceeded. */
export class PayloadTooLargeError extends WeftError {
  override readonly name: string = 'PayloadTooLargeError';
  /** In bytes; null when the service did not say. */
  get limit(): number | null {
    return numberOf(this.details['limit']);
  }
}

/** The state, a version, an endpoint or an idempotency key stands against it. */
export class ConflictError extends WeftError {
  override readonly name: string = 'ConflictError';
}

/** No credential, or one that is wrong, expired or revoked. */
export class UnauthorizedError extends WeftError {
  override readonly name: string = 'UnauthorizedError';
}

/** The credential is known, but its role or scope does not reach. */
export class ForbiddenError extends WeftError {
  override readonly name: string = 'ForbiddenError';
}

/** It does not exist, or is somebody else's. */
export class NotFoundError extends WeftError {
  override readonly name: string = 'NotFoundError';
}

/** Too many requests, and the wait would be longer than the client waits by itself. */
export class RateLimitedError extends WeftError {
  override readonly name: string = 'RateLimitedError';
  /** Seconds until another try makes sense; null when the service did not say. */
  get retryAfter(): number | null {
    return numberOf(this.details['retry_after']);
  }
  /** `plan`, `workflow` or `capacity`; empty when the service did not say. */
  get reason(): string {
    return textOf(this.details['reason']);
  }
}

/** An execution ended as failed where its result was wanted. */
export class ExecutionFailedError extends WeftError {
  override readonly name: string = 'ExecutionFailedError';
  get executionId(): string {
    return textOf(this.details['execution_id']);
  }
}

/** A fault on the service's side, its full storage included. */
export class ServerError extends WeftError {
  override readonly name: string = 'ServerError';
}

/** The service could not be reached, or went away in the middle of an answer. */
export class ConnectionError extends WeftError {
  override readonly name: string = 'ConnectionError';
  constructor(facts: ErrorFacts, code = 'CONNECTION') {
    super(code, facts);
  }
}

/** It took longer than the time that was given for it. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
  constructor(facts: ErrorFacts) {
    super(facts, 'TIMEOUT');
  }
}

/** What answered is no Weft service, or something between it and here answered in its place. */
export class UnexpectedAnswerError extends WeftError {
  override readonly name: string = 'UnexpectedAnswerError';
  constructor(facts: ErrorFacts) {
    super('UNEXPECTED_ANSWER', facts);
  }
}

/** Live updates of more executions waited than are kept for a reader that takes none. */
export class SlowReaderError extends WeftError {
  override readonly name: string = 'SlowReaderError';
  constructor(facts: ErrorFacts) {
    super('SLOW_READER', facts);
  }
}

const classes: Record<ErrorCode, new (code: string, facts: ErrorFacts) => WeftError> = {
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

/** The error of a code that the service sent. A code that this client does not know yet is a plain WeftError. */
export function errorOf(code: string, facts: ErrorFacts): WeftError {
  const known = Object.hasOwn(classes, code) ? classes[code as ErrorCode] : WeftError;
  return new known(code, facts);
}

/** Whether the same request may well succeed later: no connection, no time, too many requests, a fault on the other side. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof WeftError) || error.code === 'EXECUTION_FAILED') return false;
  if (error instanceof ConnectionError) return error.status === null;
  return error.status === 429 || (error.status ?? 0) >= 500;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
