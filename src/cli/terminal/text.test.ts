import { describe, expect, test } from 'vitest';
import { findNearest } from '../did-you-mean.ts';
import { cut, formatDuration, toOneLine, toPlainText, timeText, measureWidth } from './text.ts';

describe('text for a terminal', () => {
  test('what would steer it is shown as its code', () => {
    expect(toPlainText('a\u001B[31mb\u0007\u009B\r\nc')).toBe('a\\u001b[31mb\\u0007\\u009b\nc');
    expect(toPlainText('x\u202Ey\u2028z')).toBe('x\\u202ey\\u2028z');
    expect(toOneLine('a \n  b\tc')).toBe('a b c');
    expect(toPlainText('Grüße, 世界 🎉')).toBe('Grüße, 世界 🎉');
  });

  test('widths count columns', () => {
    expect([measureWidth('abc'), measureWidth('世界'), measureWidth('🎉'), measureWidth('e\u0301')]).toEqual([
      3, 4, 2, 1,
    ]);
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('世界世界', 5)).toBe('世界…');
    expect(cut('世界世界', 4)).toBe('世…');
    expect(cut('abc', 3)).toBe('abc');
  });

  test('durations and times', () => {
    const given = [null, 0, 999, 1_000, 59_940, 60_000, 3_599_000, 3_600_000, 90_000_000];
    expect(given.map(formatDuration)).toEqual([
      '-',
      '0 ms',
      '999 ms',
      '1.0 s',
      '59.9 s',
      '1 m 0 s',
      '59 m 59 s',
      '1 h 0 m',
      '1 d 1 h',
    ]);
    expect(timeText(null)).toBe('-');
    expect(timeText('2026-03-01T04:05:06.789Z')).toMatch(/^2026-0[23]-\d\d \d\d:\d5:06$/);
    expect(timeText('soon')).toBe('soon');
  });
});

test('the name that was meant', () => {
  const names = ['http_request', 'data_transformer', 'delay', 'condition'];
  expect(findNearest('htp_request', names)).toBe('http_request');
  expect(findNearest('transformer', names)).toBe('data_transformer');
  expect(findNearest('Dely', names)).toBe('delay');
  expect(findNearest('zzzzzz', names)).toBeNull();
});
