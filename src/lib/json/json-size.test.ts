import { expect, test } from 'vitest';
import { measureJsonSize } from './json-size.ts';

test('approximates the length of the JSON', () => {
  for (const value of [
    'x'.repeat(10_000),
    Array.from({ length: 3_000 }, (_, index) => ({ name: `item ${index}`, tags: ['a', 'b'], value: null })),
    { a: { b: { c: 'x'.repeat(500) } } },
  ]) {
    const length = JSON.stringify(value).length;
    expect(measureJsonSize(value, Infinity) / length).toBeGreaterThan(0.8);
    expect(measureJsonSize(value, Infinity) / length).toBeLessThan(1.2);
  }
});

test('stops past its limit, regardless of the full length', () => {
  let doubled: unknown = 'x'.repeat(1_000);
  for (let i = 0; i < 60; i++) doubled = [doubled, doubled];
  const size = measureJsonSize(doubled, 100_000);
  expect(size).toBeGreaterThan(100_000);
  expect(size).toBeLessThan(110_000);
});
