import { browserStorage } from '../../data/browser-storage.ts';
import type { Definition } from '../model/document.ts';

/** Unsaved changes with the version they are based on. */
export type Draft = {
  readonly workflowId: string;
  /** The version that `base` is. */
  readonly version: number;
  readonly base: Definition;
  readonly draft: Definition;
  /** When it was written; epoch ms. */
  readonly at: number;
};

export type DraftStore = {
  /** The unsaved draft of this page, or of a closed one. */
  read(): Promise<Draft | null>;
  /** `isLeaving`: the page may unload before an asynchronous write completes, so this one is synchronous. */
  write(draft: Draft, isLeaving: boolean): void;
  clear(): void;
};

type Stored = Draft & { readonly key: string };

const DATABASE = 'weft-drafts';
const STORE_NAME = 'drafts';
const TAB = 'weft.tab';
/** The key prefix of a draft that was written while the page closed. */
const UNLOAD_KEY_PREFIX = 'weft.draft.';
/** Characters: more does not fit beside what else this storage holds. */
const MAX_UNLOAD_CHARACTERS = 1_500_000;
/** The retention of drafts in ms. */
const MAX_DRAFT_AGE_MS = 30 * 24 * 3_600_000;

/**
 * Stores unsaved changes in this browser, one draft per workflow and tab. A tab holds a lock while it is
 * open. The next page that opens the workflow resumes a draft without a lock. Works without drafts if storage
 * is not available.
 */
export async function openDraftStore(workflowId: string): Promise<DraftStore> {
  const tab = await getTabName();
  const database = await open().catch(() => null);
  const key = `${workflowId}/${tab}`;
  let isStored = false;
  /** Drafts of tabs that are gone: they go once theirs is taken over. */
  let inherited: string[] = [];

  function put(draft: Draft | null): void {
    if (database === null) return;
    try {
      const change = database.transaction(STORE_NAME, 'readwrite', { durability: 'relaxed' });
      const store = change.objectStore(STORE_NAME);
      if (draft === null) store.delete(key);
      else store.put({ ...draft, key } satisfies Stored);
      for (const old of inherited) {
        store.delete(old);
        browserStorage.set(UNLOAD_KEY_PREFIX + old, null);
      }
      inherited = [];
      // Not left to the event loop: the page may be gone before its next turn.
      change.commit();
    } catch {
      // The database was closed by the browser.
    }
  }

  return {
    async read() {
      const all = [
        ...(database === null ? [] : await list(database).catch((): Stored[] => [])),
        ...listLeftDrafts(),
      ];
      const alive = await listOpenTabs();
      const left = all.filter(
        (one) => one.workflowId === workflowId && (one.key === key || !alive.has(parseTab(one.key))),
      );
      inherited = all
        .filter((one) => one.key !== key && (left.includes(one) || one.at < Date.now() - MAX_DRAFT_AGE_MS))
        .map((one) => one.key);
      const newest = left.toSorted((a, b) => b.at - a.at)[0];
      isStored = newest !== undefined;
      return newest ?? null;
    },
    write(draft, isLeaving) {
      isStored = true;
      put(draft);
      if (!isLeaving) return;
      const text = JSON.stringify({ ...draft, key } satisfies Stored);
      if (text.length <= MAX_UNLOAD_CHARACTERS) browserStorage.set(UNLOAD_KEY_PREFIX + key, text);
    },
    clear() {
      if (!isStored) return;
      isStored = false;
      browserStorage.set(UNLOAD_KEY_PREFIX + key, null);
      put(null);
    },
  };
}

function listLeftDrafts(): Stored[] {
  const found: Stored[] = [];
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(UNLOAD_KEY_PREFIX))
        found.push(JSON.parse(localStorage.getItem(name) ?? '') as Stored);
  } catch {
    // An unreadable entry was not written by this page.
  }
  return found;
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore(STORE_NAME, { keyPath: 'key' }),
    );
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('There is no database here.')));
    request.addEventListener('blocked', () => reject(new Error('Another page holds the database.')));
  });
}

function list(database: IDBDatabase): Promise<Stored[]> {
  return new Promise((resolve, reject) => {
    const request = database.transaction(STORE_NAME).objectStore(STORE_NAME).getAll() as IDBRequest<Stored[]>;
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The drafts cannot be read.')));
  });
}

const formatLockName = (tab: string): string => `weft-tab/${tab}`;
const parseTab = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

let held: Promise<string> | null = null;

/** The name of this tab: the same after a reload, another one in a tab that was duplicated. */
function getTabName(): Promise<string> {
  held ??= acquireTabName();
  return held;
}

async function acquireTabName(): Promise<string> {
  let storedId: string | null = null;
  try {
    storedId = sessionStorage.getItem(TAB);
  } catch {
    // Without it, a reload finds what it left as that of a tab that is gone.
  }
  const tab = storedId !== null && (await acquireTabLock(storedId)) ? storedId : crypto.randomUUID();
  if (tab !== storedId) await acquireTabLock(tab);
  try {
    sessionStorage.setItem(TAB, tab);
  } catch {
    // As above.
  }
  return tab;
}

/** ms that the page before a reload may still hold the lock of its tab. */
const LOCK_TIMEOUT_MS = 800;

/** Holds the lock until the page closes; false if another page has it. Succeeds without Web Locks. */
async function acquireTabLock(tab: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return true;
  return new Promise((resolve) => {
    const work = (): Promise<never> => {
      resolve(true);
      return new Promise(() => undefined);
    };
    locks
      .request(formatLockName(tab), { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) }, work)
      .catch(() => resolve(false));
  });
}

async function listOpenTabs(): Promise<Set<string>> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return new Set();
  const { held: all = [] } = await locks.query();
  return new Set(
    all.flatMap(({ name }) =>
      name?.startsWith('weft-tab/') === true ? [name.slice('weft-tab/'.length)] : [],
    ),
  );
}
