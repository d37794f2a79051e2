import { readXlsx, streamXlsxRows, writeXlsxStream } from 'hucre/xlsx';
import { EncryptedFileError, HucreError } from 'hucre';
import { isObject, type Json } from '../../lib/json/json.ts';
import { respondToDocument } from './document-program.ts';
import { DocumentError } from './document-messages.ts';

/*
 * Main program of the process that reads and writes spreadsheets. Rows are lines of JSON, each with a list of
 * rows, because the service parses a line at a time.
 */

/** A cell of hucre. */
type Cell = string | number | boolean | Date | null;
type SheetInfo = { name: string; hidden: boolean };

const ROWS_PER_LINE = 100;
const LINE_FEED = 10;
/** The date that spreadsheets show for a time without a date. */
const NO_DATE = /^1899-12-3[01]T/;
const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

await respondToDocument(async (task, document) => {
  if (!isObject(task)) throw new Error('The task is not an object');
  const { operation } = task;
  if (operation === 'write') return write(task, document);
  const sheets = await asDocument(() => listSheets(document));
  if (operation === 'list') return [JSON.stringify(sheets)];
  return readRows(task, document, sheets);
});

async function listSheets(document: Buffer): Promise<SheetInfo[]> {
  const sheets: SheetInfo[] = [];
  await readXlsx(document, {
    sheets: ({ name, hidden, veryHidden }) => {
      sheets.push({ name, hidden: hidden === true || veryHidden === true });
      return false;
    },
  });
  return sheets;
}

async function* readRows(
  task: Record<string, Json>,
  document: Buffer,
  sheets: readonly SheetInfo[],
): AsyncGenerator<string, void> {
  const { sheet, range, hasHeader, offset, limit } = task;
  const options = {
    sheet: findSheet(sheets, sheet ?? 1),
    ...(typeof range === 'string' ? { range } : {}),
  };
  const columns = typeof range === 'string' ? parseColumnRange(range) : null;
  const rows = streamXlsxRows(document, options)[Symbol.asyncIterator]();
  // The header is always returned.
  let skips = typeof offset === 'number' ? offset : 0;
  let wanted = typeof limit === 'number' ? limit : Infinity;
  let isHeaderDue = hasHeader === true;
  let batch: Json[][] = [];
  while (wanted > 0 || isHeaderDue) {
    const step = await asDocument(() => rows.next());
    if (step.done === true) break;
    const cells = columns === null ? step.value.values : step.value.values.slice(columns.start, columns.end);
    if (cells.every((cell) => cell === null)) continue;
    if (isHeaderDue) isHeaderDue = false;
    else if (skips-- > 0) continue;
    else wanted--;
    batch.push(cells.map(toJson));
    if (batch.length < ROWS_PER_LINE) continue;
    yield `${JSON.stringify(batch)}\n`;
    batch = [];
  }
  await rows.return?.();
  if (batch.length > 0) yield `${JSON.stringify(batch)}\n`;
}

function findSheet(sheets: readonly SheetInfo[], sheet: Json): number {
  const at = typeof sheet === 'number' ? sheet - 1 : sheets.findIndex(({ name }) => name === sheet);
  if (at >= 0 && at < sheets.length) return at;
  const names = sheets.slice(0, 20).map(({ name }) => name.slice(0, 40));
  throw new DocumentError(
    `must be one of the sheets of the file: ${names.join(', ')}`,
    'validation',
    'sheet',
  );
}

function parseColumnRange(range: string): { start: number; end: number } {
  const [start = 0, end = start] = range
    .split(':')
    .map((cell) =>
      Array.from(cell.replace(/\d/g, '').toUpperCase()).reduce(
        (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
        0,
      ),
    );
  return { start: start - 1, end };
}

function toJson(cell: Cell): Json {
  if (cell instanceof Date) return toDateText(cell);
  // JSON numbers of this size would lose digits in other programs.
  if (typeof cell === 'number' && Number.isInteger(cell) && !Number.isSafeInteger(cell))
    return formatInteger(cell);
  return cell;
}

function formatInteger(value: number): string {
  const text = String(value);
  return text.includes('e') ? BigInt(value).toString() : text;
}

/** Spreadsheets have no time zones: a date, a time, or a date and time. */
function toDateText(date: Date): Json {
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString().replace(/(\.000)?Z$/, '');
  if (NO_DATE.test(text)) return text.slice(text.indexOf('T') + 1);
  return text.endsWith('T00:00:00') ? text.slice(0, text.indexOf('T')) : text;
}

function write(task: Record<string, Json>, document: Buffer): AsyncIterable<Uint8Array> {
  const { sheet, hasHeader, hasDates } = task;
  return writeXlsxStream(cellRows(document, hasDates === true), {
    name: typeof sheet === 'string' ? sheet : 'Sheet1',
    maxRowsPerSheet: Infinity,
    ...(hasHeader === true ? { freezePane: { rows: 1 } } : {}),
  }) as unknown as AsyncIterable<Uint8Array>;
}

function* cellRows(document: Buffer, hasDates: boolean): Generator<Cell[], void> {
  for (let start = 0; start < document.length;) {
    const found = document.indexOf(LINE_FEED, start);
    const end = found < 0 ? document.length : found;
    for (const row of JSON.parse(document.toString('utf8', start, end)) as Cell[][])
      yield hasDates ? row.map(toDateCell) : row;
    start = end + 1;
  }
}

function toDateCell(cell: Cell): Cell {
  if (typeof cell !== 'string' || !ISO_DATE.test(cell)) return cell;
  // A text without a time zone is what the spreadsheet shows.
  const hasZone = cell.length === 10 || /(Z|[+-]\d\d:\d\d)$/.test(cell);
  const date = new Date(hasZone ? cell : `${cell}Z`);
  return Number.isNaN(date.getTime()) ? cell : date;
}

/** @throws {DocumentError} for errors of the library about the document. */
async function asDocument<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EncryptedFileError) throw new DocumentError('must not be protected by a password');
    if (error instanceof RangeError || !(error instanceof Error)) throw error;
    throw new DocumentError(
      `must be an XLSX file: ${error instanceof HucreError ? error.message : 'it is malformed'}`,
    );
  }
}
