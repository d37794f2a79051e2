import { assert, asyncProperty, array, constantFrom, integer, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { csv } from './csv.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const parse = (text: Json, config: JsonObject = {}) =>
  runToOutput(csv, { operation: 'parse', ...config }, text);
const build = (items: Json, config: JsonObject = {}) =>
  runToOutput(csv, { operation: 'build', ...config }, items);
const expectError = (config: JsonObject, input: Json) => runToError(csv, config, input);

describe('csv parse', () => {
  it.each([
    ['', {}, []],
    ['a,b', {}, []],
    [
      '\uFEFFa,b\r\n1,2\r\n\r\n3,4',
      {},
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['a,a,,a_2\n1,2,3,4', {}, [{ a: '1', a_2: '2', column_3: '3', a_2_2: '4' }]],
    ['"x ""y""","l1\nl2"\n', { header: false }, [['x "y"', 'l1\nl2']]],
    ['ü\tñ\n😀\t日本', { delimiter: '\t' }, [{ ü: '😀', ñ: '日本' }]],
    ["a;'b;c'", { delimiter: ';', quote: "'", header: false }, [['a', 'b;c']]],
    ['a||b', { delimiter: '||', header: false }, [['a', 'b']]],
    [' a , "b" ', { trim: true, header: false }, [['a', 'b']]],
    ['x\n1', { columns: ['n'], header: true }, [{ n: '1' }]],
    [
      'a,b\n1\n1,2,3',
      { rows: 'uneven' },
      [
        { a: '1', b: '' },
        { a: '1', b: '2', column_3: '3' },
      ],
    ],
    ['toString,hasOwnProperty\n1,2', {}, [{ toString: '1', hasOwnProperty: '2' }]],
  ])('%j with %j', async (text, config, rows) => {
    expect(await parse(text, config as JsonObject)).toEqual(rows);
  });

  it('converts only unambiguous values to types', async () => {
    const values = [
      '1',
      '-0.50',
      '1e3',
      'TRUE',
      'false',
      '',
      '007',
      '+1',
      '1.',
      '.5',
      'NaN',
      'Infinity',
      '0x10',
      '1e999',
      '12345678901234567890',
      '1,5',
      'null',
    ];
    const text = values.map((value) => `"${value}"`).join(';');
    expect(await parse(text, { header: false, types: 'auto', delimiter: ';' })).toEqual([
      [
        1,
        -0.5,
        1000,
        true,
        false,
        null,
        '007',
        '+1',
        '1.',
        '.5',
        'NaN',
        'Infinity',
        '0x10',
        '1e999',
        '12345678901234567890',
        '1,5',
        'null',
      ],
    ]);
  });

  it.each([
    ['a,b\n1,2\n3', {}, 'value', /must have 2 values in row 3, not 1/],
    ['a\n"b', {}, 'value', /a quote is not closed at line 2/],
    ['a\n"b"c', {}, 'value', /must be valid CSV with these settings: a closing quote must be/],
    ['a\nb"c', {}, 'value', /must be valid CSV with these settings: an unquoted value contains a/],
    ['__proto__,a\n1,2', {}, 'value', /must not have a column named __proto__/],
    ['1', { columns: ['constructor'] }, 'columns', /must not have a column named constructor/],
    [5, {}, 'value', /must be a string, not a number/],
    ['', { delimiter: '\n' }, 'delimiter', /line break/],
    ['', { delimiter: '{{ "a\\"" }}' }, 'quote', /part of the delimiter/],
    ['', { quote: 'é' }, 'quote', /pattern/],
    ['', { delimiter: '' }, 'delimiter', /./],
    ['', { items: 'a' }, 'items', /is not a known field; known are operation, value, header, columns,/],
    ['', { operation: 'read' }, 'operation', /parse, build/],
  ])('refuses %j with %j', async (text, config, field, issue) => {
    const found = await expectError({ operation: 'parse', ...(config as JsonObject) }, text);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('reports the line of an error after many rows, and limits what long names would multiply', async () => {
    const good = '"1\n1",2\n'.repeat(50_000);
    expect((await expectError({ operation: 'parse', header: false }, `${good}3,"4`)).issue).toMatch(
      /at line 10000[12]/,
    );
    const wide = `${'n'.repeat(1_000_000)}\n${'1\n'.repeat(1000)}`;
    expect(await expectError({ operation: 'parse' }, wide)).toMatchObject({ type: 'limit' });
  });

  it('reads a header with one name 20,000 times without holding the event loop', async () => {
    const line = (value: string) => Array.from({ length: 20_000 }, () => value).join(',');
    let rows: Json | undefined;
    const held = await measureLongestBlock(async () => {
      rows = await parse(`${line('a')}\n${line('1')}`);
    });
    expect(Object.keys((rows as JsonObject[])[0]!).at(-1)).toBe('a_20000');
    expect(held).toBeLessThan(1_000);
    expect(await parse('a_2,a,a,a_2,a,a_2_2\n1,2,3,4,5,6')).toEqual([
      { a_2: '1', a: '2', a_3: '3', a_2_2: '4', a_4: '5', a_2_2_2: '6' },
    ]);
  });

  it.each([
    ['in the header', `${'a,'.repeat(100_000)}a\n1`],
    ['in a row', `a\n${','.repeat(100_000)}`],
  ])('refuses more than 100,000 columns %s', async (_place, text) => {
    expect(await expectError({ operation: 'parse', rows: 'uneven' }, text)).toMatchObject({
      type: 'limit',
      issue: expect.stringMatching(/must have at most 100000 columns, not 100001 in row/) as string,
    });
  });

  it('reads 100,000 rows without holding the event loop', async () => {
    const text = `id,name\n${Array.from({ length: 100_000 }, (_, i) => `${i},"name ""${i}"""`).join('\n')}`;
    let rows: Json | undefined;
    const held = await measureLongestBlock(async () => {
      rows = await parse(text, { types: 'auto' });
    });
    expect((rows as Json[]).at(-1)).toEqual({ id: 99_999, name: 'name "99999"' });
    expect(rows).toHaveLength(100_000);
    expect(held).toBeLessThan(100);
  });
});

describe('csv build', () => {
  it.each([
    [[], {}, ''],
    [
      [
        { a: 1, b: null },
        { c: true, a: 'x,"y"' },
      ],
      {},
      'a,b,c\n1,,\n"x,""y""",,true\n',
    ],
    [[{ a: { b: [1] } }], { columns: ['a.b', 'a.c', 'a'] }, 'a.b,a.c,a\n[1],,"{""b"":[1]}"\n'],
    [
      [
        ['a', 1],
        [false, null],
      ],
      {},
      'a,1\nfalse,\n',
    ],
    [[{ a: 1 }], { header: false, newline: 'crlf', byteOrderMark: true }, '\uFEFF1\r\n'],
    [[{ a: '' }, { a: '\r' }], { header: false, escapeFormulas: false }, '""\n"\r"\n'],
    [[{ a: 'x', b: 'y' }], { quoteAll: true, delimiter: ';' }, '"a";"b"\n"x";"y"\n'],
    [[{ 'odd "name"': 1, 'a.b': 2 }], {}, '"odd ""name""",a.b\n1,2\n'],
  ])('%j with %j', async (items, config, text) => {
    expect(await build(items as Json, config as JsonObject)).toBe(text);
  });

  it('keeps formulas from running, and leaves numbers alone', async () => {
    const values = ['=1', '+1', '-1', '@x', '\tx', '\rx', 'a=1', '-', "'"].map((value) => ({ value }));
    const text = (await build([...values, { value: -1 }], { header: false })) as string;
    expect(text).toBe(`'=1\n'+1\n'-1\n'@x\n'\tx\n"'\rx"\na=1\n'-\n'\n-1\n`);
    expect(await build([{ '=name': 1 }])).toBe("'=name\n1\n");
    expect(await build([{ a: '=1' }], { header: false, escapeFormulas: false })).toBe('=1\n');
  });

  it.each([
    [{}, [1], 'items[0]', /must be an object, not a number/],
    [{}, [[1], {}], 'items[1]', /must be a list, like the first item, not an object/],
    [{ columns: ['a'] }, [[1]], 'columns', /must not be set when the items are lists/],
    [{ columns: ['a b'] }, [], 'columns[0]', /path/],
    [{ newline: '\n' }, [], 'newline', /lf, crlf/],
    [{ items: 'rows' }, { rows: 1 }, 'items', /must be a list/],
    [{ output: 'file' }, [], 'output', /requires the input to be an object, not a list/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await expectError({ operation: 'build', ...(config as JsonObject) }, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('bounds the number of columns it finds', async () => {
    const items = Array.from({ length: 200 }, (_, i) =>
      Object.fromEntries(Array.from({ length: 100 }, (__, k) => [`k${i}_${k}`, 1])),
    );
    expect(await expectError({ operation: 'build' }, items)).toMatchObject({
      type: 'limit',
      issue: expect.stringContaining('10000 different fields'),
    });
  });

  it('writes 100,000 rows without holding the event loop', async () => {
    const items = Array.from({ length: 100_000 }, (_, i) => ({ id: i, name: `name "${i}"`, a: { b: 1 } }));
    let text: Json | undefined;
    const held = await measureLongestBlock(async () => {
      text = await build(items, { columns: ['id', 'name', 'a.b'] });
    });
    expect((text as string).endsWith('\n99999,"name ""99999""",1\n')).toBe(true);
    expect(held).toBeLessThan(100);
  });
});

it('output can be read back', async () => {
  const cell = string({
    unit: constantFrom('a', 'é', ' ', ',', ';', '"', "'", '\n', '\r', '\t', '=', '\uFEFF', '😀'),
    maxLength: 6,
  });
  await assert(
    asyncProperty(
      tuple(integer({ min: 1, max: 4 }), constantFrom(',', ';', '\t'), constantFrom('lf', 'crlf')).chain(
        ([width, delimiter, newline]) =>
          array(array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }).map(
            (rows) => ({
              rows,
              delimiter,
              newline,
            }),
          ),
      ),
      async ({ rows, delimiter, newline }) => {
        const text = (await build(rows, {
          delimiter,
          newline,
          byteOrderMark: true,
          escapeFormulas: false,
        })) as string;
        expect(await parse(text, { delimiter, header: false })).toEqual(rows);
      },
    ),
    { numRuns: 300 },
  );
});
