import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import { parseExactJson } from '../../lib/json/parse-json.ts';
import { parseJsonBody } from './json-body.ts';

const seed = Math.floor(Math.random() * 2 ** 31);
const settings = { seed, numRuns: 500 };
console.log(`json-body.test.ts: seed ${seed}`);

function parse(text: string): { value: unknown } | { code: string } {
  try {
    return { value: parseJsonBody(Buffer.from(text)) };
  } catch (error) {
    expect(error).toBeInstanceOf(WeftError);
    return { code: (error as WeftError).code };
  }
}

test('JSON is parsed with exact integers', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 1, '\t'), (text, space) => {
      fc.pre(!text.includes('__proto__'));
      const printed = JSON.stringify(JSON.parse(text), null, space);
      expect(parse(printed)).toEqual({ value: parseExactJson(printed) });
    }),
    settings,
  );
});

test('text that is not JSON throws only VALIDATION_ERROR', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '1',
    'null',
    '"a"',
    '"a":',
    ' ',
    '\u0000',
    '\\"',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const result = parse(text);
      if (!valid) expect(result).toEqual({ code: 'VALIDATION_ERROR' });
      else if ('code' in result) expect(result.code).toBe('VALIDATION_ERROR');
      else expect(result.value).toEqual(JSON.parse(text));
    }),
    { ...settings, numRuns: 5_000 },
  );
});

test('a repeated key is rejected at any depth and with any escapes', () => {
  const key = fc.string({ maxLength: 6 }).filter((text) => text !== '__proto__');
  const escaped = (text: string): string =>
    `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(key, fc.json({ maxDepth: 3 }), fc.nat(5), (name, value, depth) => {
      fc.pre(!value.includes('__proto__'));
      const twice = `{${JSON.stringify(name)}:${value},${escaped(name)}:1}`;
      expect(parse('['.repeat(depth) + twice + ']'.repeat(depth))).toEqual({ code: 'VALIDATION_ERROR' });
      const once = `{${JSON.stringify(`${name}x`)}:${value},${escaped(name)}:1}`;
      expect(parse(once)).toHaveProperty('value');
    }),
    settings,
  );
});
