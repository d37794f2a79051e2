import type { ExecutionDetail, NodeRun } from 'weft-client';
import { client } from '../data/client.ts';

/** Runs of nodes in one answer of an execution, and in a page of the rest. */
export const FIRST = 1_000;
const PAGE = 100;
/** Pages that are read at a time. */
const AT_ONCE = 5;

/**
 * The runs of nodes of an execution as far as they have been read, in their order: the first thousand come with it, the newest page
 * with them, the middle when somebody asks.
 */
export type NodeRuns = {
  readonly nodes: readonly NodeRun[];
  readonly total: number;
  /** What has been read, by the number of the page, from 1. */
  readonly pages: ReadonlyMap<number, readonly NodeRun[]>;
};

export function isWhole({ nodes, total }: NodeRuns): boolean {
  return nodes.length >= total;
}

/** What came with the execution, and its end. */
export async function endsOf(execution: ExecutionDetail, signal: AbortSignal): Promise<NodeRuns> {
  const { nodes } = execution;
  // Fewer came where the data is large: then a page may be, too, and the rest is left to the asking.
  if (nodes.length < FIRST) return { nodes, total: nodes.length, pages: new Map() };
  const pages = new Map<number, readonly NodeRun[]>();
  for (let at = 1; at * PAGE <= nodes.length; at++) pages.set(at, nodes.slice((at - 1) * PAGE, at * PAGE));
  const next = await page(execution.id, pages.size + 1, signal);
  pages.set(pages.size + 1, next.nodes);
  const last = Math.ceil(next.total / PAGE);
  if (last > 0 && !pages.has(last)) pages.set(last, (await page(execution.id, last, signal)).nodes);
  return runsOf(next.total, pages);
}

/** The next pages that are missing. */
export async function moreOf(id: string, runs: NodeRuns, signal: AbortSignal): Promise<NodeRuns> {
  const missing: number[] = [];
  for (let at = 1; at <= Math.ceil(runs.total / PAGE) && missing.length < AT_ONCE; at++)
    if (!runs.pages.has(at)) missing.push(at);
  const read = await Promise.all(missing.map((at) => page(id, at, signal)));
  const found = missing.map((at, index): [number, readonly NodeRun[]] => [at, read[index]!.nodes]);
  return runsOf(runs.total, new Map([...runs.pages, ...found]));
}

async function page(
  id: string,
  at: number,
  signal: AbortSignal,
): Promise<{ nodes: readonly NodeRun[]; total: number }> {
  const { nodes, pagination } = await client.executions.nodes.list(id, { page: at, limit: PAGE }, { signal });
  return { nodes, total: pagination.total };
}

function runsOf(total: number, pages: ReadonlyMap<number, readonly NodeRun[]>): NodeRuns {
  const inOrder = [...pages].toSorted(([a], [b]) => a - b);
  return { nodes: inOrder.flatMap(([, nodes]) => nodes), total, pages };
}
