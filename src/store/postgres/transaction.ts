import type { Answer, Procedure, Statement, Step } from '../statement.ts';
import { untilKnown } from './retry.ts';
import { readReplies, compile, type Query } from './compile.ts';
import type { Connection, Reply } from './connection.ts';
import { classifyError } from './failure.ts';
import type { Slot } from './pool.ts';

/*
 * A connection that is lost while COMMIT is under way leaves nobody to say what became of it. So each writing transaction first
 * moves a mark, a row that belongs to its slot alone. Whoever reads the mark again, waiting for whatever still has it locked,
 * knows: it moved, or it did not. Nothing is ever written a second time on a guess.
 */
const MARK = {
  name: 'w_mark',
  text: `INSERT INTO write_marks (slot, mark) VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark`,
};
const READ_MARK = 'SELECT mark FROM write_marks WHERE slot = $1 FOR UPDATE';
/** What is left of earlier connections of this slot: it would hold its locks until the server notices that they are gone. */
const END_FORMER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()`;

const BEGIN: Query = { text: 'BEGIN' };
const BEGIN_READING: Query = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' };
const COMMIT: Query = { text: 'COMMIT' };
const ROLLBACK: Query = { text: 'ROLLBACK' };

/** Marks only grow, over all slots of this process. */
let lastMark = 0;

/** The session of a slot; what is left of a former one is ended. */
export async function sessionOf(slot: Slot): Promise<Connection> {
  const { connection, isNew } = await slot.connect();
  if (isNew) await connection.flight([{ text: END_FORMER, values: [slot.name] }]);
  return connection;
}

/**
 * Runs a procedure in a transaction that is on disk when this resolves. When it rejects, nothing was written: whether a COMMIT
 * without an answer was one is found out before, however long that takes.
 */
export async function write<T>(slot: Slot, start: () => Procedure<T>, isClosed: () => boolean): Promise<T> {
  const procedure = start();
  let step = procedure.next();
  if (step.done === true) return step.value;
  const connection = await sessionOf(slot);
  const mark = ++lastMark;
  const opening: Query[] = [BEGIN, { ...MARK, values: [slot.name, mark] }];
  let isEnding = false;
  try {
    while (step.done !== true) {
      const { statements, queries } = prepare(step.value);
      // Locks alone go along with what is read behind them.
      if (step.value.every((statement) => 'lock' in statement)) {
        opening.push(...queries);
        step = procedure.next(expected(step.value));
        continue;
      }
      isEnding = step.value.isLast === true;
      const replies = await connection.flight([...opening, ...queries, ...(isEnding ? [COMMIT] : [])]);
      if (isEnding) checkCommitted(replies.at(-1));
      const answers = readReplies(statements, replies.slice(opening.length));
      opening.length = 0;
      step = procedure.next(answers);
      if (isEnding) return finished(step);
    }
    isEnding = true;
    checkCommitted((await connection.flight([...opening, COMMIT])).at(-1));
    return step.value;
  } catch (error) {
    if (connection.isLost || classifyError(error) === 'lost') {
      slot.drop();
      if (!isEnding || !(await isOnDisk(slot, mark, isClosed))) throw error;
      // The answers are gone; what is on disk is what the procedure wanted, or the transaction would not have been one.
      return step.done === true ? step.value : finished(procedure.next(expected(step.value)));
    }
    await rollBack(slot, connection);
    throw error;
  }
}

function finished<T>(step: IteratorResult<Step, T>): T {
  if (step.done !== true) throw new Error('A procedure went on behind its last step.');
  return step.value;
}

/** The server answers a COMMIT of a transaction that had failed with ROLLBACK. */
function checkCommitted(reply: Reply | undefined): void {
  if (reply?.command !== 'COMMIT') throw new Error(`PostgreSQL answered ${reply?.command} to COMMIT.`);
}

function expected(step: Step): Answer[] {
  return step.map((statement: Statement) => ({
    rows: [],
    changes: 'each' in statement ? statement.each.length : 1,
  }));
}

async function isOnDisk(slot: Slot, mark: number, isClosed: () => boolean): Promise<boolean> {
  return await untilKnown(isClosed, async () => {
    const connection = await sessionOf(slot).catch((error: unknown) => {
      slot.drop();
      throw error;
    });
    const [reply] = await connection.flight([{ text: READ_MARK, values: [slot.name] }]);
    return Number(reply?.rows[0]?.['mark'] ?? 0) >= mark;
  });
}

async function rollBack(slot: Slot, connection: Connection): Promise<void> {
  try {
    await connection.flight([ROLLBACK]);
  } catch {
    slot.drop();
  }
}

/** Runs a reading procedure on one snapshot. The session may still be ending it when this resolves. */
export async function read<T>(slot: Slot, start: () => Procedure<T>, within?: number): Promise<T> {
  const procedure = start();
  let step = procedure.next();
  if (step.done === true) return step.value;
  const connection = await sessionOf(slot);
  let opening: Query[] = [BEGIN_READING];
  try {
    while (step.done !== true) {
      const { statements, queries } = prepare(step.value);
      // One statement is a snapshot by itself.
      if (step.value.isLast === true && opening.length > 0 && queries.length === 1) {
        const replies = await connection.flight(queries, within);
        return finished(procedure.next(readReplies(statements, replies)));
      }
      const replies = await connection.flight([...opening, ...queries], within);
      const answers = readReplies(statements, replies.slice(opening.length));
      opening = [];
      step = procedure.next(answers);
    }
  } catch (error) {
    if (connection.isLost || classifyError(error) === 'lost') slot.drop();
    else await rollBack(slot, connection);
    throw error;
  }
  // Nobody waits for this: the next user of the session sends behind it.
  connection.flight([COMMIT]).catch(() => {});
  return step.value;
}

function prepare(step: readonly Statement[]): { statements: ReturnType<typeof compile>[]; queries: Query[] } {
  const statements = step.map(compile);
  return { statements, queries: statements.flatMap(({ queries }) => queries) };
}
