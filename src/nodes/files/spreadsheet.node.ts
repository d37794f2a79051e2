import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { output } from '../output-schema.ts';
import { closed, inputPath, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { DataError } from '../data/data-error.ts';
import { formatLocation, itemsField, readItems, type Items } from '../data/items.ts';
import { runSlices, toOutcome } from '../data/time-slice.ts';
import { createOutcome, outputField, readValue, valueField } from '../data/value.ts';
import { filenameField, fileReference } from './file-output.ts';
import { openBinary, parseLines, runDocument } from './run-document.ts';
import { completeNames, readTable, type Table } from './table.ts';

/** Limits of the format. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_CELL_LENGTH = 32_767;
const INVALID_SHEET_NAME = /[\\/?*[\]:]|^'|'$/;
const ROWS_PER_LINE = 100;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const fileValue = valueField('The XLSX file ({"$file": …}) or base64 text');

const Read = closed(
  {
    operation: Type.Literal('read'),
    value: fileValue,
    sheet: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        minimum: 1,
        maxLength: 31,
        default: 1,
        title: 'Sheet',
        description: 'The name of the sheet, or its position from 1.',
      }),
    ),
    header: Type.Optional(
      Type.Boolean({
        title: 'First row has column names',
        description:
          'Whether the first row contains the column names. Unnamed columns are called column_3, repeated names name_2. Default: true, or false if columns is set.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ maxLength: 1000 }), {
        minItems: 1,
        maxItems: MAX_COLUMNS,
        ...ui({ advanced: true }),
        description: 'The column names, instead of those in the first row.',
      }),
    ),
    range: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{1,3}[1-9][0-9]{0,6}:[A-Za-z]{1,3}[1-9][0-9]{0,6}$',
        title: 'Range',
        ...ui({ advanced: true, placeholder: 'B3:F200' }),
        description: 'The cells to read, such as B3:F200. Default: all.',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        ...ui({ advanced: true }),
        description: 'The number of rows to skip, without the row of column names.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...ui({ advanced: true }),
        description:
          'The maximum number of rows to return. A sheet with more rows than fit in an output is read in several runs, each with a higher offset. Default: all rows.',
      }),
    ),
    output: outputField(),
  },
  { title: 'Read rows', ...output(Type.Array(Type.Unknown())) },
);

const List = closed(
  { operation: Type.Literal('list'), value: fileValue, output: outputField() },
  {
    title: 'List sheets',
    ...output(Type.Array(Type.Object({ name: Type.String(), hidden: Type.Boolean() }))),
  },
);

const Create = closed(
  {
    operation: Type.Literal('create'),
    items: itemsField(),
    columns: Type.Optional(
      Type.Array(inputPath(), {
        minItems: 1,
        maxItems: MAX_COLUMNS,
        description:
          'The paths of the fields to write as columns, in this order. Default: all fields of all items.',
      }),
    ),
    header: Type.Optional(
      Type.Boolean({
        default: true,
        ...ui({ advanced: true }),
        description: 'Whether to write the column names as the first row.',
      }),
    ),
    sheet: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 31,
        default: 'Sheet1',
        title: 'Sheet',
        ...ui({ advanced: true }),
        description: 'The name of the sheet.',
      }),
    ),
    dates: Type.Optional(
      Type.Boolean({
        default: true,
        ...ui({ advanced: true }),
        description:
          'Whether to write text such as 2026-01-05 or 2026-01-05T13:45:00Z as a date. A time zone is converted to UTC.',
      }),
    ),
    filename: filenameField('data.xlsx'),
    output: outputField(),
  },
  { title: 'Create', ...output(fileReference) },
);

const config = tagged('operation', [Read, List, Create]);
type Config = Static<typeof config>;
type ReadConfig = Static<typeof Read>;
type CreateConfig = Static<typeof Create>;

export const spreadsheet = defineNode({
  type: 'spreadsheet',
  version: '1.0.0',
  name: 'Spreadsheet',
  category: 'data',
  description:
    'Reads the rows of a spreadsheet (XLSX), lists its sheets, or writes a list as a spreadsheet. Dates are ISO 8601 text without a time zone, integers beyond 2^53 are text, formulas their last result, empty cells null; empty rows are skipped. Nested objects and lists are written as JSON. Text is never written as a formula.',
  icon: 'sheet',
  keywords: ['excel', 'xlsx', 'table', 'rows', 'columns', 'workbook', 'import', 'export', 'office'],
  config,
  templates: { operation: 'literal', columns: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The list of rows or sheets, or the file' }],
  // A new file belongs to its execution, which must be on disk.
  effects: 'external',
  check: checkSheetName,
  run: (ctx, given, input) => run(ctx, given as Config, input).catch(toOutcome),
  examples: [
    {
      title: 'Create a spreadsheet',
      config: { operation: 'create', items: [{ id: 1, due: '2026-01-05' }], filename: 'orders.xlsx' },
      input: {},
      outputs: {
        out: { $file: { id: 'file_17', name: 'orders.xlsx', content_type: XLSX, size: 2400 } },
      },
    },
    {
      title: 'Read rows',
      config: { operation: 'read', value: '{{ input.body }}', sheet: 'Orders', limit: 1000 },
      input: {
        body: { $file: { id: 'file_17', name: 'orders.xlsx', content_type: XLSX, size: 2400 } },
      },
      outputs: { out: [{ id: 1, due: '2026-01-05' }] },
    },
  ],
});

async function run(ctx: NodeContext, given: Config, input: Json): Promise<Outcome> {
  switch (given.operation) {
    case 'create':
      return create(ctx, given, input);
    case 'list': {
      const sheets = await runDocument(ctx, {
        program: 'spreadsheet',
        task: { operation: 'list' },
        content: await openBinary(ctx, readValue(given, input), 'value'),
      });
      return createOutcome(given, input, JSON.parse(sheets.toString('utf8')) as Json);
    }
    default:
      return read(ctx, given, input);
  }
}

async function read(ctx: NodeContext, given: ReadConfig, input: Json): Promise<Outcome> {
  const { sheet = 1, range = null, offset = 0, limit = null, columns } = given;
  const hasHeader = given.header ?? columns === undefined;
  const lines = await runDocument(ctx, {
    program: 'spreadsheet',
    task: { operation: 'read', sheet, range, offset, limit, hasHeader },
    content: await openBinary(ctx, readValue(given, input), 'value'),
  });
  let names = columns === undefined ? null : completeNames(columns, 'columns');
  let isHeaderDue = hasHeader;
  const rows: Json[] = [];
  const addRow = (cells: readonly Json[]): void => {
    if (isHeaderDue) {
      isHeaderDue = false;
      names ??= completeNames(
        cells.map((cell) => (typeof cell === 'string' ? cell : cell === null ? '' : JSON.stringify(cell))),
        'value',
      );
    } else rows.push(names === null ? [...cells] : createRow(names, cells));
  };
  await runSlices(
    ctx,
    parseLines(lines, (batch) => (batch as Json[][]).forEach(addRow)),
  );
  return createOutcome(given, input, rows);
}

function createRow(names: readonly string[], cells: readonly Json[]): JsonObject {
  const row: JsonObject = {};
  for (let i = 0; i < names.length; i++) row[names[i]!] = cells[i] ?? null;
  for (let i = names.length; i < cells.length; i++) if (cells[i] !== null) row[`column_${i + 1}`] = cells[i]!;
  return row;
}

async function create(ctx: NodeContext, given: CreateConfig, input: Json): Promise<Outcome> {
  for (const { field, issue } of checkSheetName(given)) throw new DataError(field, issue);
  const items = readItems(given.items, input);
  const table = await runSlices(ctx, readTable(items, given.columns ?? null));
  const hasHeader = (given.header ?? true) && table.names.length > 0;
  if (items.list.length + Number(hasHeader) > MAX_ROWS)
    throw new DataError('items', `must have at most ${MAX_ROWS - Number(hasHeader)} items`, 'limit');
  const bytes = await runDocument(ctx, {
    program: 'spreadsheet',
    task: { operation: 'write', sheet: given.sheet ?? 'Sheet1', hasHeader, hasDates: given.dates ?? true },
    content: { read: () => printRows(ctx, items, table, hasHeader) },
  });
  const file = await ctx.files.save({ name: given.filename ?? 'data.xlsx', contentType: XLSX, bytes });
  return createOutcome(given, input, file);
}

async function* printRows(
  ctx: NodeContext,
  items: Items,
  table: Table,
  hasHeader: boolean,
): AsyncGenerator<Uint8Array, void> {
  if (hasHeader) yield Buffer.from(`${JSON.stringify([table.names])}\n`);
  for (let at = 0; at < items.list.length; at += ROWS_PER_LINE) {
    const text = await runSlices(ctx, printLine(items, table, at));
    yield Buffer.from(text);
  }
}

function* printLine(items: Items, table: Table, start: number): Generator<undefined, string> {
  const rows: Json[][] = [];
  for (let i = start; i < Math.min(items.list.length, start + ROWS_PER_LINE); i++) {
    const values = table.readValues(items.list[i]!);
    if (values.length > MAX_COLUMNS)
      throw new DataError(formatLocation(items, i), `must have at most ${MAX_COLUMNS} values`, 'limit');
    rows.push(values.map((value) => toCell(value, () => formatLocation(items, i))));
    yield;
  }
  return `${JSON.stringify(rows)}\n`;
}

function toCell(value: Json | undefined, at: () => string): Json {
  if (value === undefined || value === null) return null;
  const cell = typeof value === 'object' ? JSON.stringify(value) : value;
  if (typeof cell === 'string' && cell.length > MAX_CELL_LENGTH)
    throw new DataError(at(), `must have texts of at most ${MAX_CELL_LENGTH} characters`, 'limit');
  return cell;
}

function checkSheetName({ operation, sheet }: { operation?: Json; sheet?: Json }): FieldError[] {
  if (operation !== 'create' || typeof sheet !== 'string' || sheet.includes('{{')) return [];
  return INVALID_SHEET_NAME.test(sheet)
    ? [{ field: 'sheet', issue: "must not contain \\ / ? * [ ] or :, or start or end with '" }]
    : [];
}
