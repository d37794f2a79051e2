import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInexactInteger, JsonBoundError, parseExactJson, parseJson } from './parse-json.ts';

const seed = Math.floor(Math.random() * 2 ** 31);
console.log(`parse-json.test.ts: seed ${seed}`);

const bounds = { values: 10, depth: 3, names: 4 };

test.each([
  ['[1,2,3,4,5,6,7,8,9]', null],
  ['[1,2,3,4,5,6,7,8,9,0]', 'values'],
  ['[[[]]]', null],
  ['[[[[]]]]', 'depth'],
  ['{"a":1,"b":2,"c":3,"d":4}', null],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5}', 'names'],
  ['[{"a":1,"b":2},{"b":1,"a":2,"c":3,"d":4}]', null],
  ['[{"a":1,"b":2},{"c" :1},{"d"\n:1},{"e":1}]', 'names'],
  ['["a","b","c","d","e","f"]', null],
  [JSON.stringify('[{,:\\"'.repeat(50)), null],
])('%s exceeds: %s', (text, bound) => {
  const parse = (): unknown => parseJson(text, bounds);
  if (bound === null) expect(parse()).toEqual(JSON.parse(text));
  else expect(parse).toThrow(expect.objectContaining({ bound }));
});

test('parses text within its own counts, and rejects it with one value fewer', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, item) => sum + count(item), 1)
      : 1;
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      fc.pre(!text.includes('[]') && !text.includes('{}') && !text.includes('__proto__'));
      const values = count(JSON.parse(text));
      fc.pre(values > 1);
      const wide = { depth: 100, names: 1_000 };
      expect(parseJson(text, { ...wide, values })).toEqual(reference(text));
      expect(() => parseJson(text, { ...wide, values: values - 1 })).toThrow(JsonBoundError);
    }),
    { seed, numRuns: 1_000 },
  );
});

/** Parses every integer literal by its digits: the expected result. */
function reference(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) => {
    const { source } = context;
    if (typeof value !== 'number' || source === undefined || !/^-?\d+$/.test(source)) return value;
    return Number.isFinite(value) && BigInt(source) === BigInt(value) ? value : source;
  }) as (key: string, value: unknown) => unknown);
}

test.each([
  ['820982911946154508', '820982911946154508'],
  ['-820982911946154508', '-820982911946154508'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 2 ** 53],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['18446744073709551616', 2 ** 64],
  ['18446744073709551615', '18446744073709551615'],
  ['100000000000000000000', 1e20],
  ['9'.repeat(400), '9'.repeat(400)],
  ['0.1234567890123456789', 0.123_456_789_012_345_68],
  ['1234567890123456789.0', 1_234_567_890_123_456_800],
  ['1234567890123456789e0', 1_234_567_890_123_456_800],
  ['[9007199254740993]', ['9007199254740993']],
  [' { "a" :\n9007199254740993\t} ', { a: '9007199254740993' }],
  ['{"9007199254740993":"9007199254740993"}', { '9007199254740993': '9007199254740993' }],
  ['{"a":"\\"9007199254740993,9007199254740993"}', { a: '"9007199254740993,9007199254740993' }],
])('%s is %j', (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

test.each([
  '{9007199254740993:1}',
  '{"a":1,9007199254740993:1}',
  '[09007199254740993]',
  '--9007199254740993',
  '+9007199254740993',
  '9007199254740993 9007199254740993',
  '["a"9007199254740993]',
  '[9007199254740993"a"]',
  '{"a" 9007199254740993}',
  '{9007199254740993}',
  '[9007199254740993',
  '[9007199254740993n]',
  '[1,]9007199254740993',
])('%s is invalid', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
  let message = '';
  try {
    JSON.parse(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(() => parseExactJson(text)).toThrow(message);
});

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }).map(String),
  fc.tuple(fc.bigInt({ min: 1n, max: 2n ** 53n }), fc.nat(900)).map(([n, by]) => String(n << BigInt(by))),
  fc.bigInt({ min: 10n ** 305n, max: 10n ** 312n }).map(String),
);
const numbers = fc.oneof(integers, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String));
const names = fc
  .oneof(
    fc.string(),
    integers,
    integers.map((digits) => `"${digits}\\`),
  )
  .map((text) => JSON.stringify(text));
const space = fc.constantFrom('', ' ', '\n', '\t\r\n');
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    numbers,
    names,
    fc.constantFrom('true', 'false', 'null'),
    fc
      .tuple(space, fc.array(tie('json'), { maxLength: 5 }))
      .map(([gap, list]) => `[${list.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(space, fc.array(fc.tuple(names, tie('json')), { maxLength: 5 }))
      .map(
        ([gap, fields]) =>
          `{${fields.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`,${gap}`)}}`,
      ),
  ),
}));

test('integers beyond a double become their digits; names, strings and other numbers are unchanged', () => {
  fc.assert(
    fc.property(json, (text) => {
      expect(parseExactJson(text)).toEqual(reference(text));
    }),
    { seed, numRuns: 5_000 },
  );
});

test('invalid JSON stays invalid', () => {
  const parses = (parse: (text: string) => unknown, text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(
      json,
      fc.nat(),
      fc.constantFrom('', ',', ':', '"', '0', '-', '[', '}', '9007199254740993'),
      (text, at, piece) => {
        const location = at % (text.length + 1);
        for (const broken of [
          text.slice(0, location) + piece + text.slice(location),
          text.slice(0, location) + text.slice(location + 1),
        ])
          expect(parses(parseExactJson, broken), broken).toBe(parses(JSON.parse, broken));
      },
    ),
    { seed, numRuns: 5_000 },
  );
});

test('an integer is inexact when a double has another value', () => {
  fc.assert(
    fc.property(integers, (text) => {
      const number = Number(text);
      expect(isInexactInteger(text)).toBe(!Number.isFinite(number) || BigInt(number) !== BigInt(text));
    }),
    { seed, numRuns: 2_000 },
  );
});
