import { expect, test } from 'vitest';
import { readValue } from './postgres-types.ts';

test('integers and decimals beyond the precision of a double keep their digits, also in JSON columns and arrays', () => {
  const digits = '820982911946154508';
  expect(readValue(20, digits)).toBe(digits);
  expect(readValue(1700, `${digits}.5`)).toBe(`${digits}.5`);
  expect(readValue(3802, `{"id": ${digits}, "n": 7}`)).toEqual({ id: digits, n: 7 });
  expect(readValue(114, digits)).toBe(digits);
  expect(readValue(1016, `{${digits},NULL}`)).toEqual([digits, null]);
});
