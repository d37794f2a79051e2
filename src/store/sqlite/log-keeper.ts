import type { Connection } from './connection.ts';

/** Frames in the write-ahead log from which it is taken over into the database. */
const FRAMES = 8_000;
/** Checked every so many groups, since asking costs a little. */
const CHECK_EVERY = 16;
/** ms without a write after which the log is emptied, when it has so many frames: heartbeats alone are no reason. */
const IDLE = 1_000;
const IDLE_FRAMES = 250;

/**
 * Keeps the write-ahead log short. Done here rather than by SQLite's own automatism, which hides errors of the disk.
 */
export type LogKeeper = {
  /** After this many groups. Throws when the disk fails. */
  written(groups: number): void;
  onIdleFailure(listener: (error: unknown) => void): void;
  stop(): void;
};

export function createLogKeeper({ db }: Connection): LogKeeper {
  let groups = 0;
  let lastWrite = 0;
  let failed = (_error: unknown): void => {};
  let timer: NodeJS.Timeout | null = null;

  const frames = (): number => {
    const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: number }[];
    return state?.log ?? 0;
  };

  const idle = (): void => {
    timer = null;
    const rest = lastWrite + IDLE - performance.now();
    if (rest > 0) {
      timer = setTimeout(idle, Math.ceil(rest));
      return;
    }
    try {
      if (frames() < IDLE_FRAMES) return;
      // Not when a long read still needs the log: then after the next write.
      db.pragma('busy_timeout = 0');
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      failed(error);
    } finally {
      db.pragma('busy_timeout = 5000');
    }
  };

  return {
    written: (count) => {
      lastWrite = performance.now();
      timer ??= setTimeout(idle, IDLE);
      const before = groups;
      groups += count;
      if (Math.floor(before / CHECK_EVERY) === Math.floor(groups / CHECK_EVERY)) return;
      if (frames() >= FRAMES) db.pragma('wal_checkpoint(PASSIVE)');
    },
    onIdleFailure: (listener) => {
      failed = listener;
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
