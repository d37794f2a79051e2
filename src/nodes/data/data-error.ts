import type { NodeErrorType } from '../../contract/execution.ts';
import type { Outcome } from '../../contract/node-type.ts';
import { invalid } from '../outcome.ts';

/** The data does not fit the node. `field` is the location, such as `items[3].price`. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly field: string;
  readonly type: NodeErrorType;
  constructor(field: string, issue: string, type: NodeErrorType = 'validation') {
    super(issue);
    this.field = field;
    this.type = type;
  }
}

/** Converts a DataError to a failure. Rethrows any other error. */
export function toFailure(error: unknown): Outcome {
  if (!(error instanceof DataError)) throw error;
  const { field, message, type } = error;
  if (type === 'validation') return invalid(field, message);
  return {
    kind: 'failed',
    error: {
      type,
      message: field === '' ? `The input ${message}` : `${field}: ${message}`,
      data: { field, issue: message },
      retryable: false,
    },
  };
}

/** Evaluates a template of the configuration for one element; `at` is the path of the element. */
export function evaluateAt<T>(at: string, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    // Compared by name: nodes must not import the expressions layer.
    if (!(error instanceof Error) || error.name !== 'TemplateEvaluationError') throw error;
    const field = 'field' in error && typeof error.field === 'string' ? error.field : '';
    throw new DataError(field, `${error.message} (at ${at})`, 'template');
  }
}
