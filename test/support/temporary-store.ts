import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from '../../src/store/conformance/samples.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';

/** A store in a new folder, which `close` deletes. */
export async function createTempStore(): Promise<StoreUnderTest & { readonly dataDir: string }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'weft-store-'));
  let at = 1_700_000_000_000;
  const open = (): Promise<Store> => openSqliteStore({ dataDir, now: () => at++ });
  let store = await open();
  return {
    dataDir,
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = await open();
    },
    close: async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
