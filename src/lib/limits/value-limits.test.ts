import { expect, test } from 'vitest';
import { checkValueLimits } from './value-limits.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

test('levels count at the limit and one past it, also within cached values', () => {
  expect(checkValueLimits(nested(200), Infinity, 200)).toBeNull();
  expect(checkValueLimits(nested(201), Infinity, 200)).toBe('is nested deeper than 200 levels');
  // Large enough to be cached.
  const part = [nested(100), 'x'.repeat(10_000)];
  expect(checkValueLimits(part, Infinity, 101)).toBeNull();
  expect(checkValueLimits({ part }, Infinity, 102)).toBeNull();
  expect(checkValueLimits({ part }, Infinity, 101)).toBe('is nested deeper than 101 levels');
  expect(checkValueLimits(nested(1_000_000), Infinity, 200)).not.toBeNull();
});

test('sizes count roughly as JSON', () => {
  expect(checkValueLimits('x'.repeat(100), 100, 1)).toBeNull();
  expect(checkValueLimits('x'.repeat(101), 100, 1)).toBe('is larger than 100 bytes');
  const value = { name: 'Ada', list: [1, 2, 3], more: [{ text: 'y'.repeat(5_000) }] };
  const size = JSON.stringify(value).length;
  for (let again = 0; again < 2; again++) {
    expect(checkValueLimits(value, size, 9)).toBeNull();
    expect(checkValueLimits(value, size - 20, 9)).toBe(`is larger than ${size - 20} bytes`);
  }
});

test('a part that occurs a thousand million times is measured once', () => {
  let value: unknown = { text: 'x'.repeat(5_000) };
  for (let i = 0; i < 30; i++) value = { a: value, b: value };
  expect(checkValueLimits(value, Number.MAX_SAFE_INTEGER, 200)).toBeNull();
  expect(checkValueLimits(value, 64 * 1024 * 1024, 200)).toBe('is larger than 67108864 bytes');
});

test('a number that JSON cannot represent is rejected', () => {
  const error = 'contains a number outside the supported range (about 1.8e308)';
  for (const value of [Infinity, NaN, [1, -Infinity], { a: { b: [NaN] } }])
    expect(checkValueLimits(value, Infinity, 200)).toBe(error);
  expect(checkValueLimits({ a: [Number.MAX_VALUE, -0] }, Infinity, 200)).toBeNull();
});
