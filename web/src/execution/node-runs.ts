import type { ExecutionDetail, NodeRun } from 'weft-client';
import { client } from '../data/client.ts';

/** Runs of nodes in one answer of an execution, and in a page of the rest. */
export const FIRST = 1_000;
const PAGE = 100;
/** Pages that are read at a time. */
const AT_ONCE = 5;

/**
 * The runs of nodes of an execution as far as they have been read: the first thousand come with it, the newest page with them, the
 * middle when somebody asks.
 */
export type NodeRuns = {
  readonly nodes: readonly NodeRun[];
  readonly total: number;
  /** Pages that have been read, counted from 1. */
  readonly pages: ReadonlySet<number>;
};

export function isWhole({ nodes, total }: NodeRuns): boolean {
  return nodes.length >= total;
}

/** What came with the execution, and its end. */
export async function endsOf(execution: ExecutionDetail, signal: AbortSignal): Promise<NodeRuns> {
  const { nodes } = execution;
  const whole: NodeRuns = {
    nodes,
    total: nodes.length,
    pages: new Set(Array.from({ length: Math.floor(nodes.length / PAGE) }, (_, at) => at + 1)),
  };
  // Fewer came where the data is large: then a page may be, too, and the rest is left to the asking.
  if (nodes.length < FIRST) return whole;
  const next = await page(execution.id, whole.pages.size + 1, signal);
  const known = { ...withPage(whole, whole.pages.size + 1, next.nodes), total: next.total };
  const last = Math.ceil(next.total / PAGE);
  if (known.pages.has(last)) return known;
  return withPage(known, last, (await page(execution.id, last, signal)).nodes);
}

/** The next pages that are missing. */
export async function moreOf(id: string, runs: NodeRuns, signal: AbortSignal): Promise<NodeRuns> {
  const missing: number[] = [];
  for (let at = 1; at <= Math.ceil(runs.total / PAGE) && missing.length < AT_ONCE; at++)
    if (!runs.pages.has(at)) missing.push(at);
  const pages = await Promise.all(missing.map((at) => page(id, at, signal)));
  return missing.reduce((known, at, index) => withPage(known, at, pages[index]!.nodes), runs);
}

async function page(
  id: string,
  at: number,
  signal: AbortSignal,
): Promise<{ nodes: readonly NodeRun[]; total: number }> {
  const { nodes, pagination } = await client.executions.nodes.list(id, { page: at, limit: PAGE }, { signal });
  return { nodes, total: pagination.total };
}

function withPage(runs: NodeRuns, at: number, nodes: readonly NodeRun[]): NodeRuns {
  const known = new Set(runs.nodes.map(({ path }) => path));
  return {
    ...runs,
    nodes: [...runs.nodes, ...nodes.filter(({ path }) => !known.has(path))],
    pages: new Set([...runs.pages, at]),
  };
}
