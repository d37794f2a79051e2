import { begin } from '../../transactions/registry.ts';
import * as decisionMessages from '../../queries/decisions/decision-messages.ts';
import * as packTriggers from '../../queries/pack-triggers.ts';
import * as polls from '../../queries/polling.ts';
import * as workers from '../../queries/workers.ts';
import { openForWriting, type Connection } from '../connection.ts';
import { toFailure, type Failure } from '../failure.ts';
import { createWalMonitor } from '../wal/wal-monitor.ts';
import { migrate } from '../migrate.ts';
import type { Job, Outcome, Report, ServingSetup } from './protocol.ts';

/** Pages that one `shrink` frees. */
const SHRINK_PAGES = 500;

export type ThreadWorker = { run(jobs: readonly Job[]): Outcome[]; close(): void };
type Note = (failure: Failure) => Failure;
type WritingJob = Extract<Job, { kind: 'transaction' }>;

/** The only connection that writes. A group of jobs is one transaction with one fsync. */
export function createWriter({ file, now }: ServingSetup, say: (report: Report) => void): ThreadWorker {
  const connection = openForWriting(file);
  migrate(connection.db, now);
  takeOver(connection);
  const log = createWalMonitor(connection, file);
  let broken: Failure | null = null;

  const note: Note = (failure) => {
    if (failure.isFatal && broken === null) {
      const message = `${failure.message} The store accepts no more writes until it is restarted.`;
      broken = { ...failure, message };
      say({ kind: 'fatal', failure: broken });
    }
    return failure;
  };

  const runShrink = (id: number): Outcome => {
    try {
      return { id, value: shrink(connection) };
    } catch (error) {
      return { id, failure: note(toFailure(error)) };
    }
  };

  const maintainLog = (groups: number): void => {
    try {
      log.onWritten(groups);
    } catch (error) {
      note(toFailure(error));
    }
  };
  log.onIdleFailure((error) => void note(toFailure(error)));

  return {
    run: (jobs) => {
      if (broken !== null) return jobs.map(({ id }) => ({ id, failure: broken! }));
      const writing = jobs.filter((job) => job.kind === 'transaction');
      const outcomes = runGroup(connection, writing, note);
      let groups = writing.length === 0 ? 0 : 1;
      for (const job of jobs) {
        if (job.kind !== 'report' && job.kind !== 'shrink') continue;
        groups += job.kind === 'report' ? job.groups : 1;
        outcomes.push(job.kind === 'report' ? { id: job.id, value: null } : runShrink(job.id));
      }
      maintainLog(groups);
      return outcomes;
    },
    close: () => {
      log.stop();
      connection.db.close();
    },
  };
}

/**
 * The lock on the folder proves that earlier lease holders have ended: their work need not wait until the
 * lease expires.
 */
function takeOver(connection: Connection): void {
  connection.exec('BEGIN IMMEDIATE');
  connection.exec(workers.removeAll);
  connection.exec(polls.releaseAllClaims);
  connection.exec(packTriggers.releaseAllClaims);
  connection.exec(decisionMessages.releaseAllClaims);
  connection.run(begin('endTokenLeases', []));
  connection.exec('COMMIT');
}

/** Each job succeeds or fails alone, unless the transaction as a whole fails. */
function runGroup(connection: Connection, jobs: readonly WritingJob[], note: Note): Outcome[] {
  if (jobs.length === 0) return [];
  const { db, exec } = connection;
  try {
    exec('BEGIN IMMEDIATE');
    const outcomes = jobs.map((job) =>
      jobs.length === 1 ? runJob(connection, job) : runWithin(connection, job),
    );
    exec('COMMIT');
    return outcomes;
  } catch (error) {
    const failure = note(toFailure(error));
    // SQLite has already rolled back after some errors.
    if (db.inTransaction) exec('ROLLBACK');
    return jobs.map(({ id }) => ({ id, failure }));
  }
}

function runJob(connection: Connection, { id, name, args }: WritingJob): Outcome {
  return { id, value: connection.run(begin(name, args)) };
}

/** Runs a job within a group; if it throws, its writes are rolled back without affecting the others. */
function runWithin(connection: Connection, job: WritingJob): Outcome {
  const { db, exec } = connection;
  exec('SAVEPOINT job');
  try {
    const outcome = runJob(connection, job);
    exec('RELEASE job');
    return outcome;
  } catch (error) {
    const failure = toFailure(error);
    if (!db.inTransaction || failure.isFatal || failure.code === 'STORAGE_FULL') throw error;
    exec('ROLLBACK TO job');
    exec('RELEASE job');
    return { id: job.id, failure };
  }
}

/** Moves pages from the end of the file into free ones. True when more are left. */
function shrink({ db }: Connection): boolean {
  db.pragma(`incremental_vacuum(${SHRINK_PAGES})`);
  return Number(db.pragma('freelist_count', { simple: true })) > 0;
}
