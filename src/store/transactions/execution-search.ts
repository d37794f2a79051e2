import type { ExecutionFilter, ExecutionSearch, SearchHit } from '../../ports/store/execution-reads.ts';
import type { ExecutionTrigger, NodeError } from '../../contract/execution.ts';
import { searchText } from '../../lib/text/search-text.ts';
import * as executions from '../queries/executions.ts';
import { selectAll, selectFirst, type Transaction, type Scalar } from '../statement.ts';
import { toCondition } from './execution-filter.ts';
import { candidatePattern, escapePattern } from './candidate-pattern.ts';
import { findTexts } from './value-search.ts';

/** Number of executions that one search covers. */
const MAX_SCANNED = 10_000;
const MAX_HITS = 1_000;
/** Number of bytes of errors or values in which one search looks for a word, and of those that it parses. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PARSED_BYTES = 16 * 1024 * 1024;
/** Number of candidates per statement, and about the bytes that are parsed without a pause. */
const PIECE_SIZE = 100;
const READ_BATCH_BYTES = 1024 * 1024;

/** `bytes`: of what is read of it: the error (null unless it is needed), and the values. */
type Candidate = {
  number: number;
  id: string;
  created_at: number;
  started_by: string;
  error: string | null;
  bytes: number;
};
type Hit = SearchHit & { row: Candidate };
type Found = { hits: Hit[]; searchedFrom: number | null };

/**
 * Searches the newest executions of a filter, at most `MAX_SCANNED`. SQL selects candidates by the stored
 * JSON; each is then checked exactly. Words are looked for in the errors of the newest failed executions, of
 * which there is an index, and in the values of the newest executions.
 */
export function* searchExecutions(
  ownerId: string,
  filter: ExecutionFilter,
  search: ExecutionSearch,
): Transaction<{ hits: SearchHit[]; searchedFrom: number | null }> {
  const { words = [], failedNode } = search;
  const hasWords = words.length > 0;
  const mayHaveFailed = filter.status === undefined || filter.status === 'failed';
  const failed: ExecutionFilter = { ...filter, status: 'failed' };
  const parts: Found[] = [];
  if (!hasWords && failedNode === undefined) parts.push(yield* searchNewest(ownerId, filter, search, 'head'));
  else if (mayHaveFailed) parts.push(yield* searchNewest(ownerId, failed, search, 'error'));
  if (hasWords && (failedNode === undefined || mayHaveFailed))
    parts.push(yield* searchNewest(ownerId, failedNode === undefined ? filter : failed, search, 'values'));
  return merge(parts);
}

/** What is searched. */
type SearchPart = 'head' | 'error' | 'values';

function* searchNewest(
  ownerId: string,
  filter: ExecutionFilter,
  search: ExecutionSearch,
  part: SearchPart,
): Transaction<Found> {
  const base = toCondition(ownerId, filter);
  const bound = yield* selectFirst<{ created_at: number }>(
    executions.selectCreatedAt(base.condition),
    ...base.params,
    MAX_SCANNED,
  );
  const after = bound?.created_at ?? -1;
  const { condition, params } = toCandidates(search, part);
  const sql = executions.selectCandidates([base.condition, ...condition].join(' AND '), {
    error: part === 'error' || search.failedNode !== undefined,
    values: part === 'values',
  });
  const hits: Hit[] = [];
  const left = { bytes: MAX_BYTES, parsedBytes: MAX_PARSED_BYTES };
  let last: Pick<Candidate, 'created_at' | 'number'> = { created_at: Number.MAX_SAFE_INTEGER, number: 0 };
  for (;;) {
    const from = [after, last.created_at, last.created_at, last.number];
    const piece = yield* selectAll<Candidate>(sql, ...base.params, ...params, ...from, PIECE_SIZE);
    const read = takeAtOnce(piece);
    const wanted = read.filter((row) => matches(row, search));
    const texts =
      part === 'values' ? yield* findTexts(wanted, search.words ?? [], left) : findMessages(wanted, search);
    for (const row of wanted) {
      const found = texts.get(row.number);
      if (found !== undefined) hits.push({ id: row.id, texts: found, row });
      if (hits.length === MAX_HITS) return { hits, searchedFrom: row.created_at + 1 };
    }
    for (const { bytes } of read) left.bytes -= bytes;
    if (read.length === piece.length && piece.length < PIECE_SIZE)
      return { hits, searchedFrom: bound === null ? null : after + 1 };
    last = read.at(-1)!;
    if (left.bytes < 0 || left.parsedBytes < 0) return { hits, searchedFrom: last.created_at + 1 };
  }
}

/** The first rows of a piece, of about `READ_BATCH_BYTES` together. */
function takeAtOnce(piece: readonly Candidate[]): Candidate[] {
  let bytes = 0;
  const end = piece.findIndex((row) => (bytes += row.bytes) >= READ_BATCH_BYTES);
  return end === -1 ? [...piece] : piece.slice(0, end + 1);
}

/** The messages of errors that contain all words, by number of the execution. */
function findMessages(rows: readonly Candidate[], { words = [] }: ExecutionSearch): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { number, error } of rows) {
    const message = error === null ? null : (JSON.parse(error) as NodeError).message;
    const text = message === null ? '' : searchText(message);
    if (words.every((word) => text.includes(searchText(word))))
      found.set(number, message === null ? [] : [message]);
  }
  return found;
}

/** The hits of all parts, newest first. What one part has not searched is not searched. */
function merge(parts: readonly Found[]): { hits: SearchHit[]; searchedFrom: number | null } {
  const byNumber = new Map<number, Hit>();
  for (const { hits } of parts)
    for (const hit of hits) {
      const other = byNumber.get(hit.row.number);
      byNumber.set(
        hit.row.number,
        other === undefined ? hit : { ...hit, texts: [...other.texts, ...hit.texts] },
      );
    }
  const hits = [...byNumber.values()]
    .toSorted((a, b) => b.row.created_at - a.row.created_at || b.row.number - a.row.number)
    .map(({ id, texts }) => ({ id, texts }));
  const from = parts.flatMap(({ searchedFrom }) => searchedFrom ?? []);
  return { hits, searchedFrom: from.length === 0 ? null : Math.max(...from) };
}

function toCandidates(
  { idPrefix, words = [], failedNode, trigger }: ExecutionSearch,
  part: SearchPart,
): { condition: string[]; params: Scalar[] } {
  const patterns = [
    ...(words.length === 0 || part !== 'error' ? [] : [candidatePattern(words)]),
    ...(failedNode === undefined ? [] : [`%"node_id":"${escapePattern(failedNode)}"%`]),
  ];
  const by = { id: idPrefix !== undefined, error: patterns.length, trigger: trigger !== undefined };
  const condition = Object.values(by).some(Boolean) ? [executions.search(by)] : [];
  const params: Scalar[] = idPrefix === undefined ? [] : [idPrefix, `${idPrefix}\u{10ffff}`];
  params.push(...patterns);
  if (trigger !== undefined) params.push(`%"type":"${trigger}"%`);
  return { condition, params };
}

function matches(row: Candidate, { failedNode, trigger }: ExecutionSearch): boolean {
  if (trigger !== undefined && (JSON.parse(row.started_by) as ExecutionTrigger).type !== trigger)
    return false;
  if (failedNode === undefined) return true;
  return row.error !== null && (JSON.parse(row.error) as NodeError).node_id === failedNode;
}
