import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { completeNames } from '../../files/table.ts';
import { DataError } from '../data-error.ts';
import { convertText } from '../text/typed-text.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';
import { CsvRecords, type CsvMarks } from './csv-records.ts';

export type CsvReading = CsvMarks & {
  /** Whether the first line contains the column names. */
  header: boolean;
  /** Column names to use instead. */
  columns: readonly string[] | null;
  /** Whether numbers, booleans and empty strings are converted. */
  typed: boolean;
  /** Whether rows may have more or fewer values than there are columns. */
  uneven: boolean;
  /** Number of rows to skip, without the header. */
  offset: number;
  /** Maximum number of rows to return; null: all. */
  limit: number | null;
};

/** Columns with names. An object with more of them takes seconds to process. */
const MAX_COLUMNS = 100_000;
/** Characters of a long text that are searched at once. */
const PUSHED_LENGTH = 256 * 1024;

/** Reads rows from CSV text that arrives in pieces: objects if there are column names, otherwise lists. */
export class CsvReader {
  readonly rows: Json[] = [];
  readonly #reading: CsvReading;
  readonly #records: CsvRecords;
  readonly #size = new OutputSizeLimit('read fewer rows at once with limit and offset');
  #names: string[] | null;
  #isHeaderDue: boolean;
  #number = 0;
  #skipped = 0;
  #width: number | null;
  #namesSize: number;

  constructor(reading: CsvReading) {
    this.#reading = reading;
    this.#records = new CsvRecords(reading);
    this.#names = reading.columns === null ? null : completeNames(reading.columns, 'columns');
    this.#isHeaderDue = reading.header;
    this.#width = this.#names?.length ?? null;
    this.#namesSize = countColumns(this.#names);
  }

  /** Whether all rows that were requested have been read. */
  get isFull(): boolean {
    const { limit } = this.#reading;
    return limit !== null && this.rows.length >= limit;
  }

  /** Reads text; yields after every few rows. @throws {DataError} */
  *push(text: string): Generator<undefined, void> {
    for (let at = 0; at < text.length && !this.isFull; at += PUSHED_LENGTH)
      yield* this.#add(this.#records.push(text.slice(at, at + PUSHED_LENGTH)));
  }

  /** Reads the rows that the end of the text completes. @throws {DataError} */
  *end(): Generator<undefined, void> {
    if (!this.isFull) yield* this.#add(this.#records.end());
  }

  *#add(groups: Generator<string[][], void>): Generator<undefined, void> {
    for (const records of groups) {
      for (const values of records) {
        if (this.isFull) return;
        this.#addRow(values);
      }
      yield;
    }
  }

  #addRow(values: string[]): void {
    const reading = this.#reading;
    this.#number++;
    if (values.length > MAX_COLUMNS && (this.#isHeaderDue || this.#names !== null))
      throw new DataError(
        'value',
        `must have at most ${MAX_COLUMNS} columns, not ${values.length} in row ${this.#number}`,
        'limit',
      );
    if (this.#isHeaderDue) {
      this.#isHeaderDue = false;
      this.#names ??= completeNames(values, 'value');
      this.#width = this.#names.length;
      this.#namesSize = countColumns(this.#names);
      return;
    }
    this.#width ??= values.length;
    if (values.length !== this.#width && !reading.uneven)
      throw new DataError(
        'value',
        `must have ${this.#width} values in row ${this.#number}, not ${values.length}`,
      );
    if (this.#skipped < reading.offset) {
      this.#skipped++;
      return;
    }
    this.#size.spend(values.reduce((sum, value) => sum + value.length + 2, this.#namesSize));
    this.rows.push(
      this.#names === null
        ? values.map((value) => convertValue(value, reading))
        : createRow(this.#names, values, reading),
    );
  }
}

/** Reads the rows of a CSV text. @throws {DataError} */
export function* readCsv(text: string, reading: CsvReading): Generator<undefined, Json[]> {
  const reader = new CsvReader(reading);
  yield* reader.push(text);
  yield* reader.end();
  return reader.rows;
}

function countColumns(names: readonly string[] | null): number {
  return names === null ? 0 : names.reduce((sum, name) => sum + name.length + 3, 0);
}

/** Fills missing values with empty strings and names surplus values by their number. */
function createRow(names: readonly string[], values: readonly string[], reading: CsvReading): JsonObject {
  const row: JsonObject = {};
  for (let i = 0; i < names.length; i++) row[names[i] as string] = convertValue(values[i] ?? '', reading);
  for (let i = names.length; i < values.length; i++)
    row[`column_${i + 1}`] = convertValue(values[i] ?? '', reading);
  return row;
}

function convertValue(text: string, { typed }: CsvReading): Json {
  return typed ? convertText(text) : text;
}
