import { Type } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done, invalid, invalidFields } from '../../outcome.ts';
import { closed, tagged } from '../../schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { validateCredentials, credentialsField, CredentialsError } from '../credentials.ts';
import { readPostgresUrl } from './postgres-url.ts';
import {
  conflictField,
  DEFAULT_ROWS,
  MAX_ROWS,
  maxRowsField,
  parametersField,
  queryField,
  rowsField,
  tableField,
  updateValuesField,
  updateWhereField,
} from './sql-fields.ts';
import {
  buildInsert,
  buildUpdate,
  postgresDialect,
  validateChange,
  validateNames,
  validateQuery,
} from './sql-text.ts';
import { ui } from '../../ui-hints.ts';

const credentials = credentialsField(
  'The secret contains postgres://user:password@host:port/database. ?sslmode=require requires TLS, ?sslmode=disable disables it. Connections to public addresses use TLS unless it is disabled',
);
const table = tableField('sales.orders');
const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
      maxItems: 1_000,
      description,
      ...ui({ advanced: true }),
    }),
  );
const returning = names('Columns of the changed rows to return.');
const operation = <const T extends string>(name: T) => Type.Literal(name);

const PostgresConfig = tagged('operation', [
  closed(
    {
      operation: operation('query'),
      credentials,
      query: queryField('$1, $2, …'),
      parameters: parametersField(
        'The values of $1, $2, … Use objects and lists for json, lists for arrays and base64 for bytea.',
      ),
      max_rows: maxRowsField,
    },
    { title: 'SQL statement' },
  ),
  closed(
    { operation: operation('insert'), credentials, table, values: rowsField, returning },
    { title: 'Insert rows' },
  ),
  closed(
    {
      operation: operation('update'),
      credentials,
      table,
      values: updateValuesField,
      where: updateWhereField,
      returning,
    },
    { title: 'Update rows' },
  ),
  closed(
    {
      operation: operation('upsert'),
      credentials,
      table,
      values: rowsField,
      conflict: conflictField(
        63,
        'The columns of a unique index. An existing row with the same values is updated.',
      ),
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

function validateStatement(config: JsonObject, isOpen: (value: unknown) => boolean): FieldError[] {
  const { operation: name, query, returning: back } = config;
  if (name === 'query') return typeof query === 'string' ? validateQuery(query, '$1, $2, …') : [];
  return [
    ...validateChange(postgresDialect, 'schema.table', config, isOpen),
    ...(Array.isArray(back) ? validateNames(postgresDialect, 'returning', back as string[]) : []),
  ];
}

function buildStatement(config: Config): { text: string; values: Json[] } {
  const { table: into = '', values = {}, returning: back = [] } = config;
  if (config.operation === 'query') return { text: config.query ?? '', values: config.parameters ?? [] };
  if (config.operation === 'update')
    return buildUpdate(postgresDialect, into, values as JsonObject, config.where ?? {}, back);
  const more =
    config.conflict === undefined ? { returning: back } : { conflict: config.conflict, returning: back };
  return buildInsert(postgresDialect, into, [values].flat(), more);
}

/** The number of changed rows is limited by the values sent or by the tables. */
function readLimit({ operation: name }: Config): number {
  return name === 'query' ? DEFAULT_ROWS : MAX_ROWS;
}
