/*
 * The interface between the store and a database.
 *
 * Each operation is a generator that yields lists of statements, receives their results, and returns the
 * result of the operation. It depends on neither threads nor connections, so the same generator runs
 * synchronously in SQLite's writer thread and asynchronously over a PostgreSQL connection. The runner wraps
 * it in one transaction, which an exception rolls back. A generator therefore decides first (reads) and
 * writes last.
 *
 * The SQL is common to both databases: placeholders `?`, JSON as text, times as integers (ms), booleans as 0
 * or 1.
 */

export type Scalar = string | number | null;
export type Row = Record<string, Scalar>;

export type One = { sql: string; params: readonly Scalar[] };
/**
 * One statement with a list of parameter sets: the result has the rows of all, and the sum of the changes.
 */
export type RepeatedStatement = { sql: string; each: readonly (readonly Scalar[])[] };
/**
 * A lock until the end of the transaction: no other transaction holds the same name exclusively meanwhile
 * (or, for an exclusive lock, at all). A database with a single writer ignores it.
 */
export type Lock = { lock: 'shared' | 'exclusive'; names: readonly string[] };
export type Statement = One | RepeatedStatement | Lock;

/**
 * `isLast`: no other step follows, so the transaction may be committed together with these statements,
 * whatever they return.
 */
export type Step = readonly Statement[] & { readonly isLast?: true };

/** `changes`: number of rows written; for a query, number of rows found. */
export type StatementResult = { rows: Row[]; changes: number };

export type Transaction<T> = Generator<Step, T, StatementResult[]>;

/** Runs one query and returns its rows. */
export function* selectAll<R>(sql: string, ...params: Scalar[]): Transaction<R[]> {
  const [result] = yield [{ sql, params }];
  return (result?.rows ?? []) as R[];
}

/** Runs one query and returns its first row, or null. */
export function* selectFirst<R>(sql: string, ...params: Scalar[]): Transaction<R | null> {
  const [result] = yield [{ sql, params }];
  return (result?.rows[0] ?? null) as R | null;
}

/** Runs one writing statement and returns how many rows it changed. */
export function* change(sql: string, ...params: Scalar[]): Transaction<number> {
  const [result] = yield [{ sql, params }];
  return result?.changes ?? 0;
}

/** Locks these names exclusively until the end of the transaction. */
export function* lock(...names: string[]): Transaction<void> {
  yield [{ lock: 'exclusive', names }];
}

/** Marks the statements that end a transaction: see `Step`. */
export function markLastStep(statements: readonly Statement[]): Step {
  return Object.assign([...statements], { isLast: true as const });
}

/** `?, ?, ?` for a list, padded to few different lengths so that prepared statements are reused. */
export function createPlaceholders(values: readonly Scalar[]): { text: string; params: Scalar[] } {
  let size = 1;
  while (size < values.length) size *= 2;
  const params: Scalar[] = [...values];
  const filler = values.at(-1) ?? null;
  while (params.length < size) params.push(filler);
  return { text: params.map(() => '?').join(', '), params };
}
