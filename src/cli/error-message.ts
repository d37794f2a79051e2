import { CommanderError } from 'commander';
import {
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnexpectedResponseError,
  ValidationError,
  WeftError as ClientError,
} from '../../sdk/src/index.ts';
import { ConfigError } from '../config/environment.ts';
import { WeftError } from '../contract/errors.ts';
import { toPlainText } from './terminal/text.ts';
import { Interrupted, TimedOut, UsageError } from './usage-error.ts';

/** The exit codes. Scripts depend on them: they do not change. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unauthorized: 3,
  notFound: 4,
  refused: 5,
  unreachable: 6,
  rateLimited: 7,
  timedOut: 8,
  /** For `apply --dry-run --detailed-exitcode`. */
  changes: 9,
  interrupted: 130,
  terminated: 143,
} as const;

/** Maximum number of field errors that are listed. */
const MAX_SHOWN_ERRORS = 20;

export type Failure = {
  /** Text for people; empty when there is nothing to print. */
  readonly text: string;
  readonly code: number;
  /** The output for `--json`. */
  readonly body: { readonly code: string; readonly message: string; readonly [more: string]: unknown };
};

/** One line for an error that the user can fix; a stack trace only for an internal error. */
export function describeError(error: unknown): Failure {
  if (error instanceof ClientError) return ofService(error);
  if (error instanceof CommanderError || error instanceof UsageError)
    return toPlainMessage(error.message.replace(/^error: /, ''), exitCodes.usage, 'USAGE');
  if (error instanceof Interrupted)
    return toPlainMessage(
      error.message,
      error.signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated,
      'INTERRUPTED',
    );
  if (error instanceof TimedOut) return toPlainMessage(error.message, exitCodes.timedOut, 'TIMED_OUT');
  if (error instanceof ConfigError) return toPlainMessage(error.message, exitCodes.failed, 'CONFIGURATION');
  if (error instanceof WeftError) return toPlainMessage(error.message, exitCodes.failed, error.code);
  const isPlain = error instanceof Error && error.constructor === Error && error.cause === undefined;
  const text =
    error instanceof Error ? (isPlain || hasCode(error) ? error.message : withCause(error)) : String(error);
  return toPlainMessage(text, exitCodes.failed, 'FAILED');
}

function toPlainMessage(text: string, code: number, name: string): Failure {
  return { text, code, body: { code: name, message: text } };
}

function ofService(error: ClientError): Failure {
  const { code, message, details, status, requestId } = error;
  const lines = [toPlainText(message)];
  if (error instanceof ValidationError && error.errors.length > 1) {
    lines.splice(0, 1, `${error.errors.length} things are wrong:`);
    for (const problem of error.errors.slice(0, MAX_SHOWN_ERRORS))
      lines.push(`  ${toPlainText(problem.field)}: ${toPlainText(problem.issue)}`);
    if (error.errors.length > MAX_SHOWN_ERRORS)
      lines.push(`  … and ${error.errors.length - MAX_SHOWN_ERRORS} more`);
  }
  const hint = getHint(error);
  if (hint !== null) lines.push(hint);
  if (status !== null && status >= 500 && requestId !== null)
    lines.push(`The service's log tells more under the request id ${requestId}.`);
  return {
    text: lines.join('\n'),
    code: getExitCode(error),
    body: { code, message, details, status, request_id: requestId },
  };
}

function getExitCode(error: ClientError): number {
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return exitCodes.unauthorized;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof RateLimitedError) return exitCodes.rateLimited;
  if (error instanceof ConnectionError || error instanceof UnexpectedResponseError)
    return exitCodes.unreachable;
  return error.status === 400 ? exitCodes.refused : exitCodes.failed;
}

/** Returns what the user can do about the error. */
function getHint(error: ClientError): string | null {
  if (error instanceof UnauthorizedError && error.status !== null)
    return 'Log in with: weft login. In a script, set WEFT_API_KEY.';
  if (error instanceof ForbiddenError)
    return 'weft whoami shows who you are; another profile or key may reach further.';
  if (error instanceof RateLimitedError && error.retryAfter !== null)
    return `Try again in ${error.retryAfter} s.`;
  if (error instanceof ConnectionError && error.code === 'CONNECTION' && error.status === null)
    return 'Check with weft health whether the service is running; --url or WEFT_URL sets its URL.';
  return null;
}

function hasCode(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}

function withCause(error: Error): string {
  return error.cause instanceof Error && hasCode(error.cause)
    ? error.message
    : (error.stack ?? error.message);
}
