import { useEffect } from 'react';
import type { PackOperationNames } from 'weft-client';
import type { Catalog, NodeType } from '../canvas/model/catalog.ts';
import { listSearchEntries } from '../canvas/model/palette-entries.ts';
import { indexItems, readWords } from '../canvas/model/search.ts';
import { client } from '../data/client.ts';
import { queryClient } from '../data/query-client.ts';
import { useStore } from '../data/store.ts';
import { createOperationEntry, getOperationEntries, type OperationEntry } from './operation-entries.ts';

/** The operations that the node picker searches. Packs beyond are offered without operations. */
const MAX_OPERATIONS = 20_000;
/** Operations that are indexed without a pause. */
const PIECE_SIZE = 200;
/** ms: a version never changes. */
const MAX_NAMES_AGE_MS = 60 * 60_000;

export const createOperationNamesQuery = (name: string, version: string) => ({
  queryKey: ['packs', 'operation-names', name, version],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<PackOperationNames> =>
    client.packs.operationNames.list(name, { version }, { signal }),
  staleTime: MAX_NAMES_AGE_MS,
});

const loading = new WeakMap<Catalog, Promise<void>>();

/** Loads and indexes the operations of all packs, once for a catalog; after a failure again. */
export function loadOperationEntries(catalog: Catalog): Promise<void> {
  let done = loading.get(catalog);
  if (done === undefined) {
    done = load(catalog).catch(() => void loading.delete(catalog));
    loading.set(catalog, done);
  }
  return done;
}

async function load(catalog: Catalog): Promise<void> {
  const store = getOperationEntries(catalog);
  store.set([]);
  let count = 0;
  for (const type of catalog.values()) {
    if (type.pack == null) continue;
    count += type.pack.operations;
    if (count > MAX_OPERATIONS) break;
    store.set([...store.get(), ...(await loadEntries(type, type.pack.name))]);
  }
  indexItems(listSearchEntries(catalog));
}

async function loadEntries(type: NodeType, pack: string): Promise<OperationEntry[]> {
  const { operations } = await queryClient.fetchQuery(createOperationNamesQuery(pack, type.version));
  const entries = operations.map((operation) => createOperationEntry(type, operation));
  for (let from = 0; from < entries.length; from += PIECE_SIZE) {
    readWords(entries.slice(from, from + PIECE_SIZE));
    // Keys that are pressed meanwhile are handled between two pieces.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return entries;
}

/** The operations of all packs, as far as they are loaded. */
export function useOperationEntries(catalog: Catalog): readonly OperationEntry[] {
  useEffect(() => void loadOperationEntries(catalog), [catalog]);
  return useStore(getOperationEntries(catalog));
}
