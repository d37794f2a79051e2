import { statSync } from 'node:fs';
import type { Connection } from '../connection.ts';
import { startWalCheckpointer, type WalCheckpointer } from './wal-checkpointer.ts';

/** Frames in the write-ahead log from which it is carried over into the database: 16 MB. More at once holds commits up for longer. */
const FRAMES = 4_000;
/** Frames from which the writer does it itself, since the carrier does not keep up. */
const TOO_MANY = 40_000;
/** Checked every so many groups, since asking costs a little. */
const CHECK_EVERY = 16;
/** ms without a write after which the log is emptied, when its file has so many bytes: heartbeats alone are no reason. */
const IDLE = 1_000;
const IDLE_BYTES = 1024 * 1024;

/**
 * Keeps the write-ahead log short. Done here rather than by SQLite's own automatism, which hides errors of the disk.
 * Carrying a long log over takes many milliseconds, for which no transaction could be written: so a thread of its own does
 * that beside the writes. What came meanwhile is little; the writer carries it itself, and the log begins anew.
 */
export type WalMonitor = {
  /** After this many groups. Throws when the disk fails. */
  written(groups: number): void;
  onIdleFailure(listener: (error: unknown) => void): void;
  stop(): void;
};

export function createWalMonitor({ db }: Connection, file: string): WalMonitor {
  let carrier: WalCheckpointer | null = null;
  let carried = false;
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
      // Its file: a log that began anew has few frames in a file of what it was.
      if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < IDLE_BYTES) return;
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
      const length = frames();
      if (length < FRAMES) return;
      if (carried || length >= TOO_MANY) {
        carried = false;
        db.pragma('wal_checkpoint(PASSIVE)');
        return;
      }
      carrier ??= startWalCheckpointer(file, (error) => (error === null ? (carried = true) : failed(error)));
      carrier.carry();
    },
    onIdleFailure: (listener) => {
      failed = listener;
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      carrier?.stop();
    },
  };
}
