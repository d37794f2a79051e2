import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid, invalidFields } from '../outcome.ts';
import { closed, tagged } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { validateCredentials, credentialsField, CredentialsError } from './credentials.ts';
import { readPostgresUrl } from './postgres-url.ts';
import { buildInsert, validateNames, validateRows, validateTable, buildUpdate } from './sql-text.ts';
import { ui } from '../ui-hints.ts';

const MAX_QUERY = 100_000;
const MAX_PARAMETERS = 65_535;
const DEFAULT_ROWS = 10_000;
const MAX_ROWS = 100_000;

const credentials = credentialsField(
  'The secret contains postgres://user:password@host:port/database. ?sslmode=require requires TLS, ?sslmode=disable disables it. Connections to public addresses use TLS unless it is disabled',
);
const maxRows = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_ROWS,
    default: DEFAULT_ROWS,
    title: 'Maximum rows',
    ...ui({ advanced: true }),
    description: 'If there are more rows, the node fails and nothing is changed.',
  }),
);
const table = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The table name, such as orders or sales.orders. Templates are not evaluated.',
});
const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
      maxItems: 1_000,
      description,
      ...ui({ advanced: true }),
    }),
  );
const returning = names('Columns of the changed rows to return.');
const columns = (description: string) => Type.Unsafe<JsonObject>({ type: 'object', description });
const rows = Type.Unsafe<JsonObject | JsonObject[]>({
  type: ['object', 'array'],
  description: 'A row as {column: value}, or a list of rows with the same columns.',
});
const operation = <const T extends string>(name: T) => Type.Literal(name);

const PostgresConfig = tagged('operation', [
  closed(
    {
      operation: operation('query'),
      credentials,
      query: Type.String({
        minLength: 1,
        maxLength: MAX_QUERY,
        title: 'SQL',
        ...ui({ order: 2, hint: 'Write $1, $2, … for values, and set them in Parameters.' }),
        description:
          'One SQL statement. Templates are not evaluated: write $1, $2, … and set the values in parameters.',
      }),
      parameters: Type.Optional(
        Type.Unsafe<Json[]>({
          type: 'array',
          maxItems: MAX_PARAMETERS,
          description:
            'The values of $1, $2, … Use objects and lists for json, lists for arrays and base64 for bytea.',
        }),
      ),
      max_rows: maxRows,
    },
    { title: 'SQL statement' },
  ),
  closed(
    { operation: operation('insert'), credentials, table, values: rows, returning },
    { title: 'Insert rows' },
  ),
  closed(
    {
      operation: operation('update'),
      credentials,
      table,
      values: columns('The new values as {column: value}.'),
      where: columns('Updates the rows whose columns equal these values; null matches NULL.'),
      returning,
    },
    { title: 'Update rows' },
  ),
  closed(
    {
      operation: operation('upsert'),
      credentials,
      table,
      values: rows,
      conflict: Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        minItems: 1,
        maxItems: 32,
        description: 'The columns of a unique index. An existing row with the same values is updated.',
      }),
      returning,
    },
    { title: 'Upsert rows' },
  ),
]);
type Config = {
  operation: 'query' | 'insert' | 'update' | 'upsert';
  credentials: string;
  query?: string;
  parameters?: Json[];
  max_rows?: number;
  table?: string;
  values?: JsonObject | JsonObject[];
  where?: JsonObject;
  conflict?: string[];
  returning?: string[];
};

export const postgres = defineNode({
  type: 'postgres',
  version: '1.0.0',
  name: 'PostgreSQL',
  category: 'connector',
  description:
    'Runs one statement on a PostgreSQL server, with its values as parameters. The result is {rows, row_count, fields}. Text, numbers up to 32 bits, floating-point numbers, booleans, json and arrays keep their type; bigint and numeric are strings, so that no digits are lost; timestamps are in ISO 8601 (with Z if they have a time zone), bytea is in base64, and other types are returned as PostgreSQL prints them. A statement is applied completely or not at all. After a crash it may run again, so use an upsert for changes that must not happen twice.',
  icon: 'postgresql',
  keywords: [
    'database',
    'sql',
    'postgres',
    'db',
    'query',
    'table',
    'select',
    'insert',
    'update',
    'delete',
    'rows',
    'store',
    'save',
  ],
  config: PostgresConfig,
  templates: {
    operation: 'literal',
    query: 'literal',
    table: 'literal',
    conflict: 'literal',
    returning: 'literal',
    max_rows: 'literal',
  },
  output: Type.Object({
    rows: Type.Array(Type.Object({})),
    row_count: Type.Integer({ examples: [1] }),
    fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  }),
  outputs: [{ name: 'out', type: 'object', description: '{rows, row_count, fields}' }],
  effects: 'external',
  secrets: { credentials: 'request' },
  timeout: 60_000,
  check: (config) => [...validateCredentials(config), ...validateStatement(config, isTemplated)],
  async run(ctx, given) {
    const config = given as Config;
    const errors = validateStatement(config as unknown as JsonObject, () => false);
    if (errors.length > 0) return invalidFields(errors);
    try {
      const server = readPostgresUrl(config.credentials);
      const statement = { ...buildStatement(config), maxRows: config.max_rows ?? readLimit(config) };
      return done(await ctx.sql.query(server, statement));
    } catch (error) {
      if (error instanceof CredentialsError) return invalid('credentials', error.message);
      throw error;
    }
  },
  examples: [
    {
      title: 'Query with parameters',
      config: {
        operation: 'query',
        credentials: '{{ secrets.DB }}',
        query: 'SELECT id, total, placed_at FROM orders WHERE customer = $1 AND status = ANY($2) LIMIT 10',
        parameters: ['{{ input.customer }}', ['open', 'paid']],
      },
      input: { customer: 'ada@example.com' },
      outputs: {
        out: {
          rows: [{ id: '17', total: '99.50', placed_at: '2026-01-01T12:00:00Z' }],
          row_count: 1,
          fields: [
            { name: 'id', type: 'int8' },
            { name: 'total', type: 'numeric' },
            { name: 'placed_at', type: 'timestamptz' },
          ],
        },
      },
    },
    {
      title: 'Write a row exactly once',
      config: {
        operation: 'upsert',
        credentials: '{{ secrets.DB }}',
        table: 'sales.orders',
        values: { id: '{{ input.id }}', total: '{{ input.total }}', lines: '{{ input.lines }}' },
        conflict: ['id'],
        returning: ['id'],
      },
      input: { id: 'o-17', total: 99.5, lines: [{ sku: 'A-1' }] },
      outputs: { out: { rows: [{ id: 'o-17' }], row_count: 1, fields: [{ name: 'id', type: 'text' }] } },
    },
    {
      title: 'Update the rows of one order',
      config: {
        operation: 'update',
        credentials: '{{ secrets.DB }}',
        table: 'orders',
        values: { status: 'paid' },
        where: { id: '{{ input.id }}' },
      },
      input: { id: 'o-17' },
      outputs: { out: { rows: [], row_count: 1, fields: [] } },
    },
  ],
});

/**
 * Validation that the schema cannot express. `isOpen`: the value contains a placeholder and is validated
 * later.
 */
function validateStatement(config: JsonObject, isOpen: (value: unknown) => boolean): FieldError[] {
  const { operation: name, query, table: into, values, where, conflict, returning: back } = config;
  if (name === 'query') return typeof query === 'string' ? validateQuery(query) : [];
  const errors = typeof into === 'string' ? validateTable(into) : [];
  if (!isOpen(values) && !(Array.isArray(values) && values.some(isOpen)))
    errors.push(...validateRows('values', values));
  if (name === 'update' && !isOpen(where)) {
    if (!isObject(where) || Object.keys(where).length === 0)
      errors.push({
        field: 'where',
        issue: 'must have at least one column; use a query to change every row',
      });
    else errors.push(...validateNames('where', Object.keys(where)));
  }
  if (Array.isArray(back)) errors.push(...validateNames('returning', back as string[]));
  if (Array.isArray(conflict)) {
    errors.push(...validateNames('conflict', conflict as string[]));
    const row = Array.isArray(values) ? values[0] : values;
    const missing = isObject(row) && (conflict as string[]).find((column) => !Object.hasOwn(row, column));
    if (typeof missing === 'string')
      errors.push({ field: 'conflict', issue: `must be a column of values, not ${missing}` });
  }
  return errors;
}

function validateQuery(query: string): FieldError[] {
  const at = (issue: string): FieldError[] => [{ field: 'query', issue }];
  if (query.includes('{{'))
    return at(
      'must not contain templates: write $1, $2, … and set the values in parameters, so that data cannot become SQL',
    );
  return query.includes('\0') ? at('must not contain a NUL character') : [];
}

function buildStatement(config: Config): { text: string; values: Json[] } {
  const { table: into = '', values = {}, returning: back = [] } = config;
  if (config.operation === 'query') return { text: config.query ?? '', values: config.parameters ?? [] };
  if (config.operation === 'update') return buildUpdate(into, values as JsonObject, config.where ?? {}, back);
  const more =
    config.conflict === undefined ? { returning: back } : { conflict: config.conflict, returning: back };
  return buildInsert(into, [values].flat(), more);
}

/** The number of changed rows is limited by the values sent or by the tables. */
function readLimit({ operation: name }: Config): number {
  return name === 'query' ? DEFAULT_ROWS : MAX_ROWS;
}
