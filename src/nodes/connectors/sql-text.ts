import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';

type Text = { text: string; values: Json[] };
/** PostgreSQL's protocol limit for parameters of a statement. */
const MAX_VALUES = 65_535;
const MAX_NAME = 63;

/** INSERT of one or more rows with the same columns; with `conflict`, existing rows are updated. */
export function buildInsert(
  table: string,
  rows: readonly JsonObject[],
  more: { conflict?: readonly string[]; returning?: readonly string[] },
): Text {
  const columns = Object.keys(rows[0] ?? {});
  const values: Json[] = [];
  const lines = rows.map((row) => {
    const places = columns.map((column) => `$${values.push(row[column] ?? null)}`);
    return `(${places.join(', ')})`;
  });
  const text = `INSERT INTO ${tableName(table)} (${columns.map(quoteIdentifier).join(', ')}) VALUES ${lines.join(', ')}`;
  return { text: `${text}${buildConflict(columns, more.conflict)}${buildReturning(more.returning)}`, values };
}

/** UPDATE of the rows whose columns equal `where`; null matches NULL. */
export function buildUpdate(
  table: string,
  row: JsonObject,
  where: JsonObject,
  returning: readonly string[] | undefined,
): Text {
  const values: Json[] = [];
  const set = Object.entries(row).map(([name, value]) => `${quoteIdentifier(name)} = $${values.push(value)}`);
  const conditions = Object.entries(where).map(([name, value]) =>
    value === null ? `${quoteIdentifier(name)} IS NULL` : `${quoteIdentifier(name)} = $${values.push(value)}`,
  );
  const text = `UPDATE ${tableName(table)} SET ${set.join(', ')} WHERE ${conditions.join(' AND ')}`;
  return { text: text + buildReturning(returning), values };
}

/** Validates values for a statement. */
export function validateRows(field: string, values: Json | undefined): FieldError[] {
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
  return validateNames(field, columns);
}

export function validateNames(field: string, names: readonly string[]): FieldError[] {
  const wrong = names.find((name) => !isName(name));
  return wrong === undefined
    ? []
    : [{ field, issue: `must not have an invalid column name: ${JSON.stringify(wrong.slice(0, MAX_NAME))}` }];
}

/** `orders` or `sales.orders`. */
export function validateTable(table: string): FieldError[] {
  const parts = table.split('.');
  return parts.length <= 2 && parts.every(isName)
    ? []
    : [{ field: 'table', issue: 'must be a table name, or schema.table' }];
}

function isName(name: string): boolean {
  return name !== '' && !name.includes('\0') && new TextEncoder().encode(name).byteLength <= MAX_NAME;
}

function tableName(table: string): string {
  return table.split('.').map(quoteIdentifier).join('.');
}

/** Quotes an identifier (PostgreSQL 4.1.1). */
function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function buildConflict(columns: readonly string[], conflict: readonly string[] | undefined): string {
  if (conflict === undefined) return '';
  const rest = columns.filter((column) => !conflict.includes(column));
  const on = ` ON CONFLICT (${conflict.map(quoteIdentifier).join(', ')})`;
  if (rest.length === 0) return `${on} DO NOTHING`;
  return `${on} DO UPDATE SET ${rest.map((column) => `${quoteIdentifier(column)} = EXCLUDED.${quoteIdentifier(column)}`).join(', ')}`;
}

function buildReturning(returning: readonly string[] | undefined): string {
  return returning === undefined || returning.length === 0
    ? ''
    : ` RETURNING ${returning.map(quoteIdentifier).join(', ')}`;
}
