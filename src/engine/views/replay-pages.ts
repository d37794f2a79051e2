import type { Graph } from '../graph/graph.ts';
import { replayJournal } from '../journal/replay.ts';
import type { ExecutionIdentity } from '../state/execution-data.ts';
import { ExecutionState } from '../state/execution-state.ts';

/** Entries after which a page ends, at the next row of the journal. */
const PAGE_SIZE = 1_000;

/**
 * Derives a list of entries from the journal, page by page; only values that later events can still reach
 * stay in memory. `watch` is called once with the state and a function that adds an entry; it returns what is
 * called after each event.
 */
export function createReplayPages<T>(
  deps: Parameters<typeof replayJournal>[0],
  graph: Graph,
  execution: ExecutionIdentity & { ownerId: string },
  watch: (state: ExecutionState, add: (entry: T) => void) => () => void,
): { next(): Promise<{ entries: T[]; isWhole: boolean }> } {
  const state = new ExecutionState(graph, execution, null);
  let entries: T[] = [];
  const applied = watch(state, (entry) => entries.push(entry));
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
          applied();
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
