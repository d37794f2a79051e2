import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileRegex, matchesPattern, MAX_PATTERN_LENGTH, RegexError, schemaRegExp } from './regex.ts';
import { readThreadTime } from '../../../test/support/time/thread-time.ts';

test.each([
  ['^a+$', 'aaa', true],
  ['a', 'xay', true],
  ['^\\d{3}-\\d{4}$', '555-1234', true],
  ['^\\d{3}-\\d{4}$', '555-12345', false],
  ['^\\p{L}+$', 'größe', true],
  ['^\\u0041\\/(?<rest>.)$', 'A/x', true],
  ['(?i)hello', 'HELLO', true],
  ['', 'anything', true],
])('%s on %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

test.each(['(', '[a', 'a{2,1}', '(?=a)', '(?<=a)b', '(a)\\1', '((((a{100}){100}){100}){100})'])(
  '%s is refused',
  (pattern) => {
    expect(() => compileRegex(pattern)).toThrow(RegexError);
    expect(() => compileRegex(pattern)).toThrow(/Invalid regular expression/);
  },
);

test('replaces every match, with the same engine and limits', () => {
  expect(compileRegex('^crm_(?<name>.+)$').replace('crm_id', '$1/$<name>')).toBe('id/id');
  expect(compileRegex('[A-Z]').replace('aBcD', '_')).toBe('a_c_');
  expect(compileRegex('^(a+)+$').replace(`${'a'.repeat(50_000)}!`, '')).toHaveLength(50_001);
  expect(() => compileRegex('(a{100}){10}').replace('a'.repeat(1_000_000), '')).toThrow(RegexError);
});

test('limits the length of the pattern', () => {
  expect(matchesPattern('a'.repeat(MAX_PATTERN_LENGTH), 'b')).toBe(false);
  expect(() => compileRegex('a'.repeat(MAX_PATTERN_LENGTH + 1))).toThrow(/at most 1000 characters/);
});

test.each([
  ['^(a+)+$', 'a'.repeat(50_000) + '!'],
  ['^(a|aa)+$', 'a'.repeat(50_000) + '!'],
  ['(.*)*x', 'a'.repeat(50_000)],
  ['^([a-zA-Z0-9]+\\s?)*$', 'ab '.repeat(10_000) + '!'],
  ['(.*a.{300}b)+$', 'ab'.repeat(10_000)],
])('%s stays fast', (pattern, text) => {
  const start = readThreadTime();
  matchesPattern(pattern, text);
  expect(readThreadTime() - start).toBeLessThan(1000);
});

test('limits the work: rejects an expensive pattern on a long text', () => {
  expect(() => matchesPattern('(.*a.{300}b)+$', 'a'.repeat(1_000_000))).toThrow(
    /too long for the regular expression/,
  );
});

test('many patterns do not grow the cache without limit, and still match', () => {
  for (let i = 0; i < 2000; i++) expect(matchesPattern(`^k${i}$`, `k${i}`)).toBe(true);
});

test('agrees with JavaScript on simple patterns', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '(a|b)', '\\d', 'x?', 'b*', 'a+', '^', '$');
  fc.assert(
    fc.property(
      fc.array(atom, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'x', '1'), maxLength: 12 }),
      (atoms, text) => {
        fc.pre(!atoms.some((a, i) => i > 0 && /[*+?]$/.test(atoms[i - 1] ?? '') && /^[*+?]/.test(a)));
        const pattern = atoms.join('');
        expect(matchesPattern(pattern, text)).toBe(new RegExp(pattern).test(text));
      },
    ),
  );
});

test('any text is a pattern or a RegexError', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (pattern, text) => {
      try {
        matchesPattern(pattern, text);
      } catch (error) {
        expect(error).toBeInstanceOf(RegexError);
      }
    }),
  );
});

test('JSON Schema patterns are linear-time', () => {
  const ajv = new Ajv({ code: { regExp: schemaRegExp }, allErrors: true });
  const validate = ajv.compile({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'string', pattern: '^b+$' } },
    patternProperties: { '^x-': { type: 'number' } },
  });
  expect(validate({ a: 'aaa', b: 'bb', 'x-1': 1 })).toBe(true);
  expect(validate({ a: 'bbb', b: 'aa', 'x-1': 'no' })).toBe(false);
  expect(validate.errors).toHaveLength(3);
  const start = readThreadTime();
  expect(validate({ a: 'a'.repeat(50_000) + '!' })).toBe(false);
  expect(readThreadTime() - start).toBeLessThan(500);
  expect(validate({ a: 'a'.repeat(10_000_000) })).toBe(false);
  expect(() => ajv.compile({ type: 'string', pattern: '(?=a)' })).toThrow(RegexError);
});
