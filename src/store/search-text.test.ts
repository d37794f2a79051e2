import { expect, test } from 'vitest';
import { searchText } from '../lib/text/search-text.ts';
import { searchPattern } from './search-text.ts';

test('ignores case and composition in any script', () => {
  expect(searchText('STRASSE')).toBe(searchText('Straße'));
  expect(searchText('Cafe\u0301')).toBe(searchText('CAFÉ'));
  expect(searchText('ΟΔΟΣ')).toBe(searchText('οδος'));
});

test('% and _ are literal, and a NUL does not end the pattern', () => {
  expect(searchPattern('50%_\\')).toBe('%50\\%\\_\\\\%');
  expect(searchPattern('a\0b')).toBe('%a\ufffdb%');
});
