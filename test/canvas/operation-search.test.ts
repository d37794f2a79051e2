import { expect, test } from 'vitest';
import {
  createOperationEntry,
  formatOperationEntryId,
  getOperationEntries,
} from '../../web/src/connectors/operation-entries.ts';
import type { Catalog, NodeType } from '../../web/src/canvas/model/catalog.ts';
import {
  findEntry,
  listPaletteEntries,
  listSearchEntries,
  parseEntryId,
  listSuggestedEntries,
} from '../../web/src/canvas/model/palette-entries.ts';
import { search, type Searchable } from '../../web/src/canvas/model/search.ts';
import { getSummary } from '../../web/src/canvas/model/summary.ts';
import { builtinCatalog } from './support/builtin-catalog.ts';

const COUNT = 1_223;
const type: NodeType = {
  ...builtinCatalog.get('http_request')!,
  id: 'openapi.code_host',
  name: 'Code Host',
  category: 'connector',
  icon: 'plug',
  pack: { name: 'code_host', operations: COUNT },
};
const verbs = ['Create', 'List', 'Get', 'Update', 'Delete', 'Search', 'Archive', 'Restore'];
const things = ['issue', 'repository', 'pull request', 'comment', 'release', 'webhook', 'branch', 'label'];
const owners = ['organization', 'team', 'user', 'enterprise', 'project', 'repository', 'gist', 'runner'];
/** As many operations as a large API has, of words that occur in many of them. */
const operations = Array.from({ length: COUNT }, (_, i) => {
  const [verb, thing, owner] = [verbs[i % 8]!, things[(i >> 3) % 8]!, owners[(i >> 6) % 8]!];
  const part = `${thing.replace(' ', '-')}s`;
  return {
    id: `${part}/${verb.toLowerCase()}-${i}`,
    title: `${verb} a ${thing} of a ${owner} (${i})`,
    method: 'GET',
    path: `/${owner}s/{id}/${part}/${i}`,
    tags: [part],
    deprecated: false,
  };
});
const entries = operations.map((operation) => createOperationEntry(type, operation));

test('operations are found by their words, tags, the name of the pack and synonyms', () => {
  const first = (text: string) => search(entries, text)[0]?.title;
  expect(first('create issue organization')).toMatch(/^Create a issue of a organization/);
  expect(first('code host archive label gist')).toMatch(/^Archive a label of a gist/);
  expect(first('remove webhook')).toMatch(/^Delete a webhook/);
  expect(first('add branch team')).toMatch(/^Create a branch of a team/);
  expect(first('pull-requests list')).toMatch(/^List a pull request/);
  expect(first('relaese')).toMatch(/release/);
  expect(search(entries, 'kubernetes')).toEqual([]);
});

test('the words of a list are read once, and a key needs fewer comparisons than the list has words', () => {
  let reads = 0;
  const watched = operations.map((operation) => {
    const entry = createOperationEntry(type, operation);
    return Object.defineProperty({ ...entry }, 'title', {
      get() {
        reads++;
        return entry.title;
      },
    }) as Searchable;
  });
  search(watched, 'c');
  const first = reads;
  const texts = ['cr', 'create', 'create i', 'create issue', 'create issue organisation', 'craete isue'];
  const compared = countComparisons(() => texts.forEach((text) => search(watched, text))) / texts.length;
  expect(reads).toBe(first);
  // The titles, ids and paths have more than 20 words for each operation.
  expect(compared).toBeLessThan(12 * COUNT);
});

/** The number of calls of `startsWith`. A spy would record the arguments of each. */
function countComparisons(act: () => void): number {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with `apply`.
  const { startsWith } = String.prototype;
  let count = 0;
  // oxlint-disable-next-line no-extend-native -- restored below
  String.prototype.startsWith = function (...args) {
    count++;
    return startsWith.apply(this, args);
  };
  try {
    act();
  } finally {
    // oxlint-disable-next-line no-extend-native -- restores the original
    String.prototype.startsWith = startsWith;
  }
  return count;
}

test('an operation is an entry that begins with its configuration', () => {
  const catalog: Catalog = new Map([...builtinCatalog, [type.id, type]]);
  const store = getOperationEntries(catalog);
  store.set(entries.slice(0, 3));
  const id = formatOperationEntryId(type.id, operations[0]!.id);
  expect(parseEntryId(id)).toEqual({ type: type.id, config: { operation: operations[0]!.id } });
  expect(findEntry(catalog, id)?.title).toBe(operations[0]!.title);
  expect(listSearchEntries(catalog)).toHaveLength(listPaletteEntries(catalog).length + 3);
  expect(listSearchEntries(catalog)).toBe(listSearchEntries(catalog));
  const suggested = listSuggestedEntries(listPaletteEntries(catalog), store.get(), [id]);
  expect(suggested[0]).toMatchObject({ id, group: 'Recently used' });
  // Only operations that were used are offered before a text is typed.
  expect(suggested).toHaveLength(listPaletteEntries(catalog).length + 1);
  expect(
    getSummary({ id: 'x', type: type.id, name: 'Mine', config: { operation: 'issues/create' } }, catalog),
  ).toBe('Code Host · issues/create');
});
