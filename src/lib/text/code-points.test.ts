import { expect, test } from 'vitest';
import { countCharacters, sliceCharacters } from './code-points.ts';

test('a surrogate pair is one character, and so is a lone surrogate', () => {
  expect(['', 'abc', '😀', 'a😀b', '\ud83d'].map(countCharacters)).toEqual([0, 3, 1, 3, 1]);
});

test('slices like a list of the characters', () => {
  for (const text of ['', 'abcdef', 'a😀b😀c', '😀😀', 'x\ud83dy']) {
    const all = Array.from(text);
    for (let start = -6; start <= 6; start++)
      for (let length = 0; length <= 6; length++) {
        const from = start < 0 ? Math.max(0, all.length + start) : start;
        expect(sliceCharacters(text, start, length)).toBe(all.slice(from, from + length).join(''));
      }
  }
  expect(sliceCharacters('a😀b', 1, Infinity)).toBe('😀b');
});
