import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { AuditStore } from '../ports/store/audit.ts';
import type { DecisionStore } from '../ports/store/decisions.ts';
import type { FileRows } from '../ports/store/files.ts';
import type { StatisticsStore } from '../ports/store/statistics.ts';
import type { UsageStore } from '../ports/store/ai/model-usage.ts';
import type { StoreMaintenance } from '../ports/store/maintenance.ts';

/** Interval between two rounds, ms. */
const ROUND_INTERVAL_MS = 60_000;
/** Pause between two batches of a round, ms, so that other writes can run. */
const BATCH_PAUSE_MS = 20;
/** Number of executions deleted per transaction. */
const BATCH_SIZE = 200;
/** Number of hours of statistics that are joined or deleted before a pause. */
const BATCH_HOURS = 5;
/** Number of days of usage that are deleted before a pause. */
const BATCH_DAYS = 5;

/** A node that has asked for a decision waits within this time, ms, unless its process has ended. */
const UNCOMMITTED_WAIT_MS = 60_000;

export type RetentionService = { start(): void; stop(): Promise<void>; round(): Promise<void> };

/** In small batches: deletes expired data, cancels decisions that no node waits for, and frees disk space. */
export function createRetention(deps: {
  maintenance: Pick<StoreMaintenance, 'prune' | 'shrink'>;
  statistics: Pick<StatisticsStore, 'compact'>;
  usage: Pick<UsageStore, 'prune'>;
  decisions: Pick<DecisionStore, 'cancelAbandoned'>;
  audit: Pick<AuditStore, 'prune'>;
  /** Retention of audit events, ms. */
  auditRetention: number;
  /** Retention of statistics and usage, ms. */
  statisticsRetention: number;
  fileRows: Pick<FileRows, 'filterUnreferenced'>;
  files: Pick<FileStore, 'remove'>;
  /** Removes file contents that no row refers to, until `isStopped` returns true. */
  sweepFiles(isStopped: () => boolean): Promise<unknown>;
  clock: Clock;
  report(message: string, error: unknown): void;
}): RetentionService {
  const { clock } = deps;
  let isRunning = false;
  let cancel = (): void => {};
  let current: Promise<void> | null = null;

  const pause = (): Promise<void> => new Promise((resolve) => void clock.after(BATCH_PAUSE_MS, resolve));

  /** A step that fails must not prevent the others. */
  async function round(): Promise<void> {
    for (const step of [prune, compactStatistics, pruneUsage, cancelDecisions, pruneAudit, sweepFiles]) {
      if (!isRunning) return;
      await step().catch((error: unknown) => deps.report('retention failed', error));
    }
  }

  async function prune(): Promise<void> {
    let deleted = 0;
    for (;;) {
      const { executions, hashes } = await deps.maintenance.prune(clock.now(), BATCH_SIZE);
      deleted += executions;
      if (hashes.length > 0) await removeContents(hashes);
      if (executions < BATCH_SIZE) break;
      await pause();
      if (!isRunning) return;
    }
    if (deleted > 0) {
      while (await deps.maintenance.shrink()) {
        await pause();
        if (!isRunning) return;
      }
    }
  }

  /** Contents that are not removed because of an error are found by the sweep. */
  async function removeContents(hashes: readonly string[]): Promise<void> {
    try {
      await deps.files.remove(await deps.fileRows.filterUnreferenced(hashes));
    } catch (error) {
      deps.report('removing files failed', error);
    }
  }

  async function compactStatistics(): Promise<void> {
    while (await deps.statistics.compact(clock.now(), deps.statisticsRetention, BATCH_HOURS)) {
      await pause();
      if (!isRunning) return;
    }
  }

  async function pruneUsage(): Promise<void> {
    while (await deps.usage.prune(clock.now() - deps.statisticsRetention, BATCH_DAYS)) {
      await pause();
      if (!isRunning) return;
    }
  }

  async function cancelDecisions(): Promise<void> {
    const before = clock.now() - UNCOMMITTED_WAIT_MS;
    while ((await deps.decisions.cancelAbandoned(before, clock.now(), BATCH_SIZE)) === BATCH_SIZE) {
      await pause();
      if (!isRunning) return;
    }
  }

  const sweepFiles = (): Promise<unknown> => deps.sweepFiles(() => !isRunning);

  async function pruneAudit(): Promise<void> {
    const auditBefore = clock.now() - deps.auditRetention;
    while ((await deps.audit.prune(auditBefore, BATCH_SIZE)) === BATCH_SIZE) {
      await pause();
      if (!isRunning) return;
    }
  }

  function next(): void {
    current = round().then(() => {
      current = null;
      if (isRunning) cancel = clock.after(ROUND_INTERVAL_MS, next);
    });
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      cancel = clock.after(ROUND_INTERVAL_MS, next);
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
        if (!was) isRunning = false;
      }
    },
  };
}
