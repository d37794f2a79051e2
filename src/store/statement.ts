/*
 * How the store talks to a database, without naming one.
 *
 * Each verb is a procedure: a generator that yields lists of statements, gets their answers, and returns the verb's
 * result. It knows neither threads nor connections, so the same procedure runs synchronously inside SQLite's writer
 * thread and asynchronously over a PostgreSQL connection. The runner wraps it in one transaction; whatever it throws
 * undoes that transaction. A procedure therefore decides first (reads) and writes last.
 *
 * The SQL is what both databases understand: placeholders `?`, JSON as text, times as integers (ms), booleans 0/1.
 */

export type Scalar = string | number | null;
export type Row = Record<string, Scalar>;

export type One = { sql: string; params: readonly Scalar[] };
/** The same statement for each of these parameters: its answer has the rows of all, and the changes summed. */
export type Many = { sql: string; each: readonly (readonly Scalar[])[] };
/**
 * What the procedure is about to decide on stays as it is until its transaction ends: no other transaction has the same name
 * exclusively meanwhile (or, for an exclusive lock, at all). A database with one writer has nothing to do for it.
 */
export type Lock = { lock: 'shared' | 'exclusive'; names: readonly string[] };
export type Statement = One | Many | Lock;

/** `isLast`: no other step follows; whatever the answers are, the transaction may be ended with these statements. */
export type Step = readonly Statement[] & { readonly isLast?: true };

/** `changes`: rows written; for a query, rows found. */
export type Answer = { rows: Row[]; changes: number };

export type Procedure<T> = Generator<Step, T, Answer[]>;

/** Runs one query and returns its rows. */
export function* all<R>(sql: string, ...params: Scalar[]): Procedure<R[]> {
  const [answer] = yield [{ sql, params }];
  return (answer?.rows ?? []) as R[];
}

/** Runs one query and returns its first row, or null. */
export function* first<R>(sql: string, ...params: Scalar[]): Procedure<R | null> {
  const [answer] = yield [{ sql, params }];
  return (answer?.rows[0] ?? null) as R | null;
}

/** Runs one writing statement and returns how many rows it changed. */
export function* change(sql: string, ...params: Scalar[]): Procedure<number> {
  const [answer] = yield [{ sql, params }];
  return answer?.changes ?? 0;
}

/** Holds these names for this transaction alone. */
export function* lock(...names: string[]): Procedure<void> {
  yield [{ lock: 'exclusive', names }];
}

/** The statements that end a transaction: see `Step`. */
export function lastStep(statements: readonly Statement[]): Step {
  return Object.assign([...statements], { isLast: true as const });
}

/** `?, ?, ?` for a list. Few different lengths, so that the statements stay cached. */
export function placeholders(values: readonly Scalar[]): { text: string; params: Scalar[] } {
  let size = 1;
  while (size < values.length) size *= 2;
  const params: Scalar[] = [...values];
  const filler = values.at(-1) ?? null;
  while (params.length < size) params.push(filler);
  return { text: params.map(() => '?').join(', '), params };
}
