import type { Logger } from 'pino';
import { createLog } from '../api/log.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { LogOutput } from './log-output.ts';
import { openStorage, type Storage } from './storage.ts';
import { createIds, systemClock } from './system.ts';

/** What all the rest stands on. */
export type Groundwork = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** The id of this process in its store. */
  readonly process: string;
  /** Rejects with an error fit for the terminal when the data folder is in use, or the database cannot be reached or read. */
  readonly storage: Promise<Storage>;
};

type GroundworkOptions = {
  /** The system's unless given. */
  readonly clock?: Clock;
  /** To standard error unless given. */
  readonly log?: Logger;
  /** The store can no longer write: the process must end, what was acknowledged is on disk. */
  fatal(error: Error): void;
};

const STDERR = 2;

/** The id of this process in its store. */
function processId({ redisUrl, role }: Pick<Config, 'redisUrl' | 'role'>, ids: Ids): string {
  if (redisUrl === null) return ids.next('alone');
  return ids.next(role === 'api' ? 'api' : 'worker');
}

/**
 * Begins to open the store. Apart from `compose.ts`, so that it can be called before that one, with the whole program behind it, is
 * loaded: the store is opened by a thread of its own, and both take as long.
 */
export function layGroundwork(config: Config, options: GroundworkOptions): Groundwork {
  const clock = options.clock ?? systemClock();
  const now = (): number => clock.now();
  const log = options.log ?? createLog(config.logLevel, new LogOutput(STDERR, now));
  const ids = createIds(now);
  const process = processId(config, ids);
  const storage = openStorage(config, {
    process,
    now,
    onFatal(error) {
      log.fatal({ err: error }, 'the store failed');
      options.fatal(error);
    },
    info: (message) => log.info(message),
  });
  // Whoever waits for it hears of a failure, however late that is.
  storage.catch(() => {});
  return { clock, ids, log, process, storage };
}
