import { getOperationEntries, parseOperationEntryId } from '../../connectors/operation-entries.ts';
import type { Catalog, NodeType } from './catalog.ts';
import type { JsonObject } from './document.ts';
import type { Searchable } from './search.ts';
import { getInitialConfig } from './structure.ts';
import { triggerKinds } from './trigger-kinds.ts';
import { getSearchWords, t } from '../../i18n/index.ts';

/** An entry of the palette: a node type, or one kind of the node type `trigger`. */
export type PaletteEntry = Searchable & {
  readonly type: NodeType;
  readonly icon: string;
  readonly category: string;
  readonly group: string;
};

const TRIGGER = 'trigger';

const groups: readonly [category: string, title: string][] = [
  ['trigger', t('Triggers')],
  ['flow', t('Flow')],
  ['data', t('Data')],
  ['http', 'HTTP'],
  ['connector', t('Services')],
  ['code', t('Code')],
  ['ai', t('AI')],
  ['custom', t('Yours')],
];

const cache = new WeakMap<Catalog, readonly PaletteEntry[]>();

/** All entries in the order in which they are shown. */
export function listPaletteEntries(catalog: Catalog): readonly PaletteEntry[] {
  let entries = cache.get(catalog);
  if (entries === undefined) {
    const placeAt = ({ category }: NodeType): number => {
      const index = groups.findIndex(([one]) => one === category);
      return index === -1 ? groups.length : index;
    };
    entries = [...catalog.values()]
      .toSorted((a, b) => placeAt(a) - placeAt(b) || a.name.localeCompare(b.name))
      .flatMap((type) => (type.id === TRIGGER ? listTriggerEntries(type) : [toEntry(type)]));
    cache.set(catalog, entries);
  }
  return entries;
}

const joined = new WeakMap<readonly PaletteEntry[], readonly PaletteEntry[]>();

/** The node types of a catalog and the loaded operations of its packs. Cached until more are loaded. */
export function listSearchEntries(catalog: Catalog): readonly PaletteEntry[] {
  const operations = getOperationEntries(catalog).get();
  let all = joined.get(operations);
  if (all === undefined) joined.set(operations, (all = [...listPaletteEntries(catalog), ...operations]));
  return all;
}

export function findEntry(catalog: Catalog, id: string): PaletteEntry | undefined {
  const entries =
    parseOperationEntryId(id) === null ? listPaletteEntries(catalog) : getOperationEntries(catalog).get();
  return entries.find((entry) => entry.id === id);
}

function toEntry(type: NodeType): PaletteEntry {
  const { id, name, description, keywords, icon, category } = type;
  return {
    id,
    title: name,
    detail: description,
    keywords: interleave(keywords, getSearchWords(id)),
    type,
    icon,
    category,
    group: groups.find(([one]) => one === category)?.[1] ?? category,
  };
}

/** Earlier keywords have a higher rank, so those of two languages take turns. */
export function interleave(first: readonly string[], second: readonly string[]): readonly string[] {
  if (second.length === 0) return first;
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, i) => [first[i] ?? [], second[i] ?? []]).flat(2);
}

function listTriggerEntries(type: NodeType): PaletteEntry[] {
  return triggerKinds.map(({ kind, title, detail, icon, keywords }) => ({
    ...toEntry(type),
    id: `${TRIGGER}:${kind}`,
    title,
    detail,
    icon,
    keywords: interleave(keywords, getSearchWords(`${TRIGGER}:${kind}`)),
  }));
}

/** The node type of an entry, and its initial configuration. */
export function parseEntryId(id: string): { type: string; config: JsonObject } {
  const operation = parseOperationEntryId(id);
  if (operation !== null) return { type: operation.type, config: { operation: operation.operation } };
  const kind = id.startsWith(`${TRIGGER}:`) ? id.slice(TRIGGER.length + 1) : null;
  return kind === null
    ? { type: id, config: getInitialConfig(id) }
    : { type: TRIGGER, config: { triggerType: kind } };
}

/** The entries, with the recently used ones first in a separate group. */
export function withRecentFirst(
  entries: readonly PaletteEntry[],
  recent: readonly string[],
): readonly PaletteEntry[] {
  const used = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  return [
    ...used.map((entry) => ({ ...entry, group: t('Recently used') })),
    ...entries.filter((entry) => !recent.includes(entry.id)),
  ];
}

/** The node types, and the recently used operations. */
export function listSuggestedEntries(
  types: readonly PaletteEntry[],
  operations: readonly PaletteEntry[],
  recent: readonly string[],
): readonly PaletteEntry[] {
  const used = operations.filter(({ id }) => recent.includes(id));
  return withRecentFirst([...types, ...used], recent);
}

/** The first sentence of a description. */
export function extractFirstSentence(text: string): string {
  return /^.*?(?:[.:](?=\s|$)|。)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}
