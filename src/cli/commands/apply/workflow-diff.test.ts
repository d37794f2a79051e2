import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listDifferences } from './workflow-diff.ts';

test('the same is no difference, and every other pair is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(listDifferences('x', a, structuredClone(a))).toEqual([]);
      const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      expect(listDifferences('x', a, b).length === 0).toBe(isSame);
    }),
    { numRuns: 500 },
  );
});

test('places are named as in the file', () => {
  const before = { a: { list: [1, { b: 2 }], gone: 1 }, same: true };
  const after = { a: { list: [1, { b: 3 }], new: null }, same: true };
  expect(listDifferences('config', before, after)).toEqual([
    { path: 'config.a.list[1].b', before: 2, after: 3 },
    { path: 'config.a.gone', before: 1 },
    { path: 'config.a.new', after: null },
  ]);
  expect(listDifferences('x', [1, 2], [1])).toEqual([{ path: 'x', before: [1, 2], after: [1] }]);
});

test('depth does not matter', () => {
  let a: unknown = 1;
  let b: unknown = 2;
  for (let i = 0; i < 50_000; i++) [a, b] = [{ a }, { a: b }];
  expect(listDifferences('x', a, b).length).toBe(1);
});

/** With the names of objects in order, and without the sign of a zero. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return names
    .map((name) => [name, sorted((value as Record<string, unknown>)[name])])
    .concat([['{', names.length]]);
}
