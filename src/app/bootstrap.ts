import type { Logger } from 'pino';
import { createLog } from '../api/http/log.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { LogStream } from './log-stream.ts';
import { openStorage, type Storage } from './storage/storage.ts';
import { createIds } from './ids.ts';
import { createSystemClock } from './system-clock.ts';

/** Created before the application is composed. */
export type AppContext = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** The id of this process in its store. */
  readonly process: string;
  /**
   * Rejects with an error for the terminal when the data folder is in use, or the database is unreachable or
   * unreadable.
   */
  readonly storage: Promise<Storage>;
};

type BootstrapOptions = {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: standard error. */
  readonly log?: Logger;
  /** The store can no longer write: the process must exit. Acknowledged writes are on disk. */
  fatal(error: Error): void;
};

const STDERR = 2;

/** The id of this process in its store. */
function processId({ redisUrl, role }: Pick<Config, 'redisUrl' | 'role'>, ids: Ids): string {
  if (redisUrl === null) return ids.next('alone');
  return ids.next(role === 'api' ? 'api' : 'worker');
}

/**
 * Starts to open the store. It is separate from `create-app.ts`, so that the rest of the program is loaded
 * while a thread opens the store: both take about as long.
 */
export function bootstrap(config: Config, options: BootstrapOptions): AppContext {
  const clock = options.clock ?? createSystemClock();
  const now = (): number => clock.now();
  const log = options.log ?? createLog(config.logLevel, new LogStream(STDERR, now));
  const ids = createIds(now);
  const process = processId(config, ids);
  const storage = openStorage(config, {
    process,
    clock,
    nextFileName: () => ids.next('object'),
    onFatal(error) {
      log.fatal({ err: error }, 'the store failed');
      options.fatal(error);
    },
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
  });
  // The caller that awaits the promise later receives the failure.
  storage.catch(() => {});
  return { clock, ids, log, process, storage };
}
