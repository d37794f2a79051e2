import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { runSlices, toOutcome } from '../data/time-slice.ts';
import { createOutcome, outputField, readValue, valueField } from '../data/value.ts';
import { openBinary, parseLines, runDocument } from './run-document.ts';

const MAX_PAGES = 10_000;
const DEFAULT_PAGES = 1_000;

/** A PDF file with one page and two lines. */
const EXAMPLE =
  'JVBERi0xLjQKMSAwIG9iajw8L1BhZ2VzIDIgMCBSPj5lbmRvYmoKMiAwIG9iajw8L0tpZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iagozIDAgb2JqPDwvUGFyZW50IDIgMCBSL0NvbnRlbnRzIDQgMCBSL1Jlc291cmNlczw8L0ZvbnQ8PC9GPDwvU3VidHlwZS9UeXBlMS9CYXNlRm9udC9IZWx2ZXRpY2E+Pj4+Pj4+PmVuZG9iago0IDAgb2JqPDwvTGVuZ3RoIDYwPj5zdHJlYW0KQlQgL0YgMTIgVGYgMjAgOTkgVGQgKEludm9pY2UgMTcpIFRqIDAgLTIwIFRkIChUb3RhbDogOTkpIFRqIEVUCmVuZHN0cmVhbSBlbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRg==';

const config = closed({
  value: valueField('The PDF file ({"$file": …}) or base64 text'),
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 1,
      title: 'First page',
      ...ui({ advanced: true }),
      description: 'The first page to read, from 1.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGES,
      default: DEFAULT_PAGES,
      title: 'Maximum pages',
      ...ui({ advanced: true }),
      description: 'The maximum number of pages to read.',
    }),
  ),
  output: outputField(),
});
type Config = Static<typeof config>;

export const pdfText = defineNode({
  type: 'pdf_text',
  version: '1.0.0',
  name: 'PDF text',
  category: 'data',
  description:
    'Reads the text of a PDF file, page by page. A page that is only an image, such as a scan, has no text. The text is in the order in which the file contains it.',
  icon: 'file-text',
  keywords: ['pdf', 'extract text', 'document', 'pages', 'invoice', 'read'],
  config,
  templates: { output: 'literal' },
  output: Type.Object({
    total: Type.Integer({ description: 'Number of pages of the file.' }),
    pages: Type.Array(Type.Object({ page: Type.Integer(), text: Type.String() })),
  }),
  outputs: [{ name: 'out', type: 'object', description: '{total, pages}, with {page, text} for each page' }],
  effects: 'none',
  run: (ctx, given, input) => read(ctx, given, input).catch(toOutcome),
  examples: [
    {
      title: 'Read the pages of a file',
      config: {},
      input: EXAMPLE,
      outputs: { out: { total: 1, pages: [{ page: 1, text: 'Invoice 17\nTotal: 99' }] } },
    },
    {
      title: 'A file that is no PDF',
      config: { value: '{{ input.body }}' },
      input: { body: 'aGVsbG8=' },
      failure: 'validation',
    },
  ],
});

async function read(ctx: NodeContext, given: Config, input: Json): Promise<Outcome> {
  const lines = await runDocument(ctx, {
    program: 'pdf',
    task: { from: given.from ?? 1, limit: given.limit ?? DEFAULT_PAGES },
    content: await openBinary(ctx, readValue(given, input), 'value'),
  });
  const [total = 0, ...pages] = await runSlices(ctx, collect(lines));
  return createOutcome(given, input, { total, pages });
}

function* collect(lines: Buffer): Generator<undefined, Json[]> {
  const values: Json[] = [];
  yield* parseLines(lines, (value) => values.push(value));
  return values;
}
