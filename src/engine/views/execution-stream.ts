import type { ExecutionStream, ExecutionStreamEvent } from '../engine-api.ts';
import type { Graph } from '../graph/graph.ts';
import type { replayJournal } from '../journal/replay.ts';
import type { ExecutionIdentity } from '../state/execution-data.ts';
import type { NodeRun } from '../state/frame.ts';
import { createReplayPages } from './replay-pages.ts';

type NodeEntry = Extract<ExecutionStreamEvent, { node: object }>;

/**
 * Reads the events of an execution by replaying the journal. The id of an event is the number of the
 * journal's event that it follows from and its position among those, `12.0`.
 */
export function createExecutionStream(
  deps: Parameters<typeof replayJournal>[0],
  graph: Graph,
  execution: ExecutionIdentity & { ownerId: string },
): ExecutionStream {
  return createReplayPages<ExecutionStreamEvent>(deps, graph, execution, (state, add) => {
    const awaited = new Set<string>();
    let number = 0;
    let position = 0;
    let isDone = false;
    const nextId = (): string => `${number}.${position++}`;
    const append = (run: NodeRun, event: NodeEntry['event']): void =>
      add({ id: nextId(), at: state.at, node: { id: run.node.id, path: run.path }, event });
    state.observer = {
      reported: append,
      stopped(run) {
        if (run.node.type.streamEvents !== undefined) append(run, { type: 'discarded', isFinal: true });
      },
      eventAwaited(run) {
        // A node that was reminded waits again.
        if (awaited.has(run.path)) return;
        awaited.add(run.path);
        append(run, { type: 'waiting' });
      },
      attempted(run, event) {
        if (run.node.type.streamEvents === undefined) return;
        if (event === 'start') append(run, { type: 'started' });
        else append(run, { type: 'discarded', isFinal: event === 'fail' });
      },
    };
    return () => {
      const { settled } = state;
      if (settled !== null && !isDone) {
        isDone = true;
        const { status, output, error } = settled;
        add({ id: nextId(), at: settled.at, node: null, event: { type: 'done', status, output, error } });
      }
      number++;
      position = 0;
    };
  });
}
