import type { StatementResult, Transaction, Statement, Step } from '../statement.ts';
import { retryUntilKnown } from './retry.ts';
import { readReplies, compile, type Query } from './compile.ts';
import type { Connection, Reply } from './connection.ts';
import { classifyError } from './failure.ts';
import type { Slot } from './pool.ts';

/*
 * If the connection is lost during COMMIT, its outcome is unknown. Therefore each writing transaction first
 * updates a mark, a row that belongs to its slot. Reading the mark again, after waiting for its lock, shows
 * whether the transaction committed. Nothing is ever written twice on a guess.
 */
const MARK = {
  name: 'w_mark',
  text: `INSERT INTO write_marks (slot, mark) VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark`,
};
const READ_MARK = 'SELECT mark FROM write_marks WHERE slot = $1 FOR UPDATE';
/**
 * Terminates leftover sessions of this slot, which would hold their locks until the server notices that their
 * client is gone.
 */
const TERMINATE_FORMER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()`;

const BEGIN: Query = { text: 'BEGIN' };
const BEGIN_READING: Query = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' };
const COMMIT: Query = { text: 'COMMIT' };
const ROLLBACK: Query = { text: 'ROLLBACK' };

/** Marks only increase, across all slots of this process. */
let lastMark = 0;

/** The session of a slot; leftovers of a former session are terminated. */
export async function openSession(slot: Slot): Promise<Connection> {
  const { connection, isNew } = await slot.connect();
  if (isNew) await connection.runPipeline([{ text: TERMINATE_FORMER, values: [slot.name] }]);
  return connection;
}

/**
 * Runs a transaction that is on disk when the promise resolves. When it rejects, nothing was written: the
 * outcome of an interrupted COMMIT is determined first, however long that takes.
 */
export async function write<T>(slot: Slot, start: () => Transaction<T>, isClosed: () => boolean): Promise<T> {
  const transaction = start();
  let step = transaction.next();
  if (step.done === true) return step.value;
  const connection = await openSession(slot);
  const mark = ++lastMark;
  const opening: Query[] = [BEGIN, { ...MARK, values: [slot.name, mark] }];
  let isEnding = false;
  try {
    while (step.done !== true) {
      const { statements, queries } = prepare(step.value);
      // Locks without queries are sent with the next step, which reads after them.
      if (step.value.every((statement) => 'lock' in statement)) {
        opening.push(...queries);
        step = transaction.next(expected(step.value));
        continue;
      }
      isEnding = step.value.isLast === true;
      const replies = await connection.runPipeline([...opening, ...queries, ...(isEnding ? [COMMIT] : [])]);
      if (isEnding) checkCommitted(replies.at(-1));
      const results = readReplies(statements, replies.slice(opening.length));
      opening.length = 0;
      step = transaction.next(results);
      if (isEnding) return finished(step);
    }
    isEnding = true;
    checkCommitted((await connection.runPipeline([...opening, COMMIT])).at(-1));
    return step.value;
  } catch (error) {
    if (connection.isLost || classifyError(error) === 'lost') {
      slot.drop();
      if (!isEnding || !(await isOnDisk(slot, mark, isClosed))) throw error;
      // The results are lost, but the transaction committed, so they were as expected.
      return step.done === true ? step.value : finished(transaction.next(expected(step.value)));
    }
    await rollBack(slot, connection);
    throw error;
  }
}

function finished<T>(step: IteratorResult<Step, T>): T {
  if (step.done !== true) throw new Error('A transaction continued after its last step.');
  return step.value;
}

/** The server replies to COMMIT with ROLLBACK when the transaction had failed. */
function checkCommitted(reply: Reply | undefined): void {
  if (reply?.command !== 'COMMIT') throw new Error(`PostgreSQL replied ${reply?.command} to COMMIT.`);
}

function expected(step: Step): StatementResult[] {
  return step.map((statement: Statement) => ({
    rows: [],
    changes: 'each' in statement ? statement.each.length : 1,
  }));
}

async function isOnDisk(slot: Slot, mark: number, isClosed: () => boolean): Promise<boolean> {
  return await retryUntilKnown(isClosed, async () => {
    const connection = await openSession(slot).catch((error: unknown) => {
      slot.drop();
      throw error;
    });
    const [reply] = await connection.runPipeline([{ text: READ_MARK, values: [slot.name] }]);
    return Number(reply?.rows[0]?.['mark'] ?? 0) >= mark;
  });
}

async function rollBack(slot: Slot, connection: Connection): Promise<void> {
  try {
    await connection.runPipeline([ROLLBACK]);
  } catch {
    slot.drop();
  }
}

/** Runs a read on one snapshot. The session may still be ending the transaction when the promise resolves. */
export async function read<T>(slot: Slot, start: () => Transaction<T>, within?: number): Promise<T> {
  const transaction = start();
  let step = transaction.next();
  if (step.done === true) return step.value;
  const connection = await openSession(slot);
  let opening: Query[] = [BEGIN_READING];
  try {
    while (step.done !== true) {
      const { statements, queries } = prepare(step.value);
      // A single statement is its own snapshot.
      if (step.value.isLast === true && opening.length > 0 && queries.length === 1) {
        const replies = await connection.runPipeline(queries, within);
        return finished(transaction.next(readReplies(statements, replies)));
      }
      const replies = await connection.runPipeline([...opening, ...queries], within);
      const results = readReplies(statements, replies.slice(opening.length));
      opening = [];
      step = transaction.next(results);
    }
  } catch (error) {
    if (connection.isLost || classifyError(error) === 'lost') slot.drop();
    else await rollBack(slot, connection);
    throw error;
  }
  // Not awaited: the next user of the session sends after it.
  connection.runPipeline([COMMIT]).catch(() => {});
  return step.value;
}

function prepare(step: readonly Statement[]): { statements: ReturnType<typeof compile>[]; queries: Query[] } {
  const statements = step.map(compile);
  return { statements, queries: statements.flatMap(({ queries }) => queries) };
}
