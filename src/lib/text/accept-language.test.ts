import { expect, test } from 'vitest';
import { chooseLanguage } from './accept-language.ts';

test.each([
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['JA-JP', 'ja'],
  ['fr-FR, fr;q=0.9, ja;q=0.5, de;q=0.7', 'de'],
  ['de;q=0, ja', 'ja'],
  ['de;q=0.3, *;q=0.8', 'en'],
  ['fr', 'en'],
  ['de;q=high', 'en'],
])('%s: %s', (header, language) => {
  expect(chooseLanguage(header, ['en', 'de', 'ja'])).toBe(language);
});
