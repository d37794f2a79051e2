import { stringify } from 'csv-stringify/sync';
import type { Json } from '../../../lib/json/json.ts';
import { readTable } from '../../files/table.ts';
import type { Items } from '../items.ts';
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

/** Rows written at once. */
const ROWS_PER_BATCH = 128;

/** Writes items as CSV text of limited size. @throws {DataError} */
export function* writeCsv(items: Items, writing: CsvWriting): Generator<undefined, string> {
  const texts: string[] = [];
  const weight = new OutputSizeLimit();
  for (const text of generateCsv(items, writing)) {
    yield;
    if (text === undefined) continue;
    weight.spend(text.length);
    texts.push(text);
  }
  return texts.join('');
}

/**
 * Writes items as pieces of CSV text: the fields of objects, or lists as they are. Also yields undefined,
 * where it can pause.
 * @throws {DataError}
 */
export function* generateCsv(items: Items, writing: CsvWriting): Generator<string | undefined, void> {
  const table = yield* readTable(items, writing.columns);
  let rows: (string | number)[][] = writing.header && table.names.length > 0 ? [table.names.slice()] : [];
  for (const item of items.list) {
    rows.push(table.readValues(item).map(toCell));
    if (rows.length < ROWS_PER_BATCH) continue;
    yield writeRows(rows, writing);
    rows = [];
  }
  yield writeRows(rows, writing);
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
