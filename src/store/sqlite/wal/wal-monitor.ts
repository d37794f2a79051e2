import { statSync } from 'node:fs';
import type { Connection } from '../connection.ts';
import { startWalCheckpointer, type WalCheckpointer } from './wal-checkpointer.ts';

/**
 * Frames in the write-ahead log at which a checkpoint starts: 16 MB. A larger checkpoint delays commits for
 * longer.
 */
const CHECKPOINT_FRAMES = 4_000;
/** Frames at which the writer itself checkpoints, because the checkpointer thread falls behind. */
const MAX_FRAMES = 40_000;
/** Groups between checks, because a check has a small cost. */
const CHECK_EVERY_GROUPS = 16;
/**
 * In ms: time without writes after which the log is truncated if its file exceeds this size; heartbeats alone
 * do not trigger it.
 */
const IDLE_MS = 1_000;
const IDLE_BYTES = 1024 * 1024;

/**
 * Keeps the write-ahead log short. It replaces SQLite's automatic checkpoints, which hide disk errors. A
 * checkpoint of a long log takes many milliseconds, in which no transaction could be written, so a separate
 * thread runs it concurrently with writes. The writer then checkpoints the few remaining frames itself, and
 * the log restarts.
 */
export type WalMonitor = {
  /** Called after this many groups. Throws when the disk fails. */
  onWritten(groups: number): void;
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
    const rest = lastWrite + IDLE_MS - performance.now();
    if (rest > 0) {
      timer = setTimeout(idle, Math.ceil(rest));
      return;
    }
    try {
      // The file size: a log that restarted has few frames in a file of its former size.
      if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < IDLE_BYTES) return;
      // Skipped while a long read needs the log; it is tried again after the next write.
      db.pragma('busy_timeout = 0');
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      failed(error);
    } finally {
      db.pragma('busy_timeout = 5000');
    }
  };

  return {
    onWritten: (count) => {
      lastWrite = performance.now();
      timer ??= setTimeout(idle, IDLE_MS);
      const before = groups;
      groups += count;
      if (Math.floor(before / CHECK_EVERY_GROUPS) === Math.floor(groups / CHECK_EVERY_GROUPS)) return;
      const length = frames();
      if (length < CHECKPOINT_FRAMES) return;
      if (carried || length >= MAX_FRAMES) {
        carried = false;
        db.pragma('wal_checkpoint(PASSIVE)');
        return;
      }
      carrier ??= startWalCheckpointer(file, (error) => (error === null ? (carried = true) : failed(error)));
      carrier.startCheckpoint();
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
