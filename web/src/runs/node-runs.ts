import type { ExecutionDetail, NodeRun } from 'weft-client';
import { client } from '../data/client.ts';

/** The number of node runs in each page after those in the response for an execution. */
const PAGE_SIZE = 100;
/** The number of node runs in the response for an execution, unless their data is large. */
const MAX_FIRST_RUNS = 1_000;
/** The number of pages loaded at a time. */
const MAX_PARALLEL_REQUESTS = 5;

/**
 * The loaded node runs in order: the first thousand come with the execution, or fewer if their data is large.
 * Then the last page is loaded, and those between on request.
 */
export type NodeRuns = {
  readonly nodes: readonly NodeRun[];
  readonly total: number;
  /** The loaded pages by number, from 1. */
  readonly pages: ReadonlyMap<number, readonly NodeRun[]>;
};

export function isWhole({ nodes, total }: NodeRuns): boolean {
  return nodes.length >= total;
}

/** The runs included in the execution, and the last page. */
export async function loadFirstAndLastRuns(
  execution: ExecutionDetail,
  signal: AbortSignal,
): Promise<NodeRuns> {
  const { nodes, nodes_total: total } = execution;
  const pages = new Map<number, readonly NodeRun[]>();
  for (let pageNumber = 1; pageNumber * PAGE_SIZE <= nodes.length; pageNumber++)
    pages.set(pageNumber, nodes.slice((pageNumber - 1) * PAGE_SIZE, pageNumber * PAGE_SIZE));
  const first = { nodes, total, pages };
  // If the data of the first runs is large, further pages may be large, too: they are loaded on request.
  if (isWhole(first) || nodes.length < MAX_FIRST_RUNS) return first;
  const last = Math.ceil(total / PAGE_SIZE);
  pages.set(last, (await page(execution.id, last, signal)).nodes);
  return joinPages(total, pages);
}

/** The next missing pages. */
export async function loadMoreRuns(id: string, runs: NodeRuns, signal: AbortSignal): Promise<NodeRuns> {
  const missing: number[] = [];
  for (
    let pageNumber = 1;
    pageNumber <= Math.ceil(runs.total / PAGE_SIZE) && missing.length < MAX_PARALLEL_REQUESTS;
    pageNumber++
  )
    if (!runs.pages.has(pageNumber)) missing.push(pageNumber);
  const read = await Promise.all(missing.map((pageNumber) => page(id, pageNumber, signal)));
  const found = missing.map((pageNumber, index): [number, readonly NodeRun[]] => [
    pageNumber,
    read[index]!.nodes,
  ]);
  return joinPages(runs.total, new Map([...runs.pages, ...found]));
}

async function page(
  id: string,
  pageNumber: number,
  signal: AbortSignal,
): Promise<{ nodes: readonly NodeRun[]; total: number }> {
  const { nodes, pagination } = await client.executions.nodes.list(
    id,
    { page: pageNumber, limit: PAGE_SIZE },
    { signal },
  );
  return { nodes, total: pagination.total };
}

function joinPages(total: number, pages: ReadonlyMap<number, readonly NodeRun[]>): NodeRuns {
  const inOrder = [...pages].toSorted(([a], [b]) => a - b);
  return { nodes: inOrder.flatMap(([, nodes]) => nodes), total, pages };
}
