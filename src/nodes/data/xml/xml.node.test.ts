import {
  assert,
  asyncProperty,
  array,
  constantFrom,
  record,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';
import { MAX_XML_LENGTH } from './xml-reader.ts';
import { xml } from './xml.node.ts';

const parse = (text: Json, config: JsonObject = {}) =>
  runToOutput(xml, { operation: 'parse', ...config }, text);
const build = (value: Json, config: JsonObject = {}) =>
  runToOutput(xml, { operation: 'build', declaration: false, ...config }, value);
const expectError = (config: JsonObject, input: Json) => runToError(xml, config, input);

describe('xml parse', () => {
  it.each([
    ['<a/>', {}, { a: '' }],
    ['\uFEFF<?xml version="1.0"?>\n<!-- c -->\n<a> x </a>\n<!-- <b> -->', {}, { a: 'x' }],
    ['<a> x\r\ny </a>', { trim: false }, { a: ' x\ny ' }],
    ['<a>&lt;&#65;&#x1F600;&quot;&apos;&amp;amp;</a>', {}, { a: '<A😀"\'&amp;' }],
    ['<a><![CDATA[<b>&amp;</b>]]> c</a>', {}, { a: '<b>&amp;</b> c' }],
    ["<a b='1' c:d=\"x &gt; 'y'\"><b>2</b></a>", {}, { a: { '@b': '1', '@c:d': "x > 'y'", b: '2' } }],
    ['<a><b/><c>1</c><b>2</b></a>', {}, { a: { b: ['', '2'], c: '1' } }],
    ['<a><b>1</b></a>', { lists: ['b'] }, { a: { b: ['1'] } }],
    ['<a>x<b/>y</a>', {}, { a: { b: '', '#text': 'xy' } }],
    ['<a b="1">x</a>', { attributePrefix: '', textName: 'text' }, { a: { b: '1', text: 'x' } }],
    [
      '<a><n>1.5</n><n>007</n><n>NaN</n><n/><n>true</n><n>1e999</n></a>',
      { types: 'auto' },
      { a: { n: [1.5, '007', 'NaN', '', true, '1e999'] } },
    ],
    ['<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://x/[y]>"><html/>', {}, { html: '' }],
    ['<größe ед="é">日本</größe>', {}, { größe: { '@ед': 'é', '#text': '日本' } }],
    ['<toString><valueOf>1</valueOf></toString>', {}, { toString: { valueOf: '1' } }],
    ['<a\n  b = "1"\n></a >', {}, { a: { '@b': '1' } }],
  ])('%j', async (text, config, value) => {
    expect(await parse(text, config as JsonObject)).toEqual(value);
  });

  it.each([
    ['', /there is no root element \(line 1\)/],
    ['<a>', /the element a is not closed/],
    ['<a>\n<b></a>', /<\/b> is expected.*line 2/],
    ['<a></b>', /<\/a> is expected/],
    ['</a>', /must be valid XML: there is no open element to close \(line 1\)/],
    ['<a/><b/>', /b is a second root element/],
    ['x<a/>', /must be valid XML: text is not allowed outside the root element \(line/],
    ['<a/>x', /must be valid XML: text is not allowed outside the root element \(line/],
    ['<a>1 < 2</a>', /must be valid XML: a name must follow < \(use &lt; in text\) \(line 1\)/],
    ['<a b=1/>', /must be valid XML: the tag a is malformed \(line 1\)/],
    ['<a b="1" b="2"/>', /b occurs twice/],
    ['<a b="<"/>', /the tag a/],
    ['<a>&nbsp;</a>', /must be valid XML: &nbsp; is not a known character reference or/],
    ['<a>\n\n& b</a>', /must be valid XML: & is not a known character reference or entity/],
    ['<a>&#0;</a>', /must be valid XML: &#0; is not a known character reference or entity/],
    ['<a>&#xD800;</a>', /must be valid XML: &#xD800; is not a known character reference or/],
    ['<a><!-- x</a>', /a comment is not closed/],
    ['<a><![CDATA[x</a>', /a CDATA section is not closed/],
    ['<?xml', /a processing instruction is not closed/],
    [
      '<!DOCTYPE a [<!ENTITY x "y">]><a/>',
      /must be valid XML: declarations are not supported \(a DOCTYPE must not/,
    ],
    [
      '<!DOCTYPE a SYSTEM "file:///etc/passwd" [<!ENTITY % p SYSTEM "http://x">%p;]><a/>',
      /must be valid XML: declarations are not supported \(a DOCTYPE must not/,
    ],
    ['<a><!DOCTYPE a></a>', /DOCTYPE/],
    ['<__proto__/>', /must be valid XML: __proto__ is a reserved name \(line 1\)/],
    ['<a><constructor/></a>', /must be valid XML: constructor is a reserved name \(line 1\)/],
  ])('refuses %j', async (text, issue) => {
    const found = await expectError({ operation: 'parse' }, text);
    expect(found).toMatchObject({ type: 'validation', field: 'value' });
    expect(found.issue).toMatch(issue);
  });

  it('bounds depth, length and attributes', async () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    expect(await parse(nested(100))).toHaveProperty('a.a.a');
    expect(await expectError({ operation: 'parse' }, nested(101))).toMatchObject({ type: 'limit' });
    expect(await expectError({ operation: 'parse' }, nested(1_000_000))).toMatchObject({ type: 'limit' });
    expect(await expectError({ operation: 'parse' }, ' '.repeat(MAX_XML_LENGTH + 1))).toMatchObject({
      type: 'limit',
      issue: expect.stringContaining('8388608'),
    });
    const many = Array.from({ length: 10_001 }, (_, i) => `a${i}="1"`).join(' ');
    expect(await expectError({ operation: 'parse' }, `<a ${many}/>`)).toMatchObject({ type: 'limit' });
  });

  it.each([
    [5, {}, 'value'],
    ['<a/>', { textName: '__proto__' }, 'textName'],
    ['<a/>', { textName: '' }, 'textName'],
    ['<a/>', { indent: 1 }, 'indent'],
    ['<a/>', { output: 'x' }, 'output'],
  ])('names the field of %j with %j', async (text, config, field) => {
    expect(await expectError({ operation: 'parse', ...(config as JsonObject) }, text)).toMatchObject({
      type: 'validation',
      field,
    });
  });

  it('reads 50,000 elements and pathological input without blocking the event loop', async () => {
    const rows = Array.from(
      { length: 50_000 },
      (_, i) => `<row id="${i}"><name>n &amp; ${i}</name></row>`,
    ).join('\n');
    let value: Json | undefined;
    const held = await measureLongestBlock(async () => {
      value = await parse(`<rows>${rows}</rows>`, { types: 'auto' });
    });
    expect((value as { rows: { row: Json[] } }).rows.row.at(-1)).toEqual({
      '@id': 49_999,
      name: 'n & 49999',
    });
    expect(held).toBeLessThan(100);
    for (const text of [
      `<a ${' '.repeat(1_000_000)}`,
      `<a b="${'x'.repeat(1_000_000)}`,
      '<!--'.repeat(250_000),
      `<a>${'&'.repeat(1_000_000)}</a>`,
      `<!DOCTYPE ${'"x" '.repeat(200_000)}`,
    ])
      expect(await measureLongestBlock(() => expectError({ operation: 'parse' }, text))).toBeLessThan(100);
  });
});

describe('xml build', () => {
  it.each([
    [{ a: null }, {}, '<a/>'],
    [{ a: '' }, { declaration: true }, '<?xml version="1.0" encoding="UTF-8"?><a/>'],
    [
      { a: { '@b': '<"&\n', '@n': null, '#text': 'x<y\r', c: [1, true, null] } },
      {},
      '<a b="&lt;&quot;&amp;&#10;">x&lt;y&#13;<c>1</c><c>true</c><c/></a>',
    ],
    [{ b: [{}, { c: 1 }] }, { root: 'a', indent: 2 }, '<a>\n  <b/>\n  <b>\n    <c>1</c>\n  </b>\n</a>\n'],
    [5, { root: 'größe' }, '<größe>5</größe>'],
    [{ a: { $b: 1, t: 'x' } }, { attributePrefix: '$', textName: 't' }, '<a b="1">x</a>'],
    [{ a: { b: 1 } }, { attributePrefix: '' }, '<a><b>1</b></a>'],
  ])('%j with %j', async (value, config, text) => {
    expect(await build(value as Json, config as JsonObject)).toBe(text);
  });

  it.each([
    [{}, {}, 'value', /must be an object with one field, not 0, or root must be set/],
    [{ a: 1, b: 2 }, {}, 'value', /must be an object with one field, not 2, or root must be set/],
    [[1], {}, 'value', /must be an object, not a list/],
    [{ a: [1] }, {}, 'value', /must not be a list in a: a document has one root element/],
    [{ a: { 'odd name': 1 } }, {}, 'a["odd name"]', /must have a valid XML name, not "odd name"/],
    [{ a: { b: [1, { '@': 1 }] } }, {}, 'a.b[1]["@"]', /must have a valid XML name, not ""/],
    [{ a: { b: [[1]] } }, {}, 'a.b[0]', /must be a string, number or boolean, not a list/],
    [{ a: { '@b': {} } }, {}, 'a["@b"]', /must be a string, number or boolean, not an object/],
    [{ a: '\u0000' }, {}, 'a', /must not contain characters that XML cannot represent/],
    [{ a: '\uD800' }, {}, 'a', /must not contain characters that XML cannot represent/],
    [{ 'a><b': 1 }, {}, '["a><b"]', /must have a valid XML name, not "a><b"/],
  ])('names the field of %j', async (value, config, field, issue) => {
    const found = await expectError({ operation: 'build', ...(config as JsonObject) }, value as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('bounds depth, and writes 50,000 elements without holding the event loop', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) as Json;
    expect(await expectError({ operation: 'build' }, deep)).toMatchObject({ type: 'limit' });
    const row = Array.from({ length: 50_000 }, (_, i) => ({ '@id': i, name: `n & ${i}` }));
    let text: Json | undefined;
    const held = await measureLongestBlock(async () => {
      text = await build({ rows: { row } });
    });
    expect((text as string).endsWith('<row id="49999"><name>n &amp; 49999</name></row></rows>')).toBe(true);
    expect(held).toBeLessThan(100);
  });
});

it('writes XML that another parser accepts, and reads it like that parser', async () => {
  const name = constantFrom('a', 'b', 'item', 'x:y', 'ü', 'n-1', '_');
  const text = string({
    unit: constantFrom('a', 'é', ' ', '<', '>', '&', '"', "'", ';', '#', ']', '\n', '😀', '1'),
    maxLength: 8,
  });
  const level = (inner: Arbitrary<Json>): Arbitrary<Json> =>
    tuple(
      text,
      array(tuple(name, text), { maxLength: 2 }),
      array(tuple(name, array(inner, { minLength: 1, maxLength: 2 })), { maxLength: 2 }),
    ).map(([own, attributes, children]) => {
      const value: JsonObject = {};
      for (const [key, content] of attributes) value[`@${key}`] = content;
      for (const [key, content] of children) value[key] = content;
      if (Object.keys(value).length === 0) return own;
      return own === '' ? value : { ...value, '#text': own };
    });
  const node = level(level(level(text)));
  const reader = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    htmlEntities: true,
    trimValues: false,
    jPath: false,
  });
  await assert(
    asyncProperty(
      record({ root: name, value: node, indent: constantFrom(0, 2) }),
      async ({ root, value, indent }) => {
        const written = (await build(value, { root, indent })) as string;
        expect(XMLValidator.validate(written), written).toBe(true);
        if (indent === 0)
          expect(await parse(written, { trim: false })).toEqual(withoutBlank(reader.parse(written) as Json));
      },
    ),
    { numRuns: 400 },
  );
});

/** Blank text between elements is nothing to us. */
function withoutBlank(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBlank);
  const children = Object.keys(value).some((key) => key !== '#text' && !key.startsWith('@'));
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, inner]) => key !== '#text' || !children || (typeof inner === 'string' && /\S/.test(inner)),
      )
      .map(([key, inner]) => [key, withoutBlank(inner)]),
  );
}
