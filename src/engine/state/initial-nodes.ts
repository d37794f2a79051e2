import type { NodeRun } from './frame.ts';
import { listAncestors, findRootNode, type Graph } from '../graph/graph.ts';
import type { BeginEvent } from '../journal/journal.ts';

/**
 * A node whose state is decided at the start: the entry, a node that is ready at once, or one that never
 * runs.
 */
export type InitialNode = { kind: 'entry' | 'ready' | 'skipped'; run: NodeRun };

/**
 * Lists the root's node runs whose state is decided at the start. An execution enters at one trigger and
 * skips the others; without triggers it enters at every node without incoming edges. `until` skips the nodes
 * that this node does not need.
 */
export function listInitialNodes(graph: Graph, runs: readonly NodeRun[], event: BeginEvent): InitialNode[] {
  const target = event.until === undefined ? undefined : graph.nodes.get(event.until);
  const wanted = target === undefined ? null : listAncestors(findRootNode(target));
  const hasTriggers = runs.some((run) => run.node.type.isTrigger);
  const skipped = wanted === null ? [] : runs.filter((run) => !wanted.has(run.node));
  const list: InitialNode[] = skipped.map((run) => ({ kind: 'skipped', run }));
  for (const run of runs) {
    if (wanted !== null && !wanted.has(run.node)) continue;
    if (run.node.type.isTrigger) list.push({ kind: run.node.id === event.entry ? 'entry' : 'skipped', run });
    else if (run.unresolved === 0) list.push({ kind: hasTriggers ? 'skipped' : 'ready', run });
  }
  return list;
}

/** Whether an execution that enters at `entry` can reach this node. */
export function isReachedFrom(graph: Graph, entry: string, nodeId: string): boolean {
  const target = graph.nodes.get(nodeId);
  const first = graph.nodes.get(entry);
  return target === undefined || first === undefined || listAncestors(findRootNode(target)).has(first);
}
