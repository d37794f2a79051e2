import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from './json.ts';
import { appendKey, compilePath, MAX_PATH_STEPS, PathError, readPath, writePath } from './json-path.ts';

const data: Json = { a: { b: [{ 'odd name': 7 }, 'x'], '0': 'zero', 'it"s': 1, n: null }, 'x-y': 2, '': 3 };

test.each([
  ['a.b[0]["odd name"]', 7],
  ["a.b[0]['odd name']", 7],
  ['a.b.1', 'x'],
  ['a.0', 'zero'],
  ['a["0"]', 'zero'],
  ['a[0]', 'zero'],
  ['a["it\\"s"]', 1],
  ['a.n', null],
  ['x-y', 2],
  ['[""]', 3],
  ['["a"].b[1]', 'x'],
])('%s reads', (path, value) => {
  expect(readPath(compilePath(path), data)).toEqual({ isFound: true, value });
});

test.each([
  'a.c',
  'a.b[2]',
  'a.b.length',
  'a.b["0"]',
  'a.n.x',
  'x-y.z',
  'a.b[1][0]',
  'toString',
  'a.hasOwnProperty',
])('%s is missing', (path) => {
  expect(readPath(compilePath(path), data)).toEqual({ isFound: false, value: null });
});

test.each([
  '',
  '.',
  '.a',
  'a.',
  'a..b',
  'a[',
  'a[]',
  'a[-1]',
  'a[01]',
  'a[b]',
  'a["b]',
  'a b',
  'a]',
  'a[0]b',
  '{{ a }}',
  'a."b"',
  '["\\q"]',
])('%j is refused', (path) => {
  expect(() => compilePath(path)).toThrow(PathError);
});

test.each(['__proto__', 'a.constructor', 'a["prototype"]', "a['__proto__'].x", '["\\u005f_proto__"]'])(
  '%s leads to a prototype and is refused',
  (path) => {
    expect(() => compilePath(path)).toThrow(/never resolves/);
  },
);

test('limits the number of steps', () => {
  expect(compilePath(Array(MAX_PATH_STEPS).fill('a').join('.')).steps).toHaveLength(MAX_PATH_STEPS);
  expect(() =>
    compilePath(
      Array(MAX_PATH_STEPS + 1)
        .fill('a')
        .join('.'),
    ),
  ).toThrow(/at most 32 steps/);
});

test('writes nested objects and lists', () => {
  const target: JsonObject = {};
  writePath(compilePath('a.b.c'), target, 1);
  writePath(compilePath('a.b.d'), target, 2);
  writePath(compilePath('l[0].x'), target, 3);
  writePath(compilePath('l[1]'), target, 4);
  expect(target).toEqual({ a: { b: { c: 1, d: 2 } }, l: [{ x: 3 }, 4] });
});

test('never changes shared values', () => {
  const shared = { inner: { x: 1 } };
  const target: JsonObject = { copy: shared };
  writePath(compilePath('copy.inner.x'), target, 2);
  expect(shared).toEqual({ inner: { x: 1 } });
  expect(target).toEqual({ copy: { inner: { x: 2 } } });
});

test('rejects a write through a scalar or past the end of a list', () => {
  expect(() => writePath(compilePath('a.b'), { a: 1 }, 2)).toThrow('a.b cannot be written: a holds a number');
  expect(() => writePath(compilePath('a[1]'), {}, 2)).toThrow('the list has 0 elements');
  expect(() => writePath(compilePath('a[0]'), { a: {} }, 2)).toThrow('needs a list');
});

test('no path reaches or changes a prototype', () => {
  const step = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'length', 'a', '0'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean(), (keys, quoted) => {
      const text = quoted ? keys.map((key) => `[${JSON.stringify(key)}]`).join('') : keys.join('.');
      try {
        const path = compilePath(text);
        const reading = readPath(path, { a: [{ a: 'x' }], '0': {} });
        expect(typeof reading.value).not.toBe('function');
        expect(reading.value).not.toBe(Object.prototype);
        writePath(path, {}, 'polluted');
      } catch (error) {
        expect(error).toBeInstanceOf(PathError);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});

test('a formatted path can be parsed', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.nat(5)), { minLength: 1, maxLength: 6 }), (keys) => {
      fc.pre(!keys.some((key) => ['__proto__', 'constructor', 'prototype'].includes(String(key))));
      const path = compilePath(keys.reduce<string>((text, key) => appendKey(text, key), ''));
      expect(path.steps.map((step) => step.key)).toEqual(keys.map(String));
    }),
  );
});
