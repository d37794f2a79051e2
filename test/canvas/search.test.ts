import { describe, expect, test } from 'vitest';
import {
  extractFirstSentence,
  listPaletteEntries,
  parseEntryId,
  withRecentFirst,
} from '../../web/src/canvas/model/palette-entries.ts';
import { isTypo, search, stemWord, type Searchable } from '../../web/src/canvas/model/search.ts';
import { triggerKinds } from '../../web/src/canvas/model/trigger-kinds.ts';
import { builtinCatalog } from './support/builtin-catalog.ts';
import { newcomerQueries } from './support/newcomer-queries.ts';

const entries = listPaletteEntries(builtinCatalog);
const find = (text: string): string[] => search(entries, text).map(({ id }) => id);
const item = (id: string, title: string, detail = '', keywords: string[] = []): Searchable => ({
  id,
  title,
  detail,
  keywords,
});

describe('the palette', () => {
  test('has at least a hundred queries of newcomers, each once', () => {
    expect(newcomerQueries.length).toBeGreaterThanOrEqual(100);
    expect(new Set(newcomerQueries.map(([query]) => query)).size).toBe(newcomerQueries.length);
  });

  test('finds the words of a Japanese name', () => {
    const names = [
      item('error_handler', 'エラーハンドラー', '他のノードのエラーを処理します。'),
      item('email', 'メール', 'メールを送信します。'),
    ];
    for (const text of ['ハンドラー', 'エラーの処理', 'ノードのエラー'])
      expect(
        search(names, text).map(({ id }) => id),
        text,
      ).toEqual(['error_handler']);
    expect(search(names, 'メール送信').map(({ id }) => id)).toEqual(['email']);
  });

  test.each(newcomerQueries)('%s finds %s among the first three', (query, wanted) => {
    expect(find(query).slice(0, 3)).toContain(wanted);
  });

  test('is certain of the most common words', () => {
    const first = {
      loop: 'for_each',
      cron: 'trigger:schedule',
      if: 'condition',
      js: 'code',
      api: 'http_request',
    };
    for (const [query, wanted] of Object.entries(first)) expect(find(query)[0], query).toBe(wanted);
  });

  test('finds nothing in the middle of words, and nothing for what does not exist', () => {
    for (const query of ['ail', 'rkflow', 'kubernetes', 'zzz', 'python'])
      expect(find(query), query).toEqual([]);
    expect(find('if')).not.toContain('notify');
  });

  test('offers each kind of trigger, as the node type has them', () => {
    const { config_schema: schema } = builtinCatalog.get('trigger')!;
    const { oneOf } = schema as unknown as { oneOf: { properties: { triggerType: { const: string } } }[] };
    expect(triggerKinds.map(({ kind }) => kind)).toEqual(
      oneOf.map(({ properties }) => properties.triggerType.const),
    );
    expect(entries.slice(0, triggerKinds.length).map(({ id }) => id)).toEqual(
      triggerKinds.map(({ kind }) => `trigger:${kind}`),
    );
    expect(entries.some(({ id }) => id === 'trigger')).toBe(false);
    expect(parseEntryId('trigger:schedule')).toEqual({
      type: 'trigger',
      config: { triggerType: 'schedule' },
    });
    expect(parseEntryId('for_each')).toEqual({ type: 'for_each', config: { nodes: [] } });
  });

  test('shows the first sentence of each description, which fits into two lines', () => {
    for (const { detail, id } of entries)
      expect(extractFirstSentence(detail).length, id).toBeLessThanOrEqual(170);
    expect(extractFirstSentence('Waits. Then passes on the input.')).toBe('Waits.');
    expect(extractFirstSentence('No sentence')).toBe('No sentence');
  });

  test('lists recently used types first, once, and ignores deleted types', () => {
    const shown = withRecentFirst(entries, ['slack', 'gone', 'trigger:webhook']);
    expect(shown.slice(0, 3).map(({ id, group }) => [id, group])).toEqual([
      ['slack', 'Recently used'],
      ['trigger:webhook', 'Recently used'],
      ['trigger:manual', 'Triggers'],
    ]);
    expect(shown.length).toBe(entries.length);
  });
});

describe('the search', () => {
  const items = [
    item('a', 'Described', 'Sends a parcel.'),
    item('b', 'By keyword', '', ['parcel']),
    item('c', 'Parcel'),
    item('d', 'Parcel service'),
    item('e', 'Parcels'),
    item('f', 'The parcel'),
    item('exchangeRate', 'exchangeRate'),
  ];
  const ids = (text: string): string[] => search(items, text).map(({ id }) => id);

  test('ranks title, start of the title, keyword, start of a word, description', () => {
    expect(ids('parcel')).toEqual(['c', 'd', 'b', 'e', 'f', 'a']);
  });

  test('needs every word of the text, except words without meaning and numbers', () => {
    expect(ids('the parcel service')).toEqual(['d']);
    expect(ids('send 3 parcels')).toEqual(['a']);
    expect(ids('  ')).toHaveLength(items.length);
    expect(ids('?!')).toHaveLength(items.length);
  });

  test('is content with some of the words where no item has all', () => {
    expect(ids('express parcel service')).toEqual(['d', 'c', 'f', 'b', 'e']);
    expect(ids('sends zebras')).toEqual([]);
  });

  test('matches words within camel-case ids', () => {
    expect(ids('rate')).toEqual(['exchangeRate']);
  });

  test('accepts one wrong letter when nothing else matches, in words of four letters or more', () => {
    expect(ids('parcl')).toContain('c');
    expect(ids('pracel')).toContain('c');
    expect(ids('parzel')).toContain('c');
    expect(ids('paarcel')).toContain('c');
    expect(ids('parzzel')).toEqual([]);
    expect(search([item('x', 'Set')], 'sat')).toEqual([]);
  });

  test.each([
    ['loops', 'loop'],
    ['looping', 'loop'],
    ['validating', 'validate'],
    ['validation', 'validate'],
    ['validator', 'validate'],
    ['mapping', 'map'],
    ['splitting', 'split'],
    ['retries', 'retry'],
    ['hashes', 'hash'],
    ['branches', 'branch'],
    ['scheduled', 'schedule'],
    ['scheduler', 'schedule'],
    ['conditional', 'condition'],
    ['iteration', 'iterate'],
    ['databases', 'database'],
  ])('%s and %s have one stem', (one, other) => {
    expect(stemWord(one)).toBe(stemWord(other));
  });

  test('words that only look alike have different stems', () => {
    for (const [one, other] of [
      ['date', 'data'],
      ['order', 'orchid'],
      ['status', 'state'],
      ['rest', 'rename'],
    ] as const)
      expect(stemWord(one)).not.toBe(stemWord(other));
  });

  test('finds a word while one of its forms is being typed', () => {
    for (let end = 'valid'.length; end <= 'validating'.length; end++)
      expect(search([item('x', 'Check', '', ['validate'])], 'validating'.slice(0, end))).toHaveLength(1);
  });

  test.each([
    ['webhok', 'webhook', true],
    ['respnd', 'respond', true],
    ['conditoin', 'condition', true],
    ['emial', 'email', true],
    ['email', 'email', true],
    ['eamli', 'email', false],
    ['web', 'webhook', false],
    ['abcd', 'badc', false],
  ])('%s for %s: %s', (word, other, is) => {
    expect(isTypo(word, other)).toBe(is);
    expect(isTypo(other, word)).toBe(is);
  });
});
