import { expect, test } from 'vitest';
import { isMultipleOf } from './multiple-of.ts';

test.each([
  [19.99, 0.01, true],
  [0.3, 0.1, true],
  [-1.1, 0.1, true],
  [4.35, 0.05, true],
  [19.999, 0.01, false],
  [0, 0.7, true],
  [9, 3, true],
  [10, 3, false],
  [-4.5, -1.5, true],
  [1e308, 0.5, true],
  [1e308, 0.123456789, false],
  [5e-324, 5e-324, true],
  [1e-7, 1e-8, true],
  [1, 0, false],
])('%d of %d: %s', (value, of, is) => expect(isMultipleOf(value, of)).toBe(is));
