import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';

/** Seconds after which a caller that found no room may try again: queues empty in far less. */
const RETRY_AFTER = 1;

/** The same error; one that says that there was no room also says when to come back. */
export function withRetryAfter(error: unknown): unknown {
  if (!(error instanceof WeftError) || error.code !== 'RATE_LIMITED') return error;
  if (typeof error.details['retry_after'] === 'number') return error;
  return new WeftError(error.code, error.message, { ...error.details, retry_after: RETRY_AFTER }, error);
}

/** `what` is too much together for one answer. */
export function overloadError(what: string): WeftError {
  return new WeftError(
    'PAYLOAD_TOO_LARGE',
    `The data of ${what} is larger than ${limits.manyValues} bytes: ask for fewer at once.`,
    { limit: limits.manyValues },
  );
}
