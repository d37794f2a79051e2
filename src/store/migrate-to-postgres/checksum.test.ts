import { expect, test } from 'vitest';
import { addRows } from './checksum.ts';

test('does not depend on the order of rows, and changes with a missing, duplicate or changed row', () => {
  const rows = Array.from({ length: 500 }, (_, i) => [i, `row ${i}`, i % 3 === 0 ? null : i / 7]);
  const sum = addRows(0n, rows);
  expect(addRows(addRows(0n, rows.slice(200).reverse()), rows.slice(0, 200))).toBe(sum);
  expect(addRows(0n, rows.slice(1))).not.toBe(sum);
  expect(addRows(sum, [rows[7]!])).not.toBe(sum);
  expect(addRows(0n, rows.with(9, [9, 'row 9', '9']))).not.toBe(sum);
  expect(addRows(0n, rows.with(9, [9, 'row  9', 9 / 7]))).not.toBe(sum);
});
