import {
  GraphQLError,
  execute,
  getVariableValues,
  subscribe,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { isServerError, WeftError, createValidationError } from '../../contract/errors.ts';
import { measureJsonSize } from '../../lib/json/json-size.ts';
import { isObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { RequestContext, TimeBudget } from './request-context.ts';
import { findVariableErrors } from './schema/contract-fields.ts';
import type { PreparedOperation } from './documents.ts';
import { RequestError, refuse, formatWeftError, type FormattedError } from './request-error.ts';

export type Variables = Readonly<Record<string, unknown>>;
/** A response as it is sent. `data` is absent when nothing ran. */
export type FormattedResponse = { readonly errors?: readonly FormattedError[]; readonly data?: unknown };

export type Runner = {
  /**
   * Checks the variables and the cost of an operation, and returns the variables with their defaults. @throws
   * {RequestError}
   */
  check(operation: PreparedOperation, variables: Variables): Variables;
  /** Runs a query or a mutation. Never throws. */
  run(operation: PreparedOperation, variables: Variables, caller: RequestContext): Promise<FormattedResponse>;
  /** Starts a subscription and returns its events, or the error. */
  subscribe(
    operation: PreparedOperation,
    variables: Variables,
    caller: RequestContext,
  ): Promise<AsyncGenerator<FormattedResponse, void, void> | FormattedResponse>;
};

export function createRunner(options: {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly clock: Clock;
  /** Called for internal errors. */
  readonly onError: (error: unknown) => void;
}): Runner {
  const { schema, introspection, clock, onError } = options;
  const hideSuggestions = !introspection;
  const format = (result: ExecutionResult): FormattedResponse => createResponse(result, onError);

  async function executeOperation(
    { document, node }: PreparedOperation,
    variables: Variables,
    caller: RequestContext,
    abortSignal: AbortSignal,
  ): Promise<ExecutionResult> {
    return execute({
      schema,
      document,
      operationName: node.name?.value ?? null,
      variableValues: variables,
      contextValue: caller,
      hideSuggestions,
      abortSignal,
    });
  }

  return {
    check(operation, variables) {
      const definitions = operation.node.variableDefinitions ?? [];
      let coerced: Variables = {};
      if (definitions.length > 0) {
        const result = getVariableValues(schema, definitions, variables, {
          maxErrors: limits.graphqlErrors,
          hideSuggestions,
        });
        if (result.errors !== undefined) {
          const problems = findVariableErrors(schema, definitions, variables, hideSuggestions);
          if (problems.length === 0) throw refuse('variables', result.errors[0]?.message ?? 'are not valid');
          throw new RequestError([formatWeftError(createValidationError(problems))]);
        }
        coerced = result.variableValues.coerced;
      }
      const cost = operation.cost(coerced);
      if (cost > limits.graphqlCost)
        throw refuse(
          'query',
          `must not cost more than ${limits.graphqlCost}, but costs ${cost}: request fewer items`,
          {
            limit: limits.graphqlCost,
            cost,
          },
        );
      return coerced;
    },

    async run(operation, variables, caller) {
      const abort = new AbortController();
      let cancel = (): void => {};
      // A mutation is never interrupted in the middle of a change: it checks the time before each step.
      const late =
        operation.node.operation === 'mutation'
          ? []
          : [
              new Promise<ExecutionResult>((resolve) => {
                cancel = clock.after(limits.graphqlTimeMs, () => {
                  const error = createTimeoutError();
                  resolve({
                    data: null,
                    errors: [new GraphQLError(error.message, { originalError: error })],
                  });
                  abort.abort(error);
                });
              }),
            ];
      try {
        return format(
          await Promise.race([executeOperation(operation, variables, caller, abort.signal), ...late]),
        );
      } catch (error) {
        return format({ data: null, errors: [new GraphQLError('', { originalError: toError(error) })] });
      } finally {
        cancel();
      }
    },

    async subscribe({ document, node }, variables, caller) {
      const result = await subscribe({
        schema,
        document,
        operationName: node.name?.value ?? null,
        variableValues: variables,
        contextValue: caller,
        hideSuggestions,
      });
      return Symbol.asyncIterator in result ? createEventResponses(result, format) : format(result);
    },
  };
}

/**
 * The responses of a subscription. An error of the source is the last one. This is not a generator function,
 * because those cannot be ended while they wait for a value, so the subscriber would stay until the next
 * event.
 */
function createEventResponses(
  events: AsyncGenerator<ExecutionResult, void, void>,
  format: (result: ExecutionResult) => FormattedResponse,
): AsyncGenerator<FormattedResponse, void, void> {
  let isOver = false;
  const over = { value: undefined, done: true } as const;
  const responses: AsyncGenerator<FormattedResponse, void, void> = {
    async next() {
      if (isOver) return over;
      try {
        const event = await events.next();
        if (event.done !== true) return { value: format(event.value), done: false };
        isOver = true;
        return over;
      } catch (error) {
        isOver = true;
        return {
          value: format({ errors: [new GraphQLError('', { originalError: toError(error) })] }),
          done: false,
        };
      }
    },
    async return() {
      isOver = true;
      await events.return();
      return over;
    },
    async throw(error) {
      isOver = true;
      await events.return();
      throw error;
    },
    [Symbol.asyncIterator]: () => responses,
    async [Symbol.asyncDispose]() {
      await responses.return();
    },
  };
  return responses;
}

function createResponse(
  { data, errors }: ExecutionResult,
  onError: (error: unknown) => void,
): FormattedResponse {
  if (
    data !== undefined &&
    measureJsonSize(data, limits.graphqlResponseBytes) > limits.graphqlResponseBytes
  ) {
    const limit = limits.graphqlResponseBytes;
    const message = `The response is larger than ${limit} bytes: request less data.`;
    return { errors: [formatWeftError(new WeftError('PAYLOAD_TOO_LARGE', message, { limit }))], data: null };
  }
  if (errors === undefined || errors.length === 0) return { data };
  const list = errors.slice(0, limits.graphqlErrors).map((error) => formatError(error, onError));
  // Without `data` nothing ran, so this is a request error.
  return data === undefined ? { errors: list } : { errors: list, data };
}

function formatError(error: GraphQLError, onError: (error: unknown) => void): FormattedError {
  const cause = error.originalError;
  const known = cause instanceof WeftError ? cause : isAboutInput(error) ? createInputError(error) : null;
  if (known === null || isServerError(known.code)) onError(cause ?? error);
  const { locations, path } = error;
  const { message, extensions } = formatWeftError(known ?? new WeftError('INTERNAL_ERROR'));
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions,
  };
}

/** Whether GraphQL rejected an argument once it had the variables. */
function isAboutInput(error: GraphQLError): boolean {
  return error.originalError === undefined && /^(?:Argument|Variable) "/.test(error.message);
}

function createInputError(error: GraphQLError): WeftError {
  const [, field = 'variables'] = /^(?:Argument "|Variable "\$)(\w+)/.exec(error.message) ?? [];
  return createValidationError([{ field, issue: error.message }]);
}

function createTimeoutError(): WeftError {
  const { graphqlTimeMs } = limits;
  return new WeftError(
    'RATE_LIMITED',
    `The operation took longer than ${graphqlTimeMs} ms: request less data.`,
    {
      reason: 'capacity',
      limit: graphqlTimeMs,
      retry_after: 1,
    },
  );
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function createTimeBudget(now: () => number): TimeBudget {
  let end = now() + limits.graphqlTimeMs;
  return {
    requireTime() {
      if (now() > end) throw createTimeoutError();
    },
    async runUntimed(run) {
      const began = now();
      try {
        return await run();
      } finally {
        end += Math.max(0, now() - began);
      }
    },
  };
}

/** Reads the parameters of a request. @throws {RequestError} */
export function readRequest(body: unknown): {
  query: string;
  operationName: string | null;
  variables: Variables;
} {
  if (Array.isArray(body)) throw refuse('body', 'must be an object: batches are not supported');
  if (!isObject(body)) throw refuse('body', 'must be an object with query, variables and operationName');
  const { query, operationName, variables, extensions } = body;
  if (typeof query !== 'string')
    throw refuse('query', query === undefined ? 'is required' : 'must be a string');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw refuse('operationName', 'must be a string');
  if (variables !== undefined && variables !== null && !isObject(variables))
    throw refuse('variables', 'must be an object');
  if (extensions !== undefined && extensions !== null && !isObject(extensions))
    throw refuse('extensions', 'must be an object');
  return { query, operationName: operationName || null, variables: variables ?? {} };
}
