import type { ColumnKind } from './binary-array.ts';

/** The counter rows of one connection: each writing connection has its own, so that none is contended. */
export const shard = `current_setting('weft.shard')::bigint`;

/** A batch: `$1` is the first column of all rows, and so on. */
export type BatchSql = { readonly text: string; readonly kinds: readonly ColumnKind[] };

const KIND_BY_LETTER: Record<string, ColumnKind> = { t: 'text', n: 'bigint', f: 'float8' };

/**
 * `columns`: `id:t fence:n`, the names and types of the parameters; `rows` in the text is replaced by their
 * table, named `v`.
 */
export function createBatchSql(columns: string, text: string): BatchSql {
  const pairs = columns.split(' ').map((column) => column.split(':') as [string, string]);
  const kinds = pairs.map(([, kind]) => KIND_BY_LETTER[kind]!);
  const arrays = kinds.map((kind, i) => `$${i + 1}::${kind}[]`).join(', ');
  return { text: text.replace('rows', `unnest(${arrays}) AS v (${listNames(columns)})`), kinds };
}

/** Only the names of these columns, each with `prefix`. */
export function listNames(columns: string, prefix = ''): string {
  return columns
    .split(' ')
    .map((column) => prefix + column.split(':')[0]!)
    .join(', ');
}

/** The parameters of `executions.insert`. */
export const insertColumns =
  `id:t owner_id:t workflow_id:t workflow_version:n status:t started_by:t error:t progress:f current_node:t
created_at:n start_time:n end_time:n parent_id:t retry_of:t retention:n expires_at:n worker:t fence:n next_seq:n dedupe_scope:t
dedupe_key:t events:t`.replaceAll('\n', ' ');
