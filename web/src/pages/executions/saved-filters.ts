import { browserStorage } from '../../data/browser-storage.ts';
import { createStore } from '../../data/store.ts';
import { readFilters, type Filters } from './execution-filters.ts';

export type SavedFilter = { readonly name: string; readonly filters: Filters };

const STORAGE_KEY = 'weft.execution-filters';

/** The saved filters of this browser, by name. */
export const savedFilters = createStore<readonly SavedFilter[]>(readSaved(browserStorage.get(STORAGE_KEY)));

/** A filter with the same name is replaced. */
export function saveFilter(name: string, filters: Filters): void {
  const others = savedFilters.get().filter((one) => one.name !== name);
  store([...others, { name, filters: { ...filters, before: '' } }]);
}

export function deleteFilter(name: string): void {
  store(savedFilters.get().filter((one) => one.name !== name));
}

function store(filters: readonly SavedFilter[]): void {
  const sorted = filters.toSorted((a, b) => a.name.localeCompare(b.name));
  savedFilters.set(sorted);
  browserStorage.set(STORAGE_KEY, sorted.length === 0 ? null : JSON.stringify(sorted));
}

/** Storage can contain anything: entries that are no filters are left out. */
export function readSaved(text: string | null): SavedFilter[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: Partial<SavedFilter> | null) => {
    const { name, filters } = one ?? {};
    if (typeof name !== 'string' || typeof filters !== 'object') return [];
    const given: Readonly<Record<string, unknown>> = { ...filters };
    const readText = (key: string): string => (typeof given[key] === 'string' ? given[key] : '');
    return [{ name, filters: readFilters(readText) }];
  });
}
