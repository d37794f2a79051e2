import { describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../test/support/file-node-fixture.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { html } from './html.node.ts';

const files = useFileNodeFixture();

const PAGE = `<!doctype html><title>Shop</title><base href="/x/">
<div class="p" data-id="1"> <h2>Tea <script>bad()</script>&amp;
 more</h2> <a href="../tea?x=1#y">more</a> <i>€ 1.234,50</i> <em>hot</em><em>sweet</em></div>
<div class="p" data-id="2"> <h2>Milk</h2> <i>-2</i> <a href="javascript:x">no</a> </div>
<pre>a
  b</pre>`;

const run = (config: JsonObject, input: Json = PAGE) =>
  files.output(html, { operation: 'extract', ...config }, input);
const refusal = (config: JsonObject, input: Json = PAGE) =>
  files.failure(html, { operation: 'extract', ...config }, input);

describe('html extract', () => {
  test('reads each kind of value', async () => {
    expect(
      await run({
        fields: {
          title: { selector: 'title' },
          name: { selector: '.p h2' },
          names: { selector: '.p h2', list: true },
          inner: { selector: 'em', get: 'html' },
          id: { selector: '.p', get: 'attribute', attribute: 'data-id' },
          price: { selector: 'i', get: 'number', decimal: ',', list: true },
          code: { selector: 'pre' },
          none: { selector: 'table' },
          nothing: { selector: 'table', list: true },
          link: { selector: 'a', get: 'attribute', attribute: 'href' },
        },
        baseUrl: 'https://shop.example.com/a/b',
      }),
    ).toEqual({
      title: 'Shop',
      name: 'Tea & more',
      names: ['Tea & more', 'Milk'],
      inner: 'hot',
      id: '1',
      price: [1234.5, -2],
      code: 'a\n  b',
      none: null,
      nothing: [],
      link: 'https://shop.example.com/tea?x=1#y',
    });
  });

  test('reads a list of elements, and the element itself', async () => {
    expect(
      await run(
        {
          items: '.p',
          fields: { id: { get: 'attribute', attribute: 'data-id' }, tags: { selector: 'em', list: true } },
          output: 'found.rows',
          value: '{{ input.body }}',
        },
        { body: PAGE },
      ),
    ).toEqual({
      body: PAGE,
      found: {
        rows: [
          { id: '1', tags: ['hot', 'sweet'] },
          { id: '2', tags: [] },
        ],
      },
    });
  });

  test('decodes a file by its declared encoding', async () => {
    const bytes = Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>', 'latin1');
    const config = { operation: 'extract', fields: { text: { selector: 'p' } } };
    expect(await files.output(html, config, await files.store(bytes))).toEqual({ text: 'Привет' });
  });

  test.each<[string, JsonObject, Json, RegExp]>([
    [
      'a selector',
      { fields: { a: { selector: 'p[' } } },
      PAGE,
      /^fields\.a\.selector: must be a CSS selector/,
    ],
    ['items', { items: ':nope(', fields: { a: {} } }, PAGE, /^items: must be a CSS selector/],
    [
      'a required value that is missing',
      { fields: { a: { selector: 'table', required: true } } },
      PAGE,
      /^fields\.a\.selector: must match an element with this value$/,
    ],
    ['no attribute', { fields: { a: { get: 'attribute' } } }, PAGE, /^fields\.a\.attribute: is required/],
    ['a base URL', { fields: { a: {} }, baseUrl: 'x' }, PAGE, /^baseUrl: must be a URL$/],
    ['a number', { fields: { a: {} } }, 5, /^value: must be a string or a file .* not a number$/],
  ])('refuses %s', async (_name, config, input, message) => {
    expect(await refusal(config, input)).toMatchObject({
      type: 'validation',
      message: expect.stringMatching(message) as string,
    });
  });

  test('bounds the size of a page, and stops with the attempt', async () => {
    expect(await refusal({ fields: { a: {} } }, 'x'.repeat(16 * 1024 ** 2 + 1))).toMatchObject({
      type: 'limit',
      message: 'value: must have at most 16777216 bytes, not 16777217',
    });
    // The conversion of a page that is nested so deeply takes minutes.
    const deep = '<div>'.repeat(200_000);
    const stop = AbortSignal.timeout(2_000);
    expect(await files.run(html, { operation: 'to_markdown' }, deep, stop)).toMatchObject({
      kind: 'failed',
      error: { type: 'stopped' },
    });
  });
});

describe('html and Markdown', () => {
  const markdown = (text: string, config: JsonObject = {}) =>
    files.output(html, { operation: 'to_markdown', ...config }, text);
  const page = (text: string, config: JsonObject = {}) =>
    files.output(html, { operation: 'from_markdown', ...config }, text);

  test('converts a page, with tables, lists and code', async () => {
    expect(
      await markdown(
        '<style>x</style><h2>A</h2><ul><li>b</li></ul><pre><code>c\n</code></pre><table><tr><th>x</th></tr><tr><td>1</td></tr></table><del>no</del> <a href="/l">l</a>',
        { baseUrl: 'https://example.com/' },
      ),
    ).toBe('## A\n\n-   b\n\n```\nc\n```\n\n| x |\n| --- |\n| 1 |\n\n~no~ [l](https://example.com/l)');
    expect(await files.failure(html, { operation: 'to_markdown', selector: 'main' }, '<p>')).toMatchObject({
      message: 'selector: must match an element of the page',
    });
    expect(await markdown('')).toBe('');
  });

  test('removes unsafe content unless sanitize is false', async () => {
    const text =
      '# T\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)> <iframe src="//e"></iframe> <svg><script>1</script></svg>';
    const safe = (await page(text)) as string;
    expect(safe).toContain('<td style="text-align:right">1</td>');
    expect(safe).not.toMatch(/<script|onerror|iframe|svg|href/);
    expect(await page('<b onclick="x">y</b>', { sanitize: false })).toBe('<p><b onclick="x">y</b></p>\n');
    expect(await page('a\nb', { breaks: true })).toBe('<p>a<br />\nb</p>\n');
  });
});
