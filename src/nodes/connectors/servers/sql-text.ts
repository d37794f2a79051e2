import type { FieldError } from '../../../contract/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';

type Text = { text: string; values: Json[] };
/** Limit of both protocols for parameters of a statement. */
const MAX_VALUES = 65_535;

/** What differs between the SQL of two kinds of servers. */
export type Dialect = {
  /** Limit of a name: bytes of PostgreSQL, characters of MySQL. */
  maxName: number;
  measureName(name: string): number;
  quote: '"' | '`';
  placeholder(number: number): string;
  /** What an INSERT does with an existing row; `rest`: the columns that are not in `conflict`. */
  conflict(conflict: readonly string[], rest: readonly string[]): string;
};

export const postgresDialect: Dialect = {
  maxName: 63,
  measureName: (name) => new TextEncoder().encode(name).byteLength,
  quote: '"',
  placeholder: (number) => `$${number}`,
  conflict(conflict, rest) {
    const quote = (name: string): string => quoteIdentifier(postgresDialect, name);
    const on = ` ON CONFLICT (${conflict.map(quote).join(', ')})`;
    if (rest.length === 0) return `${on} DO NOTHING`;
    return `${on} DO UPDATE SET ${rest.map((column) => `${quote(column)} = EXCLUDED.${quote(column)}`).join(', ')}`;
  },
};

export const mysqlDialect: Dialect = {
  maxName: 64,
  measureName: (name) => name.length,
  quote: '`',
  placeholder: () => '?',
  conflict(conflict, rest) {
    const quote = (name: string): string => quoteIdentifier(mysqlDialect, name);
    // Setting a column to itself changes nothing. VALUES() is the syntax that MySQL and MariaDB share.
    const set =
      rest.length === 0
        ? conflict.map((column) => `${quote(column)} = ${quote(column)}`)
        : rest.map((column) => `${quote(column)} = VALUES(${quote(column)})`);
    return ` ON DUPLICATE KEY UPDATE ${set.join(', ')}`;
  },
};

/** INSERT of one or more rows with the same columns; with `conflict`, existing rows are updated. */
export function buildInsert(
  dialect: Dialect,
  table: string,
  rows: readonly JsonObject[],
  more: { conflict?: readonly string[]; returning?: readonly string[] },
): Text {
  const columns = Object.keys(rows[0] ?? {});
  const quote = (name: string): string => quoteIdentifier(dialect, name);
  const values: Json[] = [];
  const lines = rows.map((row) => {
    const places = columns.map((column) => dialect.placeholder(values.push(row[column] ?? null)));
    return `(${places.join(', ')})`;
  });
  const text = `INSERT INTO ${tableName(dialect, table)} (${columns.map(quote).join(', ')}) VALUES ${lines.join(', ')}`;
  const { conflict } = more;
  const onConflict =
    conflict === undefined
      ? ''
      : dialect.conflict(
          conflict,
          columns.filter((column) => !conflict.includes(column)),
        );
  return { text: `${text}${onConflict}${buildReturning(dialect, more.returning)}`, values };
}

/** UPDATE of the rows whose columns equal `where`; null matches NULL. */
export function buildUpdate(
  dialect: Dialect,
  table: string,
  row: JsonObject,
  where: JsonObject,
  returning: readonly string[] = [],
): Text {
  const quote = (name: string): string => quoteIdentifier(dialect, name);
  const values: Json[] = [];
  const set = Object.entries(row).map(
    ([name, value]) => `${quote(name)} = ${dialect.placeholder(values.push(value))}`,
  );
  const conditions = Object.entries(where).map(([name, value]) =>
    value === null ? `${quote(name)} IS NULL` : `${quote(name)} = ${dialect.placeholder(values.push(value))}`,
  );
  const text = `UPDATE ${tableName(dialect, table)} SET ${set.join(', ')} WHERE ${conditions.join(' AND ')}`;
  return { text: text + buildReturning(dialect, returning), values };
}

/** Validates values for a statement. */
export function validateRows(dialect: Dialect, field: string, values: Json | undefined): FieldError[] {
  const rows = Array.isArray(values) ? values : [values];
  const columns = isObject(rows[0]) ? Object.keys(rows[0]) : [];
  if (columns.length === 0) return [{ field, issue: 'must be an object of columns, or a list of them' }];
  if (columns.length * rows.length > MAX_VALUES)
    return [{ field, issue: `must have at most ${MAX_VALUES} values in total; use for_each to write more` }];
  for (const [i, row] of rows.entries()) {
    const at = Array.isArray(values) ? `${field}[${i}]` : field;
    if (!isObject(row)) return [{ field: at, issue: 'must be an object of columns' }];
    const names = Object.keys(row);
    if (names.length !== columns.length || names.some((name) => !Object.hasOwn(rows[0] as JsonObject, name)))
      return [{ field: at, issue: 'must have the same columns as the first row' }];
  }
  return validateNames(dialect, field, columns);
}

export function validateNames(dialect: Dialect, field: string, names: readonly string[]): FieldError[] {
  const wrong = names.find((name) => !isName(dialect, name));
  return wrong === undefined
    ? []
    : [
        {
          field,
          issue: `must not have an invalid column name: ${JSON.stringify(wrong.slice(0, dialect.maxName))}`,
        },
      ];
}

/** `orders` or `sales.orders`. `qualified` is how the second form is called. */
export function validateTable(dialect: Dialect, table: string, qualified: string): FieldError[] {
  const parts = table.split('.');
  return parts.length <= 2 && parts.every((part) => isName(dialect, part))
    ? []
    : [{ field: 'table', issue: `must be a table name, or ${qualified}` }];
}

/**
 * Validation of a statement that the schema cannot express. `isOpen`: the value contains a placeholder and is
 * validated later.
 */
export function validateChange(
  dialect: Dialect,
  qualified: string,
  config: JsonObject,
  isOpen: (value: unknown) => boolean,
): FieldError[] {
  const { operation, table, values, where, conflict } = config;
  const errors = typeof table === 'string' ? validateTable(dialect, table, qualified) : [];
  if (!isOpen(values) && !(Array.isArray(values) && values.some(isOpen)))
    errors.push(...validateRows(dialect, 'values', values));
  if (operation === 'update' && !isOpen(where)) {
    if (!isObject(where) || Object.keys(where).length === 0)
      errors.push({
        field: 'where',
        issue: 'must have at least one column; use a query to change every row',
      });
    else errors.push(...validateNames(dialect, 'where', Object.keys(where)));
  }
  if (Array.isArray(conflict)) {
    errors.push(...validateNames(dialect, 'conflict', conflict as string[]));
    const row = Array.isArray(values) ? values[0] : values;
    const missing = isObject(row) && (conflict as string[]).find((column) => !Object.hasOwn(row, column));
    if (typeof missing === 'string')
      errors.push({ field: 'conflict', issue: `must be a column of values, not ${missing}` });
  }
  return errors;
}

/** `placeholders` is how the statement refers to its parameters. */
export function validateQuery(query: string, placeholders: string): FieldError[] {
  const at = (issue: string): FieldError[] => [{ field: 'query', issue }];
  if (query.includes('{{'))
    return at(
      `must not contain templates: write ${placeholders} and set the values in parameters, so that data cannot become SQL`,
    );
  return query.includes('\0') ? at('must not contain a NUL character') : [];
}

function isName(dialect: Dialect, name: string): boolean {
  return name !== '' && !name.includes('\0') && dialect.measureName(name) <= dialect.maxName;
}

function tableName(dialect: Dialect, table: string): string {
  return table
    .split('.')
    .map((part) => quoteIdentifier(dialect, part))
    .join('.');
}

/** Quotes an identifier (PostgreSQL 4.1.1, MySQL 11.2). */
function quoteIdentifier({ quote }: Dialect, name: string): string {
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

function buildReturning(dialect: Dialect, returning: readonly string[] | undefined): string {
  return returning === undefined || returning.length === 0
    ? ''
    : ` RETURNING ${returning.map((name) => quoteIdentifier(dialect, name)).join(', ')}`;
}
