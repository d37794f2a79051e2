import { isSettled, type ExecutionDetail, type LogEntry } from 'weft-client';
import type { RunOverlay } from '../canvas/editor/run-overlay.ts';
import type { Edge } from '../canvas/model/graph-index.ts';
import { client } from '../data/client.ts';
import { faultText } from '../data/fault.ts';
import { createStore, type Store } from '../data/store.ts';
import { countsOf, LogStates, statesOf } from './run-states.ts';
import { shownRun, type ShownRun } from './shown-run.ts';

/** Lines of the log that are kept; the rest is read by pages on the page of the execution. */
const MOST_LINES = 1_000;
/** ms between two readings of a run that goes on, for its data. */
const READ_APART = 3_000;

/** The run that a canvas shows. */
export type RunState = {
  readonly run: ShownRun | null;
  readonly log: readonly LogEntry[];
  /** It is on its way, or goes on. */
  readonly isLive: boolean;
  /** Why it could not be shown. */
  readonly fault: string | null;
};

export type RunSession = {
  readonly state: Store<RunState>;
  /** Shows an execution, live for as long as it goes on. */
  show(id: string): void;
  /** Shows the newest of a workflow, where there is one. */
  showNewest(workflowId: string): void;
  clear(): void;
  close(): void;
};

const nothing: RunState = { run: null, log: [], isLive: false, fault: null };

/**
 * Follows one execution: its log lights up the canvas node by node, its data is read when it begins, from time to time and at its
 * end. Knows no React.
 */
export function createRunSession(
  overlay: RunOverlay,
  edgesInto: (id: string) => readonly Edge[],
): RunSession {
  const state = createStore<RunState>(nothing);
  let leaving = new AbortController();

  const change = (next: Partial<RunState>): void => state.set({ ...state.get(), ...next });

  function light(execution: ExecutionDetail): void {
    overlay.update({ runStates: statesOf(execution), edgeCounts: countsOf(execution, edgesInto) });
  }

  async function read(id: string, signal: AbortSignal): Promise<ExecutionDetail> {
    const execution = await client.executions.get(id, { signal });
    if (!signal.aborted) change({ run: shownRun(execution) });
    return execution;
  }

  async function follow(id: string, signal: AbortSignal): Promise<void> {
    const first = await read(id, signal);
    if (isSettled(first.status)) {
      light(first);
      change({ isLive: false });
      return;
    }
    const states = new LogStates();
    let log: LogEntry[] = [];
    let asked = 0;
    let isReading = false;
    const draw = pacedByFrames(() => change({ log }));
    for await (const entry of client.executions.logs.follow(id, { signal })) {
      log = [...log.slice(-(MOST_LINES - 1)), entry];
      draw();
      const news = states.read(entry);
      if (news !== null) {
        const [node, next] = news;
        const began = entry.message === 'Started' ? edgesInto(node) : [];
        overlay.update({
          runStates: new Map([[node, next]]),
          edgeCounts: new Map(
            began
              .filter((edge) => overlay.node(edge.from)?.status === 'completed')
              .map((edge) => [edge.id, (overlay.edge(edge.id) ?? 0) + 1]),
          ),
        });
      }
      if (!isReading && performance.now() - asked > READ_APART) {
        asked = performance.now();
        isReading = true;
        void read(id, signal)
          .catch(() => undefined)
          .finally(() => (isReading = false));
      }
    }
    const last = await read(id, signal);
    if (signal.aborted) return;
    light(last);
    change({ log, isLive: false });
  }

  function begin(): AbortSignal {
    leaving.abort();
    leaving = new AbortController();
    overlay.clear();
    return leaving.signal;
  }

  function show(id: string): void {
    const signal = begin();
    state.set({ ...nothing, isLive: true });
    follow(id, signal).catch((error: unknown) => {
      if (!signal.aborted) change({ isLive: false, fault: faultText(error) });
    });
  }

  return {
    state,
    show,
    showNewest(workflowId) {
      const signal = begin();
      state.set(nothing);
      const find = async (): Promise<void> => {
        const { executions } = await client.executions.list(
          { workflow_id: workflowId, limit: 1 },
          { signal },
        );
        const [newest] = executions;
        if (newest === undefined || signal.aborted) return;
        if (!isSettled(newest.status)) return show(newest.id);
        // What ran before the page was opened gives its data to templates, but does not colour the canvas.
        await read(newest.id, signal);
      };
      find().catch(() => {
        // Without an earlier run the editor works as well.
      });
    },
    clear() {
      begin();
      change({ log: [], isLive: false, fault: null });
    },
    close() {
      leaving.abort();
    },
  };
}

/** At most once a frame, and always a last time. */
function pacedByFrames(work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}
