import { CsvError, parse } from 'csv-parse/sync';
import { DataError } from '../data-error.ts';

export type CsvMarks = {
  /** `auto`: detected. */
  readonly delimiter: string;
  readonly quote: string;
  readonly trim: boolean;
};

/** Characters parsed at once. */
const CHUNK_LENGTH = 64 * 1024;
/** Maximum length of one record, in characters. */
const MAX_RECORD_LENGTH = 8 * 1024 * 1024;
const LINE_FEED = 10;
const DELIMITERS = [',', ';', '\t', '|'];
/** Lines read to detect the delimiter. */
const SAMPLE_LINES = 20;

/**
 * Splits CSV text that arrives in pieces into records. Text is parsed up to the last known end of a record: a
 * line break preceded by an even number of quotes is outside quotes.
 */
export class CsvRecords {
  readonly #marks: CsvMarks;
  #delimiter: string | null;
  /** Text that is not parsed yet; its last record may be incomplete. */
  #pieces: string[] = [];
  #size = 0;
  #isQuoted = false;
  #isFirst = true;
  #lines = 0;
  /** Lines before the text in `#pieces`, and up to the last end of a record. */
  #linesBefore = 0;
  #linesComplete = 0;
  /** Characters since the last end of a record. */
  #recordSize = 0;

  constructor(marks: CsvMarks) {
    this.#marks = marks;
    this.#delimiter = marks.delimiter === 'auto' ? null : marks.delimiter;
  }

  /** Adds text and yields the records that are complete, in groups. @throws {DataError} */
  *push(given: string): Generator<string[][], void> {
    if (given === '') return;
    const text = this.#isFirst && given.startsWith('\uFEFF') ? given.slice(1) : given;
    this.#isFirst = false;
    const quote = this.#marks.quote.charCodeAt(0);
    let start = 0;
    let recordStart = -this.#recordSize;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === quote) this.#isQuoted = !this.#isQuoted;
      else if (code === LINE_FEED) {
        this.#lines++;
        if (this.#isQuoted) continue;
        recordStart = i + 1;
        this.#linesComplete = this.#lines;
        if (this.#size + i - start < CHUNK_LENGTH) continue;
        this.#hold(text.slice(start, i + 1));
        yield this.#parse();
        start = i + 1;
      }
    }
    this.#hold(text.slice(start));
    this.#recordSize = text.length - recordStart;
    if (this.#recordSize > MAX_RECORD_LENGTH)
      throw new DataError(
        'value',
        `must have records of at most ${MAX_RECORD_LENGTH} characters: a quote may not be closed after line ${this.#linesComplete}`,
        'limit',
      );
  }

  /** Yields the remaining records. @throws {DataError} */
  *end(): Generator<string[][], void> {
    if (this.#size > 0) yield this.#parse();
  }

  #hold(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
  }

  /** Parses the text in `#pieces`, which ends with a record. */
  #parse(): string[][] {
    const text = this.#pieces.join('');
    const linesBefore = this.#linesBefore;
    this.#pieces = [];
    this.#size = 0;
    this.#linesBefore = this.#lines;
    const { quote, trim } = this.#marks;
    this.#delimiter ??= detectDelimiter(text, quote);
    try {
      return parse(text, {
        delimiter: this.#delimiter,
        quote,
        escape: quote,
        trim,
        record_delimiter: ['\r\n', '\n', '\r'],
        skip_empty_lines: true,
        relax_column_count: true,
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const line = linesBefore + (typeof error['lines'] === 'number' ? error['lines'] : 1);
      throw new DataError(
        'value',
        `must be valid CSV with these settings: ${describeCsvError(error)} at line ${line}`,
      );
    }
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

/** Returns the delimiter that occurs equally often in most of the first lines; a comma if none occurs. */
function detectDelimiter(text: string, quote: string): string {
  const lines = text
    .slice(0, CHUNK_LENGTH)
    .split(quote)
    // Every second part is quoted.
    .filter((_part, i) => i % 2 === 0)
    .join('')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
    .slice(0, SAMPLE_LINES);
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const expected = counts[0] ?? 0;
    const score = expected === 0 ? 0 : counts.filter((count) => count === expected).length;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}
