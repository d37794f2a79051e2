import { randomFillSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTimeOrderedIds } from './ids.ts';

test('identifiers are unique and sort by creation, also within a millisecond and when the clock steps back', () => {
  let now = 1_700_000_000_000;
  const next = createTimeOrderedIds(
    () => now,
    (b) => void randomFillSync(b),
  );
  const made: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    if (i % 500 === 0) now += i % 1500 === 0 ? -50 : 20;
    made.push(next());
  }
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
  expect(made.every((id) => /^[0-9a-hjkmnp-tv-z]{24}$/.test(id))).toBe(true);
});
