import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { FileRows } from '../ports/store/files.ts';
import type { Upkeep } from '../ports/store/retention.ts';

/** ms between two rounds. */
const ROUND = 60_000;
/** ms between two pieces of one round: other writes go in between. */
const PAUSE = 20;
/** Executions deleted in one transaction. */
const PIECE = 200;

export type RetentionService = { start(): void; stop(): Promise<void>; round(): Promise<void> };

/** Deletes what has outlived its retention, and gives the room back to the file system; small pieces, one at a time. */
export function createRetention(deps: {
  upkeep: Pick<Upkeep, 'prune' | 'shrink'>;
  fileRows: Pick<FileRows, 'unreferenced'>;
  files: Pick<FileStore, 'remove'>;
  /** Removes contents that no row ever came to refer to. */
  sweepFiles(): Promise<unknown>;
  clock: Clock;
  report(message: string, error: unknown): void;
}): RetentionService {
  const { clock } = deps;
  let isRunning = false;
  let cancel = (): void => {};
  let current: Promise<void> | null = null;

  const pause = (): Promise<void> => new Promise((resolve) => void clock.after(PAUSE, resolve));

  async function round(): Promise<void> {
    let deleted = 0;
    for (;;) {
      const { executions, hashes } = await deps.upkeep.prune(clock.now(), PIECE);
      deleted += executions;
      if (hashes.length > 0) await deps.files.remove(await deps.fileRows.unreferenced(hashes));
      if (executions < PIECE) break;
      await pause();
      if (!isRunning) return;
    }
    if (deleted > 0) {
      while (await deps.upkeep.shrink()) {
        await pause();
        if (!isRunning) return;
      }
    }
    await deps.sweepFiles();
  }

  function next(): void {
    current = round()
      .catch((error: unknown) => deps.report('upkeep failed', error))
      .then(() => {
        current = null;
        if (isRunning) cancel = clock.after(ROUND, next);
      });
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      cancel = clock.after(ROUND, next);
    },
    async stop() {
      isRunning = false;
      cancel();
      await current;
    },
    async round() {
      const was = isRunning;
      isRunning = true;
      try {
        await round();
      } finally {
        isRunning = was;
      }
    },
  };
}
