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

export type Statement = { sql: string; params: readonly Scalar[] };

/** `changes`: rows written; for a query, rows found. */
export type Answer = { rows: Row[]; changes: number };

export type Procedure<T> = Generator<readonly Statement[], T, Answer[]>;

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

/** `?, ?, ?` for a list. Few different lengths, so that the statements stay cached. */
export function placeholders(values: readonly Scalar[]): { text: string; params: Scalar[] } {
  let size = 1;
  while (size < values.length) size *= 2;
  const params: Scalar[] = [...values];
  const filler = values.at(-1) ?? null;
  while (params.length < size) params.push(filler);
  return { text: params.map(() => '?').join(', '), params };
}
