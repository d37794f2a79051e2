import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { output } from '../output-schema.ts';
import { closed, mapOf, oneOfTexts, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { DataError } from '../data/data-error.ts';
import { describeType } from '../data/items.ts';
import { toOutcome } from '../data/time-slice.ts';
import { createOutcome, outputField, readValue, valueField } from '../data/value.ts';
import { isFileReference } from '../http/file-field.ts';
import { openFile } from './file-input.ts';
import { runDocument } from './run-document.ts';

/** Maximum size of a document in bytes. */
const MAX_HTML_BYTES = 16 * 1024 * 1024;

const selector = (description: string, hints: Parameters<typeof ui>[0] = {}) =>
  Type.String({ minLength: 1, maxLength: 1000, title: 'CSS selector', ...ui(hints), description });
const htmlValue = valueField('The HTML text or file ({"$file": …})');
const baseUrl = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 2000,
    title: 'Address of the page',
    ...ui({ advanced: true, placeholder: 'https://example.com/news' }),
    description: 'The URL of the page, which completes relative links. Default: links stay as they are.',
  }),
);

const field = closed({
  selector: Type.Optional(
    selector('A CSS selector such as h1, .price or a[href]. Default: the item itself.', { order: 1 }),
  ),
  get: Type.Optional(
    oneOfTexts(['text', 'html', 'attribute', 'number'], {
      default: 'text',
      title: 'Value',
      ...ui({
        order: 2,
        labels: { text: 'Text', html: 'Inner HTML', attribute: 'Attribute', number: 'Number' },
      }),
      description:
        'text has single spaces, except in pre; number reads the first number of the text, such as 1234.5 of "1,234.50 €".',
    }),
  ),
  attribute: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      title: 'Attribute',
      ...ui({ order: 3, showWhen: { get: 'attribute' }, placeholder: 'href' }),
      description: 'The name of the attribute. Required if get is attribute.',
    }),
  ),
  decimal: Type.Optional(
    oneOfTexts(['.', ','], {
      default: '.',
      title: 'Decimal separator',
      ...ui({ showWhen: { get: 'number' } }),
      description: 'The decimal separator of the page.',
    }),
  ),
  list: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'All matches',
      description: 'Whether the value is the list of all matches, instead of the first match or null.',
    }),
  ),
  required: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Required',
      ...ui({ advanced: true }),
      description: 'Whether the node fails if nothing matches.',
    }),
  ),
});

const Extract = closed(
  {
    operation: Type.Literal('extract'),
    value: htmlValue,
    items: Type.Optional(
      selector(
        'A CSS selector of repeated elements, such as .product. The output is then a list with an object for each.',
        { placeholder: '.product' },
      ),
    ),
    fields: mapOf(field, {
      minProperties: 1,
      maxProperties: 200,
      title: 'Fields',
      description: 'The values to extract, by name.',
    }),
    baseUrl,
    output: outputField(),
  },
  { title: 'Extract values' },
);

const ToMarkdown = closed(
  {
    operation: Type.Literal('to_markdown'),
    value: htmlValue,
    selector: Type.Optional(
      selector('The part of the page to convert, such as main or article. Default: the whole page.', {
        placeholder: 'main',
      }),
    ),
    baseUrl,
    output: outputField(),
  },
  { title: 'HTML to Markdown', ...output(Type.String()) },
);

const FromMarkdown = closed(
  {
    operation: Type.Literal('from_markdown'),
    value: valueField('The Markdown text or file ({"$file": …})'),
    sanitize: Type.Optional(
      Type.Boolean({
        default: true,
        ...ui({ advanced: true }),
        description:
          'Whether to remove scripts, event handlers and everything else that is unsafe in a page. Set it to false only for text of your own, to keep all HTML in it.',
      }),
    ),
    breaks: Type.Optional(
      Type.Boolean({
        default: false,
        ...ui({ advanced: true }),
        description: 'Whether a line break in a paragraph is a line break in the page.',
      }),
    ),
    output: outputField(),
  },
  { title: 'Markdown to HTML', ...output(Type.String()) },
);

const config = tagged('operation', [Extract, ToMarkdown, FromMarkdown]);
type Config = Static<typeof config>;

const PAGE =
  '<h1>Shop</h1><ul><li><a href="/tea">Tea</a> <b>1,234.50 €</b></li><li><a href="/milk">Milk</a> <b>2 €</b></li></ul>';

export const html = defineNode({
  type: 'html',
  version: '1.0.0',
  name: 'HTML',
  category: 'data',
  description:
    'Extracts values from a web page with CSS selectors, converts HTML to Markdown, or Markdown to HTML. Scripts are not run, and nothing is fetched.',
  icon: 'file-code',
  keywords: ['scrape', 'scraping', 'css selector', 'web page', 'markdown', 'extract', 'parse', 'convert'],
  config,
  templates: { operation: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The extracted values, or the converted text' }],
  effects: 'none',
  run: (ctx, given, input) => run(ctx, given as Config, input).catch(toOutcome),
  examples: [
    {
      title: 'Extract a list of products',
      config: {
        operation: 'extract',
        items: 'li',
        fields: {
          name: { selector: 'a' },
          link: { selector: 'a', get: 'attribute', attribute: 'href' },
          price: { selector: 'b', get: 'number' },
        },
        baseUrl: 'https://shop.example.com/',
      },
      input: PAGE,
      outputs: {
        out: [
          { name: 'Tea', link: 'https://shop.example.com/tea', price: 1234.5 },
          { name: 'Milk', link: 'https://shop.example.com/milk', price: 2 },
        ],
      },
    },
    {
      title: 'Convert a page to Markdown',
      config: { operation: 'to_markdown', value: '{{ input.body }}', selector: 'main' },
      input: { body: '<nav>Menu</nav><main><h1>News</h1><p>All is <b>well</b>.</p></main>' },
      outputs: { out: '# News\n\nAll is **well**.' },
    },
    {
      title: 'Convert Markdown to HTML',
      config: { operation: 'from_markdown' },
      input: '# News\n\nAll is **well**.<script>alert(1)</script>',
      outputs: { out: '<h1>News</h1>\n<p>All is <strong>well</strong>.</p>\n' },
    },
    {
      title: 'A selector that cannot be read',
      config: { operation: 'extract', fields: { title: { selector: 'h1[' } } },
      input: PAGE,
      failure: 'validation',
    },
  ],
});

async function run(ctx: NodeContext, given: Config, input: Json): Promise<Outcome> {
  if (given.operation === 'extract')
    for (const [name, { get, attribute }] of Object.entries(given.fields))
      if (get === 'attribute' && attribute === undefined)
        throw new DataError(`fields.${name}.attribute`, 'is required if get is attribute');
  const value = readValue(given, input);
  const isFile = isFileReference(value);
  if (!isFile && typeof value !== 'string')
    throw new DataError('value', `must be a string or a file ({"$file": …}), not ${describeType(value)}`);
  const content = isFile ? await openFile(ctx, value, 'value') : Buffer.from(value as string);
  const size = 'byteLength' in content ? content.byteLength : content.size;
  if (size > MAX_HTML_BYTES)
    throw new DataError('value', `must have at most ${MAX_HTML_BYTES} bytes, not ${size}`, 'limit');
  const {
    value: _value,
    output: _output,
    retryPolicy: _retry,
    timeout: _timeout,
    ...task
  } = given as Config & Record<string, Json>;
  const result = await runDocument(ctx, { program: 'markup', task: { ...task, isFile }, content });
  return createOutcome(given, input, JSON.parse(result.toString('utf8')) as Json);
}
