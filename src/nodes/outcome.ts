import type { FieldError } from '../contract/errors.ts';
import type { Outcome } from '../contract/node-type.ts';
import type { Json } from '../lib/json/json.ts';

/** Completes with a value on the port `out`. To pass the input on unchanged, give the same object. */
export function done(value: Json): Outcome {
  return { kind: 'done', outputs: { out: value } };
}

/** A `validation` failure for one field. */
export function invalid(field: string, issue: string): Outcome {
  return invalidFields([{ field, issue }]);
}

/** A `validation` failure with all field errors; the first one is the message. */
export function invalidFields(errors: readonly FieldError[]): Outcome {
  const first = errors[0] ?? { field: '', issue: 'is not valid' };
  return {
    kind: 'failed',
    error: {
      type: 'validation',
      message: first.field === '' ? `The input ${first.issue}` : `${first.field}: ${first.issue}`,
      data: { field: first.field, issue: first.issue, errors: errors.map((error) => ({ ...error })) },
    },
  };
}
