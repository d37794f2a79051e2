import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { fromText, toText } from './text.ts';

test('returns every text unchanged, and stores no NUL', () => {
  const seed = Math.floor(Math.random() * 1e9);
  console.info(`seed ${seed}`);
  const pick = createSeededRandom(seed).int;
  const signs = ['\0', '\u0001', '\u0002', 'a', 'ü', '\u{1f600}'];
  for (let i = 0; i < 2_000; i++) {
    const text = Array.from({ length: pick(12) }, () => signs[pick(signs.length)]).join('');
    const stored = toText(text);
    expect(stored).not.toContain('\0');
    expect(fromText(stored)).toBe(text);
  }
  expect(toText('{"a":"\\u0000"}')).toBe('{"a":"\\u0000"}');
});
