import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  listCatalogKeys,
  listPlaceholders,
  parseSource,
  listTranslatedTexts,
  listUntranslatedTexts,
  listWebSources,
} from './support/web-texts.ts';

const LANGUAGES = [
  { language: 'de', forms: ['one', 'other'] },
  { language: 'ja', forms: ['other'] },
] as const;

const readCatalogText = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../web/src/i18n', `${name}.json`), 'utf8');

const readCatalog = (name: string): Record<string, string> =>
  JSON.parse(readCatalogText(name)) as Record<string, string>;

/** Texts that are the same in every language. */
const NAMES = new Set([
  // The product, formats and services.
  'Weft',
  'JSON',
  'SHA-256',
  'X-API-Key',
  'GitHub',
  'Google',
  'HubSpot',
  'Salesforce',
  'Slack',
  // Keys of the keyboard.
  'Ctrl',
  'Enter',
  // Samples of what the user types.
  '@activepieces/piece-slack',
  'sha512-…',
  'count_words',
  'major.minor.patch',
  'github_work',
  'CRM_TOKEN',
  'api.example.com',
  'https://…',
  'https://…/authorize',
  'https://…/token',
  'https://api.example.com/openapi.json',
  'https://api.example.com/me',
  // With a space after it: text before an API key.
  'Token',
  'https://app.example.com/callback',
  '{ "name": …, "definition": { "nodes": […], "connections": […] } }',
  "curl https://api.example.com/orders -H 'Accept: application/json'",
  // The start of a custom node's code, and a value of the example request of a webhook.
  '// Called with the inputs by name; returns the outputs by name.',
  'text',
  // Messages of the service that the editor recognizes.
  'The secret',
  'Output given, not run',
  'Disabled, passed through',
  '{{ secrets.',
  // A unit.
  'MB',
]);

const sources = listWebSources();
const { texts, problems } = listTranslatedTexts(sources);

describe('the texts of the editor', () => {
  test('are written out in the calls that translate them, with a value for each placeholder', () => {
    expect(texts.length).toBeGreaterThan(900);
    expect(problems).toEqual([]);
  });

  test('are all translated', () => {
    expect(listUntranslatedTexts(sources, (text) => NAMES.has(text))).toEqual([]);
  });

  test('a text that is not translated is found', () => {
    const source = parseSource(
      'page.tsx',
      `const a = <Page title="Users" lead={isOn ? 'On' : t('Off')}>No users {t('yet')}<p>{'Empty'}</p></Page>;
       const b = { label: \`Delete \${name}\` };
       const c = ['Choose one of these.', 'value', t('Save', { context: 'verb' })];
       const d = \`The server said: \${error}\`;`,
    );
    expect(listUntranslatedTexts([source], () => false)).toEqual([
      'page.tsx:1: Users',
      'page.tsx:1: On',
      'page.tsx:1: No users',
      'page.tsx:1: Empty',
      'page.tsx:2: Delete',
      'page.tsx:3: Choose one of these.',
      'page.tsx:4: The server said:',
    ]);
  });

  test('a call that cannot be translated is found', () => {
    const source = parseSource(
      'page.ts',
      "t(text); t('{{a}} of {{b}}', { a }); t('{{count}} nodes', { count });",
    );
    expect(listTranslatedTexts([source]).problems).toEqual([
      'page.ts:1: the text must be a string literal',
      'page.ts:1: the values (a) differ from the placeholders (a,b)',
      'page.ts:1: {{count}} is for tPlural',
    ]);
  });
});

describe.each(LANGUAGES)('the catalog $language', ({ language, forms }) => {
  const catalog = readCatalog(language);
  const keys = listCatalogKeys(texts, forms);

  test('has a translation for every text, and no other', () => {
    expect([...keys.keys()].filter((key) => !(key in catalog))).toEqual([]);
    expect(Object.keys(catalog).filter((key) => !keys.has(key))).toEqual([]);
  });

  test('has no empty translation and the same placeholders', () => {
    const wrong = [...keys].filter(([key, english]) => {
      const translation = catalog[key] ?? '';
      // The form for one may say it in words.
      const [given, wanted] = [translation, english].map((text) =>
        listPlaceholders(text).filter((name) => name !== 'count' || !key.endsWith('_one')),
      );
      return translation.trim() === '' || given?.join() !== wanted?.join();
    });
    expect(wrong).toEqual([]);
  });
});

// JSON.parse keeps the last of two equal keys, and the other translation is lost.
test.each(['de', 'ja', 'nodes.de', 'nodes.ja'])('%s.json has no key twice', (name) => {
  const keys = [...readCatalogText(name).matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)].map(([, key]) => key!);
  expect(keys.length).toBeGreaterThan(900);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
