import { expect, test } from 'vitest';
import { computeFingerprint } from './canonical-json.ts';

test('ignores the order of fields, but not of lists', () => {
  expect(computeFingerprint({ a: 1, b: { c: [1, 2], d: null } })).toBe(
    computeFingerprint({ b: { d: null, c: [1, 2] }, a: 1 }),
  );
  expect(computeFingerprint([1, 2])).not.toBe(computeFingerprint([2, 1]));
});

test('different values have different fingerprints', () => {
  const values = [
    null,
    0,
    '0',
    '',
    [],
    {},
    [[]],
    { a: [] },
    { a: {} },
    { '': 1 },
    ['a', 'b'],
    ['a,b'],
    { a: 1, b: 2 },
    { a: '1' },
    true,
  ];
  expect(new Set(values.map(computeFingerprint)).size).toBe(values.length);
  expect(computeFingerprint({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});
