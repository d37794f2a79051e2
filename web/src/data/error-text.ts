import { ConnectionError, RateLimitedError, ValidationError, WeftError } from 'weft-client';
import { t } from '../i18n/index.ts';
import { translateIssueText } from './issue-text.ts';

/** The message of an error for the user. */
export function toErrorText(error: unknown): string {
  if (error instanceof ValidationError && error.errors.length > 0) {
    return error.errors.map(toText).join('; ');
  }
  if (error instanceof RateLimitedError && error.retryAfter !== null) {
    return t('{{message}} Try again in {{seconds}} s.', {
      message: error.message,
      seconds: error.retryAfter,
    });
  }
  if (error instanceof ConnectionError) return t('Cannot reach the server.');
  if (
    error instanceof WeftError &&
    error.status !== null &&
    error.status >= 500 &&
    error.requestId !== null
  ) {
    return t('{{message}} (request {{requestId}})', { message: error.message, requestId: error.requestId });
  }
  return error instanceof Error ? error.message : String(error);
}

function toText({ field, issue }: ValidationError['errors'][number]): string {
  return field === '' ? translateIssueText(issue) : `${field} ${translateIssueText(issue)}`;
}

/** The error of one form field; null: none. */
export function toFieldError(error: unknown, field: string): string | null {
  if (!(error instanceof ValidationError)) return null;
  const found = error.errors.find((one) => one.field === field);
  return found === undefined ? null : translateIssueText(found.issue);
}

/** The error of a form as a whole, without the errors that its fields show. */
export function toFormError(error: unknown, fields: readonly string[]): string | null {
  if (error === null || error === undefined) return null;
  if (error instanceof ValidationError && error.errors.length > 0) {
    const rest = error.errors.filter(({ field }) => !fields.includes(field));
    if (rest.length === 0) return null;
    return rest.map(toText).join('; ');
  }
  return toErrorText(error);
}
