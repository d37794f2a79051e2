import { browserStorage } from '../../data/browser-storage.ts';

const STORAGE_KEY = 'weft.recent-nodes';
const MAX_RECENT = 5;

/** The ids of the palette entries that were added last in this browser, newest first. */
export function listRecentEntries(): string[] {
  return (browserStorage.get(STORAGE_KEY) ?? '').split('\n').filter(Boolean);
}

export function rememberEntry(id: string): void {
  const others = listRecentEntries().filter((one) => one !== id);
  browserStorage.set(STORAGE_KEY, [id, ...others].slice(0, MAX_RECENT).join('\n'));
}
