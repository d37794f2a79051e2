import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { FileReference } from '../../../contract/byte-source.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { decodeText, encodingField } from '../../files/decode-text.ts';
import { openFile } from '../../files/file-input.ts';
import { filenameField, fileReference } from '../../files/file-output.ts';
import { isFileReference } from '../../http/file-field.ts';
import { output } from '../../output-schema.ts';
import { closed, inputPath, oneOfTexts, tagged } from '../../schema.ts';
import { ui } from '../../ui-hints.ts';
import { DataError } from '../data-error.ts';
import { CsvReader, readCsv, type CsvReading } from './csv-reader.ts';
import { generateCsv, writeCsv, type CsvWriting } from './csv-writer.ts';
import { itemsField, readItems } from '../items.ts';
import { runPaced, runSlices, toOutcome, type Work } from '../time-slice.ts';
import { outputField, createOutcome, readText, readValue, valueField } from '../value.ts';

const delimiterField = (more = '') =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10,
      default: ',',
      description: `The separator between values, such as ; or a tab.${more}`,
    }),
  );
const quote = Type.Optional(
  Type.String({
    pattern: '^[!-~]$',
    default: '"',
    description:
      'The quote character for values that contain a delimiter or a line break. Within a value it is doubled.',
  }),
);

const Parse = closed(
  {
    operation: Type.Literal('parse'),
    value: valueField('The CSV text or file ({"$file": …})'),
    header: Type.Optional(
      Type.Boolean({
        description:
          'Whether the first line contains the column names. Unnamed columns are called column_3, repeated names name_2. Default: true, or false if columns is set.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ maxLength: 1000 }), {
        minItems: 1,
        maxItems: 10_000,
        description: 'The column names, instead of those in the first line.',
      }),
    ),
    delimiter: delimiterField(' auto detects a comma, semicolon, tab or vertical bar in the first lines.'),
    quote,
    encoding: Type.Optional(encodingField()),
    trim: Type.Optional(Type.Boolean({ default: false, description: 'Removes spaces around values.' })),
    types: Type.Optional(
      oneOfTexts(['text', 'auto'], {
        default: 'text',
        description:
          'auto converts JSON numbers (but not 007 or more than 15 digits), true and false, and empty values to null.',
      }),
    ),
    rows: Type.Optional(
      oneOfTexts(['even', 'uneven'], {
        default: 'even',
        description:
          'even fails if a row has more or fewer values than there are columns; uneven fills missing values with empty ones and names surplus values column_4.',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        ...ui({ advanced: true }),
        description: 'The number of rows to skip, without the header line.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...ui({ advanced: true }),
        description:
          'The maximum number of rows to return. A file with more rows than fit in an output is read in several runs, each with a higher offset. Default: all rows.',
      }),
    ),
    output: outputField(),
  },
  {
    title: 'Parse',
    ...output(Type.Array(Type.Unknown())),
  },
);

const createBuildSchema = (escapesFormulas: boolean) =>
  closed(
    {
      operation: Type.Literal('build'),
      items: itemsField(),
      columns: Type.Optional(
        Type.Array(inputPath(), {
          minItems: 1,
          maxItems: 10_000,
          description:
            'The paths of the fields to write as columns, in this order. Default: all fields of all items.',
        }),
      ),
      header: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether to write the column names as the first line.' }),
      ),
      delimiter: delimiterField(),
      quote,
      quoteAll: Type.Optional(Type.Boolean({ default: false, description: 'Quotes every value.' })),
      newline: Type.Optional(
        oneOfTexts(['lf', 'crlf'], {
          default: 'lf',
          description: 'The line ending; RFC 4180 specifies crlf.',
        }),
      ),
      byteOrderMark: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Starts with a byte order mark, which Excel needs to detect UTF-8.',
        }),
      ),
      escapeFormulas: Type.Optional(
        Type.Boolean({
          default: escapesFormulas,
          description:
            "Prefixes text that a spreadsheet would run as a formula (starting with =, +, -, @, a tab or a carriage return) with '. Set it to false if a program reads the file.",
        }),
      ),
      result: Type.Optional(
        oneOfTexts(['text', 'file'], {
          default: 'text',
          ...ui({ labels: { text: 'Text', file: 'File' } }),
          description: 'Whether the result is the CSV text, or a file ({"$file": …}) in UTF-8.',
        }),
      ),
      filename: filenameField('data.csv', { showWhen: { result: 'file' } }),
      output: outputField(),
    },
    { title: 'Build', ...output(Type.Union([Type.String(), fileReference])) },
  );

const createConfigSchema = (escapesFormulas: boolean) =>
  tagged('operation', [Parse, createBuildSchema(escapesFormulas)]);
type CsvConfig = Static<ReturnType<typeof createConfigSchema>>;

const defineCsv = (version: string, escapesFormulas: boolean) =>
  defineNode({
    type: 'csv',
    version,
    name: 'CSV',
    category: 'data',
    description:
      'Parses CSV text or a CSV file into a list of rows, or writes a list as CSV text or a file. A file is read and written in pieces, so it may be larger than the memory. Nested objects and lists are written as JSON, null as an empty value.',
    icon: 'table',
    keywords: [
      'table',
      'comma separated',
      'file',
      'parse',
      'rows',
      'columns',
      'spreadsheet',
      'excel',
      'import',
      'export',
    ],
    config: createConfigSchema(escapesFormulas),
    templates: {
      operation: 'literal',
      columns: 'literal',
      encoding: 'literal',
      result: 'literal',
      output: 'literal',
    },
    outputs: [{ name: 'out', type: 'any', description: 'The list of rows, or the CSV text or file' }],
    effects: 'none',
    check: validateMarks,
    run: (ctx, config, input) => run(ctx, config as CsvConfig, input, escapesFormulas),
    examples: [
      {
        title: 'Parse CSV',
        config: { operation: 'parse', value: '{{ input.body }}', delimiter: ';', types: 'auto' },
        input: { body: 'id;name;paid\n1;"Lovelace; Ada";true\n2;Bob;\n' },
        outputs: {
          out: [
            { id: 1, name: 'Lovelace; Ada', paid: true },
            { id: 2, name: 'Bob', paid: null },
          ],
        },
      },
      {
        title: 'Parse CSV without a header line',
        config: { operation: 'parse', columns: ['sku', 'count'] },
        input: 'A-1,3\nB-2,1',
        outputs: {
          out: [
            { sku: 'A-1', count: '3' },
            { sku: 'B-2', count: '1' },
          ],
        },
      },
      {
        title: 'Write CSV for a spreadsheet',
        config: {
          operation: 'build',
          items: 'orders',
          columns: ['id', 'customer.name'],
          ...(escapesFormulas ? {} : { escapeFormulas: true }),
          output: 'file',
        },
        input: { orders: [{ id: -1, customer: { name: '=1+1' } }, { id: 2 }] },
        outputs: {
          out: {
            orders: [{ id: -1, customer: { name: '=1+1' } }, { id: 2 }],
            file: "id,customer.name\n-1,'=1+1\n2,\n",
          },
        },
      },
      {
        title: 'Parse a part of CSV with an unknown delimiter',
        config: { operation: 'parse', delimiter: 'auto', offset: 1, limit: 1 },
        input: 'id\tname\n1\tAda\n2\tBob\n3\tEve\n',
        outputs: { out: [{ id: '2', name: 'Bob' }] },
      },
      {
        title: 'A row with too few values',
        config: { operation: 'parse' },
        input: 'a,b\n1,2\n3\n',
        failure: 'validation',
      },
    ],
  });

export const csv = defineCsv('2.0.0', true);
/** For workflows saved with this version: formulas are escaped only on request. */
export const csv1 = defineCsv('1.0.0', false);

type ParseConfig = Extract<CsvConfig, { operation: 'parse' }>;
type BuildConfig = Extract<CsvConfig, { operation: 'build' }>;

function run(
  ctx: NodeContext,
  config: CsvConfig,
  input: Json,
  escapesFormulas: boolean,
): Outcome | Promise<Outcome> {
  if (config.operation === 'parse' && isFileReference(readValue(config, input)))
    return parseFile(ctx, config, input).catch(toOutcome);
  if (config.operation === 'build' && config.result === 'file')
    return buildFile(ctx, config, input, escapesFormulas).catch(toOutcome);
  return runPaced(ctx, work(config, input, escapesFormulas));
}

function* work(config: CsvConfig, input: Json, escapesFormulas: boolean): Work {
  checkMarks(config);
  if (config.operation === 'parse') {
    const rows = yield* readCsv(readText(config, input), toReadOptions(config));
    return createOutcome(config, input, rows);
  }
  const text = yield* writeCsv(readItems(config.items, input), toWriteOptions(config, escapesFormulas));
  return createOutcome(config, input, config.byteOrderMark === true ? `\uFEFF${text}` : text);
}

async function parseFile(ctx: NodeContext, config: ParseConfig, input: Json): Promise<Outcome> {
  checkMarks(config);
  const file = await openFile(ctx, readValue(config, input), 'value');
  const reader = new CsvReader(toReadOptions(config));
  for await (const text of decodeText(file.read(), config.encoding ?? 'auto', 'value')) {
    await runSlices(ctx, reader.push(text));
    if (reader.isFull) break;
  }
  await runSlices(ctx, reader.end());
  return createOutcome(config, input, reader.rows);
}

async function buildFile(
  ctx: NodeContext,
  config: BuildConfig,
  input: Json,
  escapesFormulas: boolean,
): Promise<Outcome> {
  checkMarks(config);
  const pieces = generateCsv(readItems(config.items, input), toWriteOptions(config, escapesFormulas));
  const file: FileReference = await ctx.files.save({
    name: config.filename ?? 'data.csv',
    contentType: 'text/csv; charset=utf-8',
    bytes: encodePieces(ctx, pieces, config.byteOrderMark === true),
  });
  return createOutcome(config, input, file);
}

async function* encodePieces(
  ctx: NodeContext,
  pieces: Generator<string | undefined, void>,
  hasMark: boolean,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  if (hasMark) yield encoder.encode('\uFEFF');
  for (;;) {
    const text = await runSlices(ctx, nextText(pieces));
    if (text === undefined) return;
    yield encoder.encode(text);
  }
}

/** Returns the next text, or undefined at the end. */
function* nextText(pieces: Generator<string | undefined, void>): Generator<undefined, string | undefined> {
  for (let step = pieces.next(); step.done !== true; step = pieces.next()) {
    if (step.value !== undefined) return step.value;
    yield;
  }
  return undefined;
}

function toReadOptions(config: ParseConfig): CsvReading {
  return {
    delimiter: config.delimiter ?? ',',
    quote: config.quote ?? '"',
    header: config.header ?? config.columns === undefined,
    columns: config.columns ?? null,
    trim: config.trim ?? false,
    typed: config.types === 'auto',
    uneven: config.rows === 'uneven',
    offset: config.offset ?? 0,
    limit: config.limit ?? null,
  };
}

function toWriteOptions(config: BuildConfig, escapesFormulas: boolean): CsvWriting {
  return {
    delimiter: config.delimiter ?? ',',
    quote: config.quote ?? '"',
    header: config.header ?? true,
    columns: config.columns ?? null,
    newline: config.newline === 'crlf' ? '\r\n' : '\n',
    quoteAll: config.quoteAll ?? false,
    escapeFormulas: config.escapeFormulas ?? escapesFormulas,
  };
}

/** Templates may have produced invalid values. @throws {DataError} */
function checkMarks(config: CsvConfig): void {
  for (const { field, issue } of validateMarks(config)) throw new DataError(field, issue);
}

type Marks = { readonly operation?: Json; readonly delimiter?: Json; readonly quote?: Json };

function validateMarks({ operation, delimiter: between = ',', quote: around = '"' }: Marks): FieldError[] {
  if (operation === 'parse' && between === 'auto') return [];
  if (typeof between !== 'string' || typeof around !== 'string') return [];
  // The value is a template that is not evaluated yet.
  if (`${between}${around}`.includes('{{')) return [];
  const errors: FieldError[] = [];
  if (/[\r\n]/.test(between)) errors.push({ field: 'delimiter', issue: 'must not be a line break' });
  if (between.includes(around)) errors.push({ field: 'quote', issue: 'must not be part of the delimiter' });
  return errors;
}
