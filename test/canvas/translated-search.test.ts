import { describe, expect, test } from 'vitest';
import { createCatalog, type NodeType } from '../../web/src/canvas/model/catalog.ts';
import {
  interleave,
  listPaletteEntries,
  type PaletteEntry,
} from '../../web/src/canvas/model/palette-entries.ts';
import { search } from '../../web/src/canvas/model/search.ts';
import { translateTypes } from '../../web/src/node-panel/model/translate-types.ts';
import german from '../../web/src/i18n/de.json' with { type: 'json' };
import japanese from '../../web/src/i18n/ja.json' with { type: 'json' };
import germanNodes from '../../web/src/i18n/nodes.de.json' with { type: 'json' };
import japaneseNodes from '../../web/src/i18n/nodes.ja.json' with { type: 'json' };
import germanWords from '../../web/src/i18n/search-words.de.json' with { type: 'json' };
import japaneseWords from '../../web/src/i18n/search-words.ja.json' with { type: 'json' };
import { builtinCatalog } from './support/builtin-catalog.ts';
import { newcomerQueries } from './support/newcomer-queries.ts';
import { germanQueries, japaneseQueries } from './support/translated-queries.ts';

type Texts = Readonly<Record<string, string>>;

/** The entries as the editor shows them in a language. */
function translate(ui: Texts, nodes: Texts, words: Readonly<Record<string, string[]>>): PaletteEntry[] {
  const types = translateTypes([...builtinCatalog.values()] as NodeType[], (text) => nodes[text] ?? text);
  return listPaletteEntries(createCatalog(types)).map((entry) => ({
    ...entry,
    title: ui[entry.title] ?? entry.title,
    detail: ui[entry.detail] ?? entry.detail,
    keywords: interleave(entry.keywords, words[entry.id] ?? []),
  }));
}

describe.each([
  ['German', 'de', translate(german, germanNodes, germanWords), germanWords, germanQueries],
  ['Japanese', 'ja', translate(japanese, japaneseNodes, japaneseWords), japaneseWords, japaneseQueries],
] as const)('the palette in %s', (_language, code, entries, words, queries) => {
  test('has search words for every entry, sorted by id, and for no other', () => {
    const ids = entries.map(({ id }) => id).toSorted();
    expect(Object.keys(words), `Change web/src/i18n/search-words.${code}.json`).toEqual(ids);
  });

  test('has 50 queries of newcomers, each once', () => {
    expect(queries.length).toBeGreaterThanOrEqual(50);
    expect(new Set(queries.map(([query]) => query)).size).toBe(queries.length);
  });

  test.each([...queries])('%s finds %s among the first three', (query, wanted) => {
    expect(
      search(entries, query)
        .slice(0, 3)
        .map(({ id }) => id),
    ).toContain(wanted);
  });

  test('still finds the English words', () => {
    const missed = newcomerQueries.filter(
      ([query, wanted]) =>
        !search(entries, query)
          .slice(0, 3)
          .some(({ id }) => id === wanted),
    );
    expect(missed).toEqual([]);
  });
});
