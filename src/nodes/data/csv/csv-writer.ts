import { stringify } from 'csv-stringify/sync';
import { isObject, type Json } from '../../../lib/json/json.ts';
import { DataError } from '../data-error.ts';
import { describeType, formatLocation, createReader, type Items } from '../items.ts';
import { each } from '../time-slice.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';

export type CsvWriting = {
  delimiter: string;
  quote: string;
  header: boolean;
  /** Paths of the columns; null: the fields of all items. */
  columns: readonly string[] | null;
  newline: string;
  quoteAll: boolean;
  escapeFormulas: boolean;
};

/** Maximum number of columns found in items. */
const MAX_COLUMNS = 10_000;
/** Rows written at once. */
const ROWS_PER_BATCH = 128;

/** Writes items as CSV text of limited size. @throws {DataError} */
export function* writeCsv(items: Items, writing: CsvWriting): Generator<undefined, string> {
  const texts: string[] = [];
  const weight = new OutputSizeLimit();
  for (const text of csvPieces(items, writing)) {
    yield;
    if (text === undefined) continue;
    weight.spend(text.length);
    texts.push(text);
  }
  return texts.join('');
}

/**
 * Writes items as pieces of CSV text: the fields of objects, or lists as they are. Also yields undefined, where it can pause.
 * @throws {DataError}
 */
export function* csvPieces(items: Items, writing: CsvWriting): Generator<string | undefined, void> {
  const lists = Array.isArray(items.list[0]);
  yield* each(items.list, (item, index) => {
    if (lists ? !Array.isArray(item) : !isObject(item))
      throw new DataError(
        formatLocation(items, index),
        `must be ${lists ? 'a list, like the first item' : 'an object'}, not ${describeType(item)}`,
      );
  });
  if (lists && writing.columns !== null)
    throw new DataError('columns', 'must not be set when the items are lists');
  const columns = lists ? [] : (writing.columns?.slice() ?? (yield* columnsOf(items)));
  const readers = columns.map(createReader);
  const names = writing.columns === null ? columns.map(plainName) : columns;
  let rows: (string | number)[][] = writing.header && !lists && names.length > 0 ? [names.slice()] : [];
  for (const item of items.list) {
    rows.push(lists ? (item as Json[]).map(toCell) : readers.map((read) => toCell(read(item))));
    if (rows.length < ROWS_PER_BATCH) continue;
    yield writeRows(rows, writing);
    rows = [];
  }
  yield writeRows(rows, writing);
}

/** The paths of all fields of all objects, in order of first occurrence. */
function* columnsOf(items: Items): Generator<undefined, string[]> {
  const keys = new Set<string>();
  yield* each(items.list, (item) => {
    for (const key of Object.keys(item as object)) if (key !== '__proto__') keys.add(key);
    if (keys.size > MAX_COLUMNS)
      throw new DataError(
        '',
        `must have at most ${MAX_COLUMNS} different fields, or columns must be set`,
        'limit',
      );
  });
  return [...keys].map((key) => `[${JSON.stringify(key)}]`);
}

function plainName(path: string): string {
  return JSON.parse(path.slice(1, -1)) as string;
}

function writeRows(rows: (string | number)[][], writing: CsvWriting): string {
  return stringify(rows, {
    delimiter: writing.delimiter,
    quote: writing.quote,
    escape: writing.quote,
    record_delimiter: writing.newline,
    quoted: writing.quoteAll,
    // A row with one empty value would be an empty line, which readers skip. Quote it for either line break.
    quoted_empty: writing.quoteAll || rows.some((row) => row.length === 1),
    quoted_match: /[\r\n]/,
    escape_formulas: writing.escapeFormulas,
  });
}

/** Numbers stay numbers: a negative number is not a formula. */
function toCell(value: Json | undefined): string | number {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
