import { Type } from 'typebox';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { ui } from '../../ui-hints.ts';

const MAX_QUERY_LENGTH = 100_000;
const MAX_PARAMETERS = 65_535;
export const DEFAULT_ROWS = 10_000;
export const MAX_ROWS = 100_000;

/** Fields that the nodes of SQL servers share. */
export const maxRowsField = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_ROWS,
    default: DEFAULT_ROWS,
    title: 'Maximum rows',
    ...ui({ advanced: true }),
    description: 'If there are more rows, the node fails and nothing is changed.',
  }),
);

export function tableField(example: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    description: `The table name, such as orders or ${example}. Templates are not evaluated.`,
  });
}

export function columnsField(description: string) {
  return Type.Unsafe<JsonObject>({ type: 'object', description });
}

export const updateValuesField = columnsField('The new values as {column: value}.');
export const updateWhereField = columnsField(
  'Updates the rows whose columns equal these values; null matches NULL.',
);
export const rowsField = Type.Unsafe<JsonObject | JsonObject[]>({
  type: ['object', 'array'],
  description: 'A row as {column: value}, or a list of rows with the same columns.',
});

export function conflictField(maxLength: number, description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength }), { minItems: 1, maxItems: 32, description });
}

/** `placeholders` is how the statement refers to its parameters. */
export function queryField(placeholders: string) {
  return Type.String({
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    title: 'SQL',
    ...ui({ order: 2, hint: `Write ${placeholders} for values, and set them in Parameters.` }),
    description: `One SQL statement. Templates are not evaluated: write ${placeholders} and set the values in parameters.`,
  });
}

export function parametersField(description: string) {
  return Type.Optional(Type.Unsafe<Json[]>({ type: 'array', maxItems: MAX_PARAMETERS, description }));
}
