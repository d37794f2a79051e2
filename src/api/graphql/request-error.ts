import type { GraphQLError, SourceLocation } from 'graphql';
import { type WeftError, createValidationError } from '../../contract/errors.ts';

/** The public form of an error, for all transports. */
export type FormattedError = {
  readonly message: string;
  readonly locations?: readonly SourceLocation[];
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
};

/** A request that is rejected before any of it runs. */
export class RequestError extends Error {
  readonly errors: readonly FormattedError[];
  constructor(errors: readonly FormattedError[]) {
    super(errors[0]?.message ?? 'The request is not valid.');
    this.name = 'RequestError';
    this.errors = errors;
  }
}

/** @param field the invalid part: `query`, `variables`, or the field of an input. */
export function refuse(
  field: string,
  issue: string,
  details: Readonly<Record<string, unknown>> = {},
): RequestError {
  const error = createValidationError([{ field, issue }]);
  return new RequestError([
    { message: error.message, extensions: { code: error.code, details: { ...error.details, ...details } } },
  ]);
}

/** Rejects a document over a limit. Counting stops at the limit, so the actual number is not known. */
export function refuseLimit(what: string, limit: number): RequestError {
  return refuse('query', `must not have more than ${limit} ${what}`, { limit });
}

export function formatWeftError({ code, message, details }: WeftError): FormattedError {
  return { message, extensions: { code, details } };
}

/**
 * Converts an error of parsing or validation. `readField` returns the input field that the error is about.
 */
export function showDocumentError(
  error: GraphQLError,
  readField: (error: GraphQLError) => string = () => 'query',
): FormattedError {
  const { message, locations } = error;
  const field = readField(error);
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    extensions: {
      code: 'VALIDATION_ERROR',
      details: { field, issue: message, errors: [{ field, issue: message }] },
    },
  };
}
