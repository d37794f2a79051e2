import type { NodeRun } from './frame.ts';
import { ancestors, outermost, type Graph } from './graph.ts';
import type { BeginEvent } from './journal.ts';

/** Where an execution begins: at its entry, at nodes that are ready from the start, and at those that never run. */
export type InitialNode = { kind: 'entry' | 'ready' | 'skipped'; run: NodeRun };

/**
 * Of the root's node runs those with which an execution begins. It enters at one trigger, and skips the others; without a
 * trigger it enters everywhere that nothing leads to, with its input. `until` leaves out what that node does not need.
 */
export function beginning(graph: Graph, runs: readonly NodeRun[], event: BeginEvent): InitialNode[] {
  const target = event.until === undefined ? undefined : graph.nodes.get(event.until);
  const wanted = target === undefined ? null : ancestors(outermost(target));
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

/** Whether an execution that enters there comes to this node at all. */
export function isReachedFrom(graph: Graph, entry: string, nodeId: string): boolean {
  const target = graph.nodes.get(nodeId);
  const first = graph.nodes.get(entry);
  return target === undefined || first === undefined || ancestors(outermost(target)).has(first);
}
