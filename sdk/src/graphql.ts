import { UnexpectedResponseError, WeftError } from './errors.ts';
import type { Call, RequestOptions } from './request.ts';

export type GraphqlResponseError = {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly details?: Record<string, unknown> };
};

/** The result of an operation contains errors. `code` and `details` are those of the first one. */
export class GraphqlError extends WeftError {
  override readonly name: string = 'GraphqlError';
  readonly errors: readonly GraphqlResponseError[];
  /** The partial data of the result. */
  readonly data: unknown;

  constructor(errors: readonly GraphqlResponseError[], data: unknown) {
    const { message = 'The operation failed.', extensions = {} } = errors[0] ?? {};
    super(extensions.code ?? 'GRAPHQL', { message, details: extensions.details ?? {}, status: 200 });
    this.errors = errors;
    this.data = data;
  }
}

export type GraphqlOptions = RequestOptions & { readonly operationName?: string | undefined };

/**
 * Runs a query or mutation and returns its `data`. @throws {GraphqlError} if the result contains an error.
 */
export type Graphql = <Data = Record<string, unknown>>(
  query: string,
  variables?: object,
  options?: GraphqlOptions,
) => Promise<Data>;

export function createGraphql(call: Call): Graphql {
  return async <Data>(query: string, variables?: object, options: GraphqlOptions = {}): Promise<Data> => {
    const { operationName, ...rest } = options;
    const response = await call<{ data?: Data; errors?: readonly GraphqlResponseError[] }>(
      {
        method: 'POST',
        path: '/graphql',
        body: { query, variables, operationName },
        isSafe: !/\bmutation\b/.test(query),
      },
      rest,
    );
    if (response.errors !== undefined && response.errors.length > 0)
      throw new GraphqlError(response.errors, response.data);
    if (response.data === undefined)
      throw new UnexpectedResponseError({
        message: 'The response contains neither data nor errors.',
        status: 200,
      });
    return response.data;
  };
}
