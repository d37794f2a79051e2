import { existsSync } from 'node:fs';
import path from 'node:path';
import { SECRET_KEY_FILE } from '../auth/secret-key.ts';
import { loadConfig, formatDataLocation, type Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { copyBackup, restoreFrom, type BackupProgress, type Manifest } from '../store/backup.ts';

/** Interval between two progress lines, ms. */
const PROGRESS_INTERVAL_MS = 1_000;

/** Copies the data folder into a new folder; the service may be running. */
export async function createBackup(
  env: Environment,
  folder: string,
  say: (line: string) => void,
): Promise<number> {
  const config = loadConfig(env);
  refuseDatabase(config, 'Back it up with pg_dump, which copies it while the service runs');
  const { dataDir } = config;
  const target = path.resolve(folder);
  say(`Backing up ${dataDir} to ${target}`);
  const manifest = await copyBackup(target, dataDir, Date.now(), createProgressReporter(say));
  say(`The backup is complete and checked: ${describe(manifest)}.`);
  const { bucketFiles = 0 } = manifest.counts;
  if (bucketFiles > 0)
    say(
      `${bucketFiles} files are in the bucket of WEFT_FILES_URL and not in the backup: back up the bucket as well.`,
    );
  if (!existsSync(path.join(target, SECRET_KEY_FILE)))
    say(
      'The key is not in it: it is in WEFT_SECRET_KEY. Keep that beside it; without it the stored secrets cannot be read.',
    );
  return 0;
}

/** Restores a backup into an empty data folder. */
export async function restore(
  env: Environment,
  folder: string,
  say: (line: string) => void,
): Promise<number> {
  const config = loadConfig(env);
  refuseDatabase(config, 'Restore it with pg_restore, into an empty database, while no service runs on it');
  const { dataDir } = config;
  const source = path.resolve(folder);
  say(`Restoring ${source} into ${dataDir}`);
  const manifest = await restoreFrom(source, dataDir, createProgressReporter(say));
  say(`The data of ${manifest.createdAt} is back: ${describe(manifest)}.`);
  const { bucketFiles = 0 } = manifest.counts;
  if (bucketFiles > 0)
    say(`${bucketFiles} more files are in a bucket: set WEFT_FILES_URL to it, or to a copy of it.`);
  if (!existsSync(path.join(dataDir, SECRET_KEY_FILE)))
    say('The key was not in the backup: set WEFT_SECRET_KEY to the one that the service ran with.');
  say('Start the service with `npm start` or `weft start`.');
  return 0;
}

/** A backup covers the data folder; a database server has its own, better tools. */
function refuseDatabase(config: Config, instead: string): void {
  if (config.database === null) return;
  throw new Error(
    `DATABASE_URL is set, so the data is in ${formatDataLocation(config)}. ${instead}; docs/operations.md says how. For the data folder, unset DATABASE_URL.`,
  );
}

function describe({ counts }: Manifest): string {
  return `${counts.users} users, ${counts.workflows} workflows, ${counts.executions} executions, ${counts.files} files`;
}

/** Prints a line for each step, at most one per second. */
function createProgressReporter(say: (line: string) => void): BackupProgress {
  let last = 0;
  return ({ what, done, total }) => {
    const now = performance.now();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    say(`  ${what}: ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`);
  };
}
