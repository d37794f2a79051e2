import { expect, test } from 'vitest';
import { findLossyValue } from './json-precision.ts';

const look = (text: string, unicode = true) =>
  findLossyValue(text, JSON.parse(text), { root: 'body', unicode })?.field ?? null;

test.each([
  ['{"a":[1,{"b":1e400}]}', 'body.a[1].b'],
  ['{"a":-1e+999}', 'body.a'],
  [`{"a":${'9'.repeat(310)}}`, 'body.a'],
  [String.raw`{"a":"x\ud800y"}`, 'body.a'],
  [String.raw`{"a":"\uDC00"}`, 'body.a'],
  [String.raw`{"a":{"\ud83d":1}}`, 'body.a'],
])('%s is lossy', (text, field) => expect(look(text)).toBe(field));

test.each([
  '{"a":1e308,"b":-1.7e+308,"c":1e-400}',
  String.raw`{"a":"\ud83d\ude00","b":"1e400"}`,
  '[]',
  '"1e999"',
  '12345678901234567890',
])('%s can', (text) => expect(look(text)).toBe(null));

test('a lone surrogate is preserved where JSON is stored as JSON', () => {
  expect(look(String.raw`{"a":"\ud83d"}`, false)).toBe(null);
  expect(look(String.raw`{"a":"\ud83d","b":1e999}`, false)).toBe('body.b');
});
