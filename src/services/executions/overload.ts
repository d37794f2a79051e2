import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';

/** Retry-After in seconds for a full queue, which drains in far less. */
const RETRY_AFTER_S = 1;

/** Returns the same error, with a retry time if it reports a lack of capacity. */
export function addRetryAfter(error: unknown): unknown {
  if (!(error instanceof WeftError) || error.code !== 'RATE_LIMITED') return error;
  if (typeof error.details['retry_after'] === 'number') return error;
  return new WeftError(error.code, error.message, { ...error.details, retry_after: RETRY_AFTER_S }, error);
}

/** `what` exceeds the size limit of one response. */
export function createOverloadError(what: string): WeftError {
  return new WeftError(
    'PAYLOAD_TOO_LARGE',
    `The data of ${what} is larger than ${limits.valueReadBytes} bytes: ask for fewer at once.`,
    { limit: limits.valueReadBytes },
  );
}
