import type { Config } from '../../config/config.ts';
import type { Store } from '../../ports/store.ts';
import { openDiskFiles, type DiskFiles } from '../../store/files.ts';
import { openSqliteStore } from '../../store/sqlite/open-store.ts';

export type Storage = {
  readonly store: Store;
  readonly files: DiskFiles;
  /** Connections to the database, and requests that wait for one; undefined for SQLite. */
  readonly load?: () => { size: number; open: number; used: number; waiting: number };
};

type StorageOptions = {
  /** The id of this process. */
  readonly process: string;
  readonly now: () => number;
  /** The store can no longer write, or another process has taken it over: this process must exit. */
  readonly onFatal: (error: Error) => void;
  /** Receives messages for the log. */
  readonly info: (message: string) => void;
};

/** Opens the persistent storage: PostgreSQL when `DATABASE_URL` is set, else the data folder. */
export async function openStorage(
  config: Pick<Config, 'dataDir' | 'database' | 'redisUrl' | 'role' | 'version'>,
  { process, now, onFatal, info }: StorageOptions,
): Promise<Storage> {
  if (config.database !== null) {
    // Loaded on demand: most services need neither it nor its library.
    const { openPostgresStore } = await import('../../store/postgres/open-store.ts');
    return openPostgresStore({
      ...config.database,
      id: process,
      role: config.role,
      version: config.version,
      shares: config.redisUrl !== null,
      now,
      onFatal,
    });
  }
  const store = await openSqliteStore({ dataDir: config.dataDir, now, onFatal, info });
  try {
    return { store, files: await openDiskFiles(config.dataDir, now) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
