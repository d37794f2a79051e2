import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SweptFiles } from '../../ports/files.ts';
import type { Store } from '../../ports/store.ts';
import { openDiskFiles } from '../../store/files.ts';
import { openSqliteStore } from '../../store/sqlite/open-store.ts';

export type Storage = {
  readonly store: Store;
  /** Files of executions. */
  readonly files: SweptFiles;
  /** Large values of journals, which are always stored with the database. */
  readonly values: SweptFiles;
  /** Rejects when the bucket of files cannot be reached; undefined without a bucket. */
  readonly checkFiles?: () => Promise<void>;
  /** Connections to the database, and requests that wait for one; undefined for SQLite. */
  readonly load?: () => { size: number; open: number; used: number; waiting: number };
};

type StorageOptions = {
  /** The id of this process. */
  readonly process: string;
  readonly clock: Clock;
  /** Unique names of files. */
  readonly nextFileName: () => string;
  /** The store can no longer write, or another process has taken it over: this process must exit. */
  readonly onFatal: (error: Error) => void;
  /** Receives messages for the log. */
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
};

type StorageConfig = Pick<
  Config,
  'dataDir' | 'database' | 'redisUrl' | 'role' | 'version' | 'files' | 'maxFileSize'
>;

/** Opens the persistent storage: the database, and the bucket of files if `WEFT_FILES_URL` is set. */
export async function openStorage(config: StorageConfig, options: StorageOptions): Promise<Storage> {
  const storage = await openDatabase(config, options);
  const { store, values } = storage;
  try {
    if (config.files !== null) return await withBucket(storage, config.files, config.maxFileSize, options);
    if (await store.files.anyInBucket())
      throw new Error(
        'The database refers to files in a bucket, but WEFT_FILES_URL is not set: set it as before, or first wait until retention has deleted the executions with these files.',
      );
    return { ...storage, files: values };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function withBucket(
  storage: Omit<Storage, 'files'>,
  settings: NonNullable<Config['files']>,
  maxFileSize: number,
  { clock, nextFileName, warn }: StorageOptions,
): Promise<Storage> {
  const { store, values } = storage;
  // Loaded on demand: most services need neither it nor its libraries.
  const { openBucketFiles } = await import('../../runner/object-storage/open-bucket-files.ts');
  const { files, check, close } = await openBucketFiles({
    settings,
    installation: await store.maintenance.identity(randomUUID()),
    elsewhere: values,
    hasFiles: () => store.files.anyInBucket(),
    maxFileSize,
    clock,
    nextName: nextFileName,
    warn,
  });
  return {
    ...storage,
    files,
    checkFiles: check,
    store: { ...store, close: () => Promise.all([store.close(), close()]).then(() => undefined) },
  };
}

/** PostgreSQL when `DATABASE_URL` is set, else the data folder. */
async function openDatabase(
  config: StorageConfig,
  { process, clock, onFatal, info }: StorageOptions,
): Promise<Omit<Storage, 'files'>> {
  const now = (): number => clock.now();
  if (config.database !== null) {
    // Loaded on demand: most services need neither it nor its library.
    const { openPostgresStore } = await import('../../store/postgres/open-store.ts');
    const { files: values, ...opened } = await openPostgresStore({
      ...config.database,
      id: process,
      role: config.role,
      version: config.version,
      shares: config.redisUrl !== null,
      now,
      onFatal,
    });
    return { ...opened, values };
  }
  const store = await openSqliteStore({ dataDir: config.dataDir, now, onFatal, info });
  try {
    return { store, values: await openDiskFiles(config.dataDir, now) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
