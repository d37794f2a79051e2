import type { ExecutionDetail, NodeRun } from 'weft-client';

/** The run whose data the editor shows, indexed by node. */
export type DisplayedRun = {
  readonly execution: ExecutionDetail;
  /** The runs of a node, oldest first. */
  of(nodeId: string): readonly NodeRun[];
  /** The newest run that was not skipped; otherwise the newest. */
  findNewest(nodeId: string): NodeRun | undefined;
};

export function createDisplayedRun(execution: ExecutionDetail): DisplayedRun {
  const byNode = new Map<string, NodeRun[]>();
  for (const run of execution.nodes) {
    const runs = byNode.get(run.node_id);
    if (runs === undefined) byNode.set(run.node_id, [run]);
    else runs.push(run);
  }
  return {
    execution,
    of: (nodeId) => byNode.get(nodeId) ?? [],
    findNewest: (nodeId) => {
      const runs = byNode.get(nodeId) ?? [];
      return runs.findLast((run) => run.start_time !== null) ?? runs.at(-1);
    },
  };
}
