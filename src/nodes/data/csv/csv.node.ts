import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { closed, inputPath, oneOfTexts, tagged } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { readCsv } from './csv-reader.ts';
import { writeCsv } from './csv-writer.ts';
import { itemsField, readItems } from '../items.ts';
import { runPaced, type Work } from '../time-slice.ts';
import { outputField, createOutcome, readText, valueField } from '../value.ts';

const delimiter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 10,
    default: ',',
    description: 'The separator between values, such as ; or a tab.',
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
    value: valueField('The CSV text'),
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
    delimiter,
    quote,
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
    output: outputField(),
  },
  { title: 'Parse' },
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
      delimiter,
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
      output: outputField(),
    },
    { title: 'Build' },
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
      'Parses CSV text into a list of rows, or writes a list as CSV text. Nested objects and lists are written as JSON, null as an empty value.',
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
    templates: { operation: 'literal', columns: 'literal', output: 'literal' },
    outputs: [{ name: 'out', type: 'any', description: 'The list of rows, or the CSV text' }],
    effects: 'none',
    check: validateMarks,
    run: (ctx, config, input) => runPaced(ctx, work(config as CsvConfig, input, escapesFormulas)),
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

function* work(config: CsvConfig, input: Json, escapesFormulas: boolean): Work {
  const { delimiter: between = ',', quote: around = '"' } = config;
  // Templates may have produced invalid values.
  for (const { field, issue } of validateMarks(config)) throw new DataError(field, issue);
  if (config.operation === 'parse') {
    const rows = yield* readCsv(readText(config, input), {
      delimiter: between,
      quote: around,
      header: config.header ?? config.columns === undefined,
      columns: config.columns ?? null,
      trim: config.trim ?? false,
      typed: config.types === 'auto',
      uneven: config.rows === 'uneven',
    });
    return createOutcome(config, input, rows);
  }
  const text = yield* writeCsv(readItems(config.items, input), {
    delimiter: between,
    quote: around,
    header: config.header ?? true,
    columns: config.columns ?? null,
    newline: config.newline === 'crlf' ? '\r\n' : '\n',
    quoteAll: config.quoteAll ?? false,
    escapeFormulas: config.escapeFormulas ?? escapesFormulas,
  });
  return createOutcome(config, input, config.byteOrderMark === true ? `\uFEFF${text}` : text);
}

type Marks = { readonly delimiter?: Json; readonly quote?: Json };

function validateMarks({ delimiter: between = ',', quote: around = '"' }: Marks): FieldError[] {
  if (typeof between !== 'string' || typeof around !== 'string') return [];
  // The value is a template that is not evaluated yet.
  if (`${between}${around}`.includes('{{')) return [];
  const errors: FieldError[] = [];
  if (/[\r\n]/.test(between)) errors.push({ field: 'delimiter', issue: 'must not be a line break' });
  if (between.includes(around)) errors.push({ field: 'quote', issue: 'must not be part of the delimiter' });
  return errors;
}
