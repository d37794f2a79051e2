import type { StatementResult, Scalar, Statement } from '../statement.ts';
import { encodeColumn } from './binary-array.ts';
import { batches, sqlOverrides } from './sql-overrides.ts';
import { toText } from './text.ts';

/** A query as sent to the server. A named query is prepared once per connection. */
export type Query = {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
};

/** One statement as queries, whose results together form its result. */
export type Compiled = { readonly queries: readonly Query[] };

type Prepared = { name: string; text: string };

const singles = new Map<string, Prepared>();
const whole = new Map<string, Prepared>();
let names = 0;

const lockText = {
  shared: prepareLock('pg_advisory_xact_lock_shared'),
  exclusive: prepareLock('pg_advisory_xact_lock'),
};

/** Locks in a fixed order, so that two transactions never deadlock. */
function prepareLock(verb: string): Prepared {
  const text = `SELECT ${verb}(k.k) FROM (SELECT DISTINCT hashtextextended(n, 0) AS k FROM unnest($1::text[]) AS n ORDER BY 1) AS k`;
  return { name: `w_${verb}`, text };
}

/** Translates a statement into PostgreSQL's SQL. */
export function compile(statement: Statement): Compiled {
  if ('lock' in statement) {
    const rows = statement.names.map((name) => [name]);
    return { queries: [{ ...lockText[statement.lock], values: [encodeColumn('text', rows, 0)] }] };
  }
  if ('params' in statement) return { queries: [compileOne(statement.sql, statement.params)] };
  const { sql, each } = statement;
  const batch = batches.get(sql);
  if (batch === undefined || each.length === 0)
    return { queries: each.map((params) => compileOne(sql, params)) };
  const { name, text } = prepared(whole, sql, () => batch.text);
  return { queries: [{ name, text, values: batch.kinds.map((kind, at) => encodeColumn(kind, each, at)) }] };
}

function compileOne(sql: string, params: readonly Scalar[]): Query {
  const { name, text } = prepared(singles, sql, () => numbered(sqlOverrides.get(sql) ?? sql));
  return { name, text, values: params.map((value) => (typeof value === 'string' ? toText(value) : value)) };
}

function prepared(known: Map<string, Prepared>, sql: string, spell: () => string): Prepared {
  let found = known.get(sql);
  if (found === undefined) known.set(sql, (found = { name: `w${names++}`, text: spell() }));
  return found;
}

/** `?` as `$1`, `$2`, … No statement contains a question mark in a string. */
function numbered(sql: string): string {
  let n = 0;
  return sql.replaceAll('?', () => `$${++n}`);
}

/** Combines the results of all queries into the results of their statements, in order. */
export function readReplies(
  compiled: readonly Compiled[],
  results: readonly StatementResult[],
): StatementResult[] {
  let at = 0;
  return compiled.map(({ queries }) => {
    const own = results.slice(at, at + queries.length);
    at += queries.length;
    if (own.length === 1) return own[0]!;
    return {
      rows: own.flatMap(({ rows }) => rows),
      changes: own.reduce((sum, { changes }) => sum + changes, 0),
    };
  });
}
