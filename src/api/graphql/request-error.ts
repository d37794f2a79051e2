import type { GraphQLError, SourceLocation } from 'graphql';
import { type WeftError, validationError } from '../../contract/errors.ts';

/** What a caller sees of an error, on every transport. */
export type ShownError = {
  readonly message: string;
  readonly locations?: readonly SourceLocation[];
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
};

/** A request that was refused before anything of it ran. */
export class RequestError extends Error {
  readonly errors: readonly ShownError[];
  constructor(errors: readonly ShownError[]) {
    super(errors[0]?.message ?? 'The request is not valid.');
    this.name = 'RequestError';
    this.errors = errors;
  }
}

/** @param field where the fault lies: `query`, `variables`, or the field of an input. */
export function refuse(
  field: string,
  issue: string,
  details: Readonly<Record<string, unknown>> = {},
): RequestError {
  const error = validationError([{ field, issue }]);
  return new RequestError([
    { message: error.message, extensions: { code: error.code, details: { ...error.details, ...details } } },
  ]);
}

/** A limit of a document: `found` may be less than there is, since counting ends at the limit. */
export function refuseLimit(what: string, limit: number): RequestError {
  return refuse('query', `has more than ${limit} ${what}`, { limit });
}

export function showWeftError({ code, message, details }: WeftError): ShownError {
  return { message, extensions: { code, details } };
}

/** What parsing and validation say of a document. `fieldOf` tells of which field of an input an error is. */
export function showDocumentError(
  error: GraphQLError,
  fieldOf: (error: GraphQLError) => string = () => 'query',
): ShownError {
  const { message, locations } = error;
  const field = fieldOf(error);
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    extensions: {
      code: 'VALIDATION_ERROR',
      details: { field, issue: message, errors: [{ field, issue: message }] },
    },
  };
}
