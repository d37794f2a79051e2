import type { LogEntry } from '../../contract/execution.ts';
import type { ExecutionLog } from '../engine-api.ts';
import type { Graph } from '../graph/graph.ts';
import type { replayJournal } from '../journal/replay.ts';
import type { ExecutionIdentity } from '../state/execution-data.ts';
import { createReplayPages } from './replay-pages.ts';

/** Reads the log by replaying the journal. */
export function createExecutionLog(
  deps: Parameters<typeof replayJournal>[0],
  graph: Graph,
  execution: ExecutionIdentity & { ownerId: string },
): ExecutionLog {
  return createReplayPages<LogEntry>(deps, graph, execution, (state, add) => {
    state.observer = {
      logged: (timestamp, level, nodeId, message, data) => add({ timestamp, level, nodeId, message, data }),
    };
    return () => {};
  });
}
