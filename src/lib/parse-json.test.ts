import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonBoundError, parseJson } from './parse-json.ts';

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
  [JSON.stringify('[{,:\\"'.repeat(50)), null],
])('%s exceeds: %s', (text, bound) => {
  const parse = (): unknown => parseJson(text, bounds);
  if (bound === null) expect(parse()).toEqual(JSON.parse(text));
  else expect(parse).toThrow(expect.objectContaining({ bound }));
});

test('text within its own counts is parsed; with one value fewer it is refused', () => {
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
      expect(parseJson(text, { ...wide, values })).toEqual(JSON.parse(text));
      expect(() => parseJson(text, { ...wide, values: values - 1 })).toThrow(JsonBoundError);
    }),
    { seed, numRuns: 1_000 },
  );
});
