import type { PackOperationNames } from 'weft-client';
import type { Catalog, NodeType } from '../canvas/model/catalog.ts';
import type { Searchable } from '../canvas/model/search.ts';
import { createStore, type Store } from '../data/store.ts';
import { t } from '../i18n/index.ts';

export type OperationName = PackOperationNames['operations'][number];

/** An operation of an installed pack that can be added to a workflow. */
export type OperationEntry = Searchable & {
  readonly type: NodeType;
  readonly icon: string;
  readonly category: string;
  readonly group: string;
};

/** What people type for the first word of a title. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  create: ['add', 'new', 'make', 'post', 'send'],
  add: ['create', 'new'],
  post: ['send', 'create', 'add'],
  send: ['post', 'message'],
  list: ['all', 'find', 'search', 'get'],
  search: ['find', 'query'],
  find: ['search', 'query', 'list'],
  get: ['read', 'fetch', 'show', 'load', 'find'],
  retrieve: ['get', 'read', 'fetch'],
  update: ['edit', 'change', 'modify', 'set'],
  edit: ['update', 'change'],
  replace: ['update', 'set'],
  set: ['update', 'change'],
  delete: ['remove', 'destroy'],
  remove: ['delete'],
  upload: ['send', 'file'],
  download: ['get', 'file'],
};

/** Separates the node type from the operation in the id of an entry. No node type contains it. */
const SEPARATOR = '#';

export function formatOperationEntryId(type: string, operation: string): string {
  return `${type}${SEPARATOR}${operation}`;
}

/** The parts of the id of an entry; null for an id of another kind. */
export function parseOperationEntryId(id: string): { type: string; operation: string } | null {
  const index = id.indexOf(SEPARATOR);
  return index === -1 ? null : { type: id.slice(0, index), operation: id.slice(index + 1) };
}

export function createOperationEntry(type: NodeType, operation: OperationName): OperationEntry {
  const { id, title, deprecated } = operation;
  return {
    id: formatOperationEntryId(type.id, id),
    title,
    detail: `${type.name} · ${describeOperation(operation)}${deprecated ? ` · ${t('deprecated')}` : ''}`,
    keywords: [type.name, type.pack?.name ?? '', ...listKeywords(operation)],
    type,
    icon: type.icon,
    category: type.category,
    group: type.name,
  };
}

/** The method and path of an operation; the id of an action of a package. */
export function describeOperation({ id, method, path }: OperationName): string {
  return method === null ? id : `${method} ${path ?? ''}`;
}

/** The words by which an operation is found beside its title and path. */
export function listKeywords({ id, title, tags }: OperationName): readonly string[] {
  const [first = ''] = title.toLowerCase().split(/\W+/, 1);
  return [...tags, id, ...(Object.hasOwn(SYNONYMS, first) ? SYNONYMS[first]! : [])];
}

const stores = new WeakMap<Catalog, Store<readonly OperationEntry[]>>();

/** The operations of the packs of a catalog that have been loaded. */
export function getOperationEntries(catalog: Catalog): Store<readonly OperationEntry[]> {
  let store = stores.get(catalog);
  if (store === undefined) stores.set(catalog, (store = createStore<readonly OperationEntry[]>([])));
  return store;
}
