import { Type } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done, invalid, invalidFields } from '../../outcome.ts';
import { closed, tagged } from '../../schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { validateCredentials, credentialsField, CredentialsError } from '../credentials.ts';
import { readMysqlUrl } from './mysql-url.ts';
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
import { buildInsert, buildUpdate, mysqlDialect, validateChange, validateQuery } from './sql-text.ts';

const credentials = credentialsField(
  'The secret contains mysql://user:password@host:port/database, also for MariaDB. ?sslmode=require requires TLS, ?sslmode=disable disables it. Connections to public addresses use TLS unless it is disabled',
);
const table = tableField('shop.orders');
const operation = <const T extends string>(name: T) => Type.Literal(name);

const MysqlConfig = tagged('operation', [
  closed(
    {
      operation: operation('query'),
      credentials,
      query: queryField('?'),
      parameters: parametersField(
        'The values of the question marks, in their order. Objects and lists are sent as JSON text. For binary columns, write FROM_BASE64(?) and set base64.',
      ),
      max_rows: maxRowsField,
    },
    { title: 'SQL statement' },
  ),
  closed({ operation: operation('insert'), credentials, table, values: rowsField }, { title: 'Insert rows' }),
  closed(
    {
      operation: operation('update'),
      credentials,
      table,
      values: updateValuesField,
      where: updateWhereField,
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
        64,
        'The columns of the primary key or of a unique index, which stay unchanged. The other columns of an existing row are updated. MySQL also updates a row that is equal in another unique index.',
      ),
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
};

export const mysql = defineNode({
  type: 'mysql',
  version: '1.0.0',
  name: 'MySQL',
  category: 'connector',
  description:
    'Runs one statement on a MySQL or MariaDB server, with its values as parameters. The result is {rows, row_count, fields, insert_id}. Text, numbers up to 32 bits, floating-point numbers and json keep their type; bigint and decimal are strings, so that no digits are lost; dates and times are in ISO 8601 (timestamp columns in UTC with Z), binary data is in base64. An upsert counts an updated row as two. The statement runs in a transaction: it is applied completely or not at all in transactional tables (InnoDB), except that CREATE, ALTER, DROP and similar statements commit implicitly. After a crash it may run again, so use an upsert for changes that must not happen twice.',
  icon: 'mysql',
  keywords: [
    'mysql',
    'mariadb',
    'database',
    'sql',
    'db',
    'query',
    'table',
    'select',
    'insert',
    'update',
    'delete',
    'rows',
  ],
  config: MysqlConfig,
  templates: {
    operation: 'literal',
    query: 'literal',
    table: 'literal',
    conflict: 'literal',
    max_rows: 'literal',
  },
  output: Type.Object({
    rows: Type.Array(Type.Object({})),
    row_count: Type.Integer({ examples: [1] }),
    fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    insert_id: Type.Union([Type.String(), Type.Null()], { examples: ['17'] }),
  }),
  outputs: [{ name: 'out', type: 'object', description: '{rows, row_count, fields, insert_id}' }],
  effects: 'external',
  secrets: { credentials: 'request' },
  timeout: 60_000,
  check: (config) => [...validateCredentials(config), ...validateStatement(config, isTemplated)],
  async run(ctx, given) {
    const config = given as Config;
    const errors = validateStatement(config as unknown as JsonObject, () => false);
    if (errors.length > 0) return invalidFields(errors);
    try {
      const server = readMysqlUrl(config.credentials);
      const { text, values } = buildStatement(config);
      const maxRows = config.operation === 'query' ? (config.max_rows ?? DEFAULT_ROWS) : MAX_ROWS;
      return done(await ctx.sql.query(server, { text, values, maxRows }));
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
        query: 'SELECT id, total, placed_at FROM orders WHERE customer = ? AND status IN (?, ?) LIMIT 10',
        parameters: ['{{ input.customer }}', 'open', 'paid'],
      },
      input: { customer: 'ada@example.com' },
      outputs: {
        out: {
          rows: [{ id: '17', total: '99.50', placed_at: '2026-01-01T12:00:00Z' }],
          row_count: 1,
          fields: [
            { name: 'id', type: 'bigint' },
            { name: 'total', type: 'decimal' },
            { name: 'placed_at', type: 'timestamp' },
          ],
          insert_id: null,
        },
      },
    },
    {
      title: 'Write a row exactly once',
      config: {
        operation: 'upsert',
        credentials: '{{ secrets.DB }}',
        table: 'shop.orders',
        values: { id: '{{ input.id }}', total: '{{ input.total }}', lines: '{{ input.lines }}' },
        conflict: ['id'],
      },
      input: { id: 'o-17', total: 99.5, lines: [{ sku: 'A-1' }] },
      outputs: { out: { rows: [], row_count: 1, fields: [], insert_id: null } },
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
      outputs: { out: { rows: [], row_count: 1, fields: [], insert_id: null } },
    },
  ],
});

function validateStatement(config: JsonObject, isOpen: (value: unknown) => boolean): FieldError[] {
  const { operation: name, query } = config;
  if (name === 'query') return typeof query === 'string' ? validateQuery(query, '?') : [];
  return validateChange(mysqlDialect, 'database.table', config, isOpen);
}

function buildStatement(config: Config): { text: string; values: Json[] } {
  const { table: into = '', values = {}, conflict } = config;
  if (config.operation === 'query') return { text: config.query ?? '', values: config.parameters ?? [] };
  if (config.operation === 'update')
    return buildUpdate(mysqlDialect, into, values as JsonObject, config.where ?? {});
  return buildInsert(mysqlDialect, into, [values].flat(), conflict === undefined ? {} : { conflict });
}
