import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, MAX_DURATION_MS, parseDuration } from './duration.ts';

test.each([
  ['500ms', 500],
  ['5s', 5000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['1.5s', 1500],
  ['0s', 0],
  ['0.0001s', 0],
  ['366d', MAX_DURATION_MS],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  '5',
  's',
  '-5s',
  '5 s',
  '5S',
  '1h30m',
  '.5s',
  '5.s',
  '1e3s',
  '367d',
  '999999999999999d',
  'NaNs',
  '5s ',
])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});

test('formats in the largest unit that divides', () => {
  expect([0, 1, 500, 1000, 90_000, 120_000, 3_600_000, 86_400_000].map(formatDuration)).toEqual([
    '0ms',
    '1ms',
    '500ms',
    '1s',
    '90s',
    '2m',
    '1h',
    '1d',
  ]);
});

test('a formatted duration can be parsed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: MAX_DURATION_MS }),
      (ms) => parseDuration(formatDuration(ms)) === ms,
    ),
  );
});
