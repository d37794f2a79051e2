import { begin } from '../procedures/registry.ts';
import * as polls from '../queries/polls.ts';
import * as workers from '../queries/workers.ts';
import { openForWriting, type Connection } from './connection.ts';
import { failureOf, type Failure } from './failure.ts';
import { createLogKeeper } from './log-keeper.ts';
import { migrate } from './migrate.ts';
import type { Job, Outcome, Report, ServingSetup } from './protocol.ts';
import { makeRedoLog, redoFileOf } from './redo-log.ts';
import { noteRedone, recover, redo } from './redo-recovery.ts';

/** Pages that one `shrink` gives back. */
const SHRINK_PAGES = 500;

export type ThreadWorker = { run(jobs: readonly Job[]): Outcome[]; close(): void };
type Note = (failure: Failure) => Failure;
/** Records of the redo log, this one and those behind it, could not be put into the database. */
type Debt = { from: number; why: Failure };
type WritingJob = Extract<Job, { kind: 'procedure' | 'redo' }>;

/** The only connection that writes. A group of jobs is one transaction with one fsync. */
export function createWriter({ file, now }: ServingSetup, say: (report: Report) => void): ThreadWorker {
  const connection = openForWriting(file);
  migrate(connection.db, now);
  takeOver(connection, file);
  const log = createLogKeeper(connection, file);
  let debt: Debt | null = null;
  let broken: Failure | null = null;

  const note: Note = (failure) => {
    if (failure.fatal && broken === null) {
      const message = `${failure.message} The store takes no more writes until it is started again.`;
      broken = { ...failure, message };
      say({ kind: 'fatal', failure: broken });
    }
    return failure;
  };

  /** While there is a debt nothing is written before it is paid, since it would overtake what was acknowledged. */
  const afterDebt = (jobs: readonly WritingJob[], outcomes: Outcome[]): readonly WritingJob[] => {
    if (debt === null) return jobs;
    const { from, why } = debt;
    const start = jobs.findIndex((job) => job.kind === 'redo' && job.which.from === from);
    const due = start < 0 ? [] : jobs.slice(start);
    for (const job of jobs.slice(0, jobs.length - due.length)) outcomes.push(outcomeOf(job, why, note));
    return due;
  };

  const runShrink = (id: number): Outcome => {
    try {
      return { id, value: shrink(connection) };
    } catch (error) {
      return { id, failure: note(failureOf(error)) };
    }
  };

  const afterwards = (groups: number): void => {
    try {
      log.written(groups);
    } catch (error) {
      note(failureOf(error));
    }
  };
  log.onIdleFailure((error) => void note(failureOf(error)));

  return {
    run: (jobs) => {
      if (broken !== null) return jobs.map(({ id }) => ({ id, failure: broken! }));
      const writing = jobs.filter((job) => job.kind === 'procedure' || job.kind === 'redo');
      const outcomes: Outcome[] = [];
      const due = afterDebt(writing, outcomes);
      const failure = runGroup(connection, due, outcomes, note);
      const redone = due.find((job) => job.kind === 'redo');
      if (redone !== undefined) debt = failure === null ? null : { from: redone.which.from, why: failure };
      let groups = due.length === 0 ? 0 : 1;
      for (const job of jobs) {
        if (job.kind !== 'tend' && job.kind !== 'shrink') continue;
        groups += job.kind === 'tend' ? job.groups : 1;
        outcomes.push(job.kind === 'tend' ? { id: job.id, value: null } : runShrink(job.id));
      }
      afterwards(groups);
      return outcomes;
    },
    close: () => {
      log.stop();
      connection.db.close();
    },
  };
}

/** The lock on the folder says that whoever had a lease is gone: what it held need not wait until the lease is over. */
function takeOver(connection: Connection, file: string): void {
  connection.exec('BEGIN IMMEDIATE');
  connection.exec(workers.removeAll);
  connection.exec(polls.giveUpAll);
  connection.run(begin('endTokenLeases', []));
  recover(connection, file);
  connection.exec('COMMIT');
  makeRedoLog(redoFileOf(file));
}

/** Each job stands or falls alone, unless the transaction as a whole fails. Returns why it did, or null. */
function runGroup(
  connection: Connection,
  jobs: readonly WritingJob[],
  outcomes: Outcome[],
  note: Note,
): Failure | null {
  if (jobs.length === 0) return null;
  const { db, exec } = connection;
  try {
    exec('BEGIN IMMEDIATE');
    const done = jobs.map((job) =>
      jobs.length === 1 ? runJob(connection, job) : runWithin(connection, job, note),
    );
    exec('COMMIT');
    outcomes.push(...done);
    return null;
  } catch (error) {
    const failure = note(failureOf(error));
    // SQLite has already rolled back after some errors.
    if (db.inTransaction) exec('ROLLBACK');
    outcomes.push(...jobs.map((job) => outcomeOf(job, failure, note)));
    return failure;
  }
}

function runJob(connection: Connection, job: WritingJob): Outcome {
  const { id } = job;
  if (job.kind === 'procedure') return { id, value: connection.run(begin(job.name, job.args)) };
  noteRedone(connection, job.which);
  // Nothing could come between: what was taken can be written.
  for (const { kind } of redo(connection, job.batch))
    if (kind !== 'written') throw new Error(`A record of the redo log was refused: ${kind}.`);
  return { id, value: true };
}

/** What was taken into the redo log must get into the database: now, later when the failure may pass, or at the next start. */
function outcomeOf({ id, kind }: WritingJob, failure: Failure, note: Note): Outcome {
  if (kind !== 'redo') return { id, failure };
  return failure.passing ? { id, value: false } : { id, failure: note({ ...failure, fatal: true }) };
}

/** As part of a group: what it wrote is undone when it throws, without harm to the others. */
function runWithin(connection: Connection, job: WritingJob, note: Note): Outcome {
  const { db, exec } = connection;
  exec('SAVEPOINT job');
  try {
    const outcome = runJob(connection, job);
    exec('RELEASE job');
    return outcome;
  } catch (error) {
    const failure = failureOf(error);
    if (!db.inTransaction || failure.fatal || failure.code === 'STORAGE_FULL') throw error;
    exec('ROLLBACK TO job');
    exec('RELEASE job');
    return outcomeOf(job, failure, note);
  }
}

/** Moves pages from the end of the file into free ones. True: there are more. */
function shrink({ db }: Connection): boolean {
  db.pragma(`incremental_vacuum(${SHRINK_PAGES})`);
  return Number(db.pragma('freelist_count', { simple: true })) > 0;
}
