import type { LogEntry } from '../contract/execution.ts';
import type { ExecutionLog } from './engine-api.ts';
import { replayJournal } from './replay.ts';
import type { Graph } from './graph.ts';
import type { ExecutionIdentity } from './execution-data.ts';
import { ExecutionState } from './execution-state.ts';

/** Entries after which a piece ends, at the next row of the journal. */
const PIECE = 1_000;

/** The log by folding, of which only what later events can still reach is kept. */
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
          // Nobody starts them here.
          state.ready = [];
        },
        () => entries.length >= PIECE,
      );
      from = next;
      const piece = entries;
      entries = [];
      return { entries: piece, isWhole };
    },
  };
}
