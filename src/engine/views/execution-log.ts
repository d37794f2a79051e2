import type { LogEntry } from '../../contract/execution.ts';
import type { ExecutionLog } from '../engine-api.ts';
import { replayJournal } from '../journal/replay.ts';
import type { Graph } from '../graph/graph.ts';
import type { ExecutionIdentity } from '../state/execution-data.ts';
import { ExecutionState } from '../state/execution-state.ts';

/** Entries after which a page ends, at the next row of the journal. */
const PAGE_SIZE = 1_000;

/** Reads the log by replaying the journal; only values that later events can still reach stay in memory. */
export function createExecutionLog(
  deps: Parameters<typeof replayJournal>[0],
  graph: Graph,
  execution: ExecutionIdentity & { ownerId: string },
): ExecutionLog {
  const state = new ExecutionState(graph, execution, null);
  let entries: LogEntry[] = [];
  state.observer = {
    logged: (timestamp, level, nodeId, message, data) =>
      entries.push({ timestamp, level, nodeId, message, data }),
  };
  let from = 0;
  return {
    async next() {
      const { next, isWhole } = await replayJournal(
        deps,
        execution,
        from,
        (event) => {
          state.apply(event);
          // A view starts no nodes.
          state.ready = [];
        },
        () => entries.length >= PAGE_SIZE,
      );
      from = next;
      const page = entries;
      entries = [];
      return { entries: page, isWhole };
    },
  };
}
