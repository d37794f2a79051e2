import { CsvError, parse } from 'csv-parse/sync';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isForbiddenKey } from '../../../lib/json/json-path.ts';
import { DataError } from '../data-error.ts';
import { convertText } from '../text/typed-text.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';

export type CsvReading = {
  delimiter: string;
  quote: string;
  /** Whether the first line contains the column names. */
  header: boolean;
  /** Column names to use instead. */
  columns: readonly string[] | null;
  trim: boolean;
  /** Whether numbers, booleans and empty strings are converted. */
  typed: boolean;
  /** Whether rows may have more or fewer values than there are columns. */
  uneven: boolean;
};

/** Characters read at once. */
const CHUNK_SIZE = 64 * 1024;

/** Reads the rows of a CSV text: objects if there are column names, otherwise lists. @throws {DataError} */
export function* readCsv(text: string, reading: CsvReading): Generator<undefined, Json[]> {
  const rows: Json[] = [];
  const weight = new OutputSizeLimit();
  let names = reading.columns === null ? null : completeNames(reading.columns, 'columns');
  let headerDue = reading.header;
  let number = 0;
  let width: number | null = names?.length ?? null;
  let namesSize = countColumns(names);
  for (const piece of pieces(text, reading.quote)) {
    yield;
    for (const values of parseRecords(piece, reading)) {
      number++;
      if (headerDue) {
        headerDue = false;
        names ??= completeNames(values, 'value');
        width = names.length;
        namesSize = countColumns(names);
        continue;
      }
      width ??= values.length;
      if (values.length !== width && !reading.uneven)
        throw new DataError('value', `must have ${width} values in row ${number}, not ${values.length}`);
      weight.spend(namesSize + values.length * 4);
      rows.push(
        names === null
          ? values.map((value) => convertValue(value, reading))
          : createRow(names, values, reading),
      );
    }
  }
  return rows;
}

type Chunk = { readonly text: string; readonly lines: number };

/**
 * Splits the text at record ends: a line break preceded by an even number of quotes is outside quotes.
 * `lines` is the number of lines before the piece.
 */
function* pieces(text: string, quote: string): Generator<Chunk, void> {
  const mark = quote.charCodeAt(0);
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  let lines = 0;
  let linesBefore = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === mark) quoted = !quoted;
    else if (code === LINE_FEED) {
      lines++;
      if (quoted || i - start < CHUNK_SIZE) continue;
      yield { text: text.slice(start, i + 1), lines: linesBefore };
      start = i + 1;
      linesBefore = lines;
    }
  }
  if (start < text.length) yield { text: text.slice(start), lines: linesBefore };
}

const LINE_FEED = 10;

function parseRecords({ text, lines }: Chunk, { delimiter, quote, trim }: CsvReading): string[][] {
  try {
    return parse(text, {
      delimiter,
      quote,
      escape: quote,
      trim,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = lines + (typeof error['lines'] === 'number' ? error['lines'] : 1);
    throw new DataError(
      'value',
      `must be valid CSV with these settings: ${describeCsvError(error)} at line ${line}`,
    );
  }
}

function describeCsvError({ code, message }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote is not closed';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return 'a closing quote must be followed by a delimiter';
    case 'INVALID_OPENING_QUOTE':
      return 'an unquoted value contains a quote';
    default:
      return message.split(/[:,] /)[0] ?? message;
  }
}

/** Completes column names: unnamed columns are numbered, repeated names get a number. */
function completeNames(texts: readonly string[], field: string): string[] {
  const seen = new Set<string>();
  return texts.map((text, i) => {
    const name = text === '' ? `column_${i + 1}` : text;
    if (isForbiddenKey(name)) throw new DataError(field, `must not have a column named ${name}`);
    let unique = name;
    for (let n = 2; seen.has(unique); n++) unique = `${name}_${n}`;
    seen.add(unique);
    return unique;
  });
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
