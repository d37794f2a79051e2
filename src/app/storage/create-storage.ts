import type { Coordination } from '../coordination/coordination-types.ts';
import { openCoordination } from '../coordination/coordination.ts';
import type { AppBase } from '../app-base.ts';
import type { Storage } from './storage.ts';

export type AppStorage = Storage & { readonly coordination: Coordination; close(): Promise<void> };

/** Step 1 of 5: the database, the files, and the communication with other processes that use them. */
export async function createStorage(base: AppBase, opening: Promise<Storage>): Promise<AppStorage> {
  const storage = await opening;
  const { config, clock, process, report, log } = base;
  try {
    const coordination = await openCoordination({
      config,
      store: storage.store,
      process,
      clock,
      report,
      note: (message) => log.info(message),
    });
    return {
      ...storage,
      coordination,
      async close() {
        await coordination.close();
        await storage.store.close();
      },
    };
  } catch (error) {
    await storage.store.close();
    throw error;
  }
}
