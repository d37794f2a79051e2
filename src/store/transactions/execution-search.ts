import type { ExecutionFilter, ExecutionSearch, SearchHit } from '../../ports/store/execution-reads.ts';
import type { ExecutionTrigger, NodeError } from '../../contract/execution.ts';
import * as executions from '../queries/executions.ts';
import { searchText } from '../search-text.ts';
import { all, first, type Transaction, type Scalar } from '../statement.ts';
import { toCondition } from './execution-filter.ts';

/** Number of executions that one search covers. */
const MAX_SCANNED = 10_000;
const MAX_HITS = 1_000;
/** Number of bytes of errors that one search reads. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Number of candidates per statement: each may have a long error. */
const PIECE_SIZE = 100;

type Candidate = {
  number: number;
  id: string;
  created_at: number;
  started_by: string;
  error: string | null;
};

/**
 * Searches the newest executions of a filter, at most `MAX_SCANNED`. SQL selects candidates by the stored JSON;
 * each is then checked exactly.
 */
export function* searchExecutions(
  ownerId: string,
  filter: ExecutionFilter,
  search: ExecutionSearch,
): Transaction<{ hits: SearchHit[]; searchedFrom: number | null }> {
  const base = toCondition(ownerId, filter);
  const bound = yield* first<{ created_at: number }>(
    executions.selectCreatedAt(base.condition),
    ...base.params,
    MAX_SCANNED,
  );
  const after = bound?.created_at ?? -1;
  const { condition, params } = toCandidates(search);
  const sql = executions.candidates(`${base.condition} AND ${condition}`);
  const hits: SearchHit[] = [];
  let bytes = 0;
  let last: Pick<Candidate, 'created_at' | 'number'> = { created_at: Number.MAX_SAFE_INTEGER, number: 0 };
  for (;;) {
    const key = [after, last.created_at, last.created_at, last.number];
    const rows = yield* all<Candidate>(sql, ...base.params, ...params, ...key, PIECE_SIZE);
    for (const row of rows) {
      bytes += row.error?.length ?? 0;
      last = row;
      if (matches(row, search)) hits.push(toHit(row));
      if (hits.length === MAX_HITS || bytes > MAX_BYTES) return { hits, searchedFrom: row.created_at + 1 };
    }
    if (rows.length < PIECE_SIZE) return { hits, searchedFrom: bound === null ? null : after + 1 };
  }
}

function toCandidates({ idPrefix, words = [], failedNode, trigger }: ExecutionSearch): {
  condition: string;
  params: Scalar[];
} {
  const patterns = [
    // The longest word probably selects best; the others are checked afterwards.
    ...(words.length === 0 ? [] : [`%${escaped(words.toSorted((a, b) => b.length - a.length)[0]!)}%`]),
    ...(failedNode === undefined ? [] : [`%"node_id":"${escaped(failedNode)}"%`]),
  ];
  const condition = executions.search({
    id: idPrefix !== undefined,
    error: patterns.length,
    trigger: trigger !== undefined,
  });
  const params: Scalar[] = idPrefix === undefined ? [] : [idPrefix, `${idPrefix}\u{10ffff}`];
  params.push(...patterns.map((pattern) => pattern.toLowerCase()));
  if (trigger !== undefined) params.push(`%"type":"${trigger}"%`);
  return { condition, params };
}

/** `%` replaces characters that JSON may escape, and those whose case SQL does not know. */
function escaped(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9 .:/-]/g, '%');
}

function matches(row: Candidate, { words = [], failedNode, trigger }: ExecutionSearch): boolean {
  if (trigger !== undefined && (JSON.parse(row.started_by) as ExecutionTrigger).type !== trigger)
    return false;
  if (words.length === 0 && failedNode === undefined) return true;
  const error = row.error === null ? null : (JSON.parse(row.error) as NodeError);
  if (error === null || (failedNode !== undefined && error.node_id !== failedNode)) return false;
  const message = searchText(error.message);
  return words.every((word) => message.includes(searchText(word)));
}

function toHit(row: Candidate): SearchHit {
  return { id: row.id, message: row.error === null ? null : (JSON.parse(row.error) as NodeError).message };
}
