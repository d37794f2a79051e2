import type { Catalog } from './catalog.ts';
import type { Doc, Entry, Json } from './document.ts';
import { getNodeTitle } from './title.ts';
import { t } from '../../i18n/index.ts';

/** A match. `where`: the title of the field; `excerpt`: the surrounding text. */
export type Hit = {
  readonly kind: 'node' | 'note';
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly excerpt: string;
};

const MAX_HITS = 500;
const CONTEXT_LENGTH = 40;

/**
 * Finds a text, ignoring case, in names, ids, types, notes, configurations and comments: one hit per node.
 */
export function findIn(doc: Doc, catalog: Catalog, text: string): Hit[] {
  const query = text.trim().toLowerCase();
  if (query === '') return [];
  const hits: Hit[] = [];
  for (const entry of doc.nodes.values()) {
    if (hits.length >= MAX_HITS) return hits;
    const found = findInNode(entry, catalog, query);
    if (found !== null)
      hits.push({ kind: 'node', id: entry.id, title: getNodeTitle(entry, catalog), ...found });
  }
  for (const note of doc.notes.values()) {
    if (hits.length >= MAX_HITS) return hits;
    if (containsText(note.text, query))
      hits.push({
        kind: 'note',
        id: note.id,
        title: t('Comment'),
        where: 'text',
        excerpt: excerptAround(note.text, query),
      });
  }
  return hits;
}

function findInNode(
  entry: Entry,
  catalog: Catalog,
  query: string,
): { where: string; excerpt: string } | null {
  const plain: [string, string | undefined][] = [
    ['name', getNodeTitle(entry, catalog)],
    ['id', entry.id],
    ['type', catalog.get(entry.type)?.name],
    ['type', entry.type],
    ['notes', entry.notes],
  ];
  for (const [where, value] of plain)
    if (value !== undefined && containsText(value, query))
      return { where, excerpt: excerptAround(value, query) };
  return entry.config === undefined ? null : findInConfig(entry.config, query);
}

/** With a worklist, because user data may be nested deeply. */
function findInConfig(config: Json, query: string): { where: string; excerpt: string } | null {
  const work: { location: string; value: Json }[] = [{ location: '', value: config }];
  for (const { location, value } of work) {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        const path = Array.isArray(value)
          ? `${location}[${key}]`
          : location === ''
            ? key
            : `${location}.${key}`;
        if (!Array.isArray(value) && containsText(key, query)) return { where: path, excerpt: key };
        work.push({ location: path, value: inner as Json });
      }
    } else if (value !== null && containsText(String(value), query)) {
      return { where: location, excerpt: excerptAround(String(value), query) };
    }
  }
  return null;
}

function containsText(text: string, query: string): boolean {
  return text.toLowerCase().includes(query);
}

function excerptAround(text: string, query: string): string {
  const index = text.toLowerCase().indexOf(query);
  const from = Math.max(0, index - CONTEXT_LENGTH);
  const to = Math.min(text.length, index + query.length + CONTEXT_LENGTH);
  const cut = text.slice(from, to).replaceAll(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${cut}${to < text.length ? '…' : ''}`;
}
