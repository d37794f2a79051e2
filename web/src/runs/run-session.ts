import { isSettled, type ExecutionDetail, type LogEntry } from 'weft-client';
import type { NodeRunState, RunOverlay } from '../canvas/state/run-overlay.ts';
import type { Edge } from '../canvas/model/graph-index.ts';
import { client } from '../data/client.ts';
import { toErrorText } from '../data/error-text.ts';
import { createStore, type Store } from '../data/store.ts';
import { watchedRuns } from '../data/watched-runs.ts';
import { LiveRuns, type TimelineRun } from './live-runs.ts';
import { endsOf, FIRST, isWhole, moreOf, type NodeRuns } from './node-runs.ts';
import { throttle } from '../lib/throttle.ts';
import { countsOf, LogStates, statesOf } from './run-states.ts';
import { displayedRun, type DisplayedRun } from './displayed-run.ts';

/** Lines of the log that are kept; the rest is read by pages on the page of the execution. */
const MOST_LINES = 500;
/** Runs of nodes that a timeline shows while they come. */
const MOST_RUNS = 1_000;
/** ms between two pictures of the log and of the timeline: an eye follows no more. */
const PICTURE = 250;
/** ms between two readings of a run that goes on, for its data: at first, and at most. */
const READ_APART = 3_000;
const READ_AT_MOST_APART = 60_000;
/** A reading that takes long is paid for by a pause this many times as long. */
const REST_AFTER = 25;

/** The run that a canvas shows. It changes a few times in a run: what changes with each line stands in `live`. */
export type RunState = {
  readonly run: DisplayedRun | null;
  /** It is on its way, or goes on. */
  readonly isLive: boolean;
  /** Why it could not be shown. */
  readonly fault: string | null;
  /** Runs of nodes in all; more than `run` holds where there are very many. */
  readonly total: number;
};

/** A line of a log with its number, so that a list of lines that grows and loses its head keeps what it has drawn. */
export type LogLine = LogEntry & { readonly number: number };
export type Standing = Pick<ExecutionDetail, 'status' | 'progress' | 'current_node'>;
export type LiveState = {
  readonly log: readonly LogLine[];
  readonly runs: readonly TimelineRun[];
  readonly standing: Standing | null;
};

export type RunSession = {
  readonly state: Store<RunState>;
  readonly live: Store<LiveState>;
  /** Shows an execution, live for as long as it goes on. `known`: it has been read, and has ended. */
  show(id: string, known?: ExecutionDetail): void;
  /** Shows the newest of a workflow, where there is one. */
  showNewest(workflowId: string): void;
  /** Reads some of the runs of nodes that have not been read. */
  more(): Promise<void>;
  clear(): void;
  close(): void;
};

const nothing: RunState = { run: null, isLive: false, fault: null, total: 0 };
const silence: LiveState = { log: [], runs: [], standing: null };

/**
 * Follows one execution: its log lights up the canvas node by node, its data is read when it begins, from time to time and at its
 * end. Knows no React.
 */
export function createRunSession(
  overlay: RunOverlay,
  edgesInto: (id: string) => readonly Edge[],
): RunSession {
  const state = createStore<RunState>(nothing);
  const live = createStore<LiveState>(silence);
  let leaving = new AbortController();
  /** Of the execution that is shown, once it has ended. */
  let runs: NodeRuns | null = null;
  let watched: string | null = null;

  const change = (next: Partial<RunState>): void => state.set({ ...state.get(), ...next });

  function light(execution: ExecutionDetail, isPart = false): void {
    // What a node shows already is not told again: a thousand of them would be drawn for nothing.
    const news = [...statesOf(execution, isPart)].filter(([id, state]) => !isSame(state, overlay.node(id)));
    overlay.update({ runStates: new Map(news), edgeCounts: countsOf(execution, edgesInto) });
  }

  async function read(id: string, signal: AbortSignal): Promise<ExecutionDetail> {
    const execution = await client.executions.get(id, { signal });
    if (!signal.aborted) change({ run: displayedRun(execution), total: execution.nodes.length });
    return execution;
  }

  /** An execution that has ended, with its first and its last runs. */
  async function readEnds(execution: ExecutionDetail, signal: AbortSignal): Promise<void> {
    const found = await endsOf(execution, signal);
    if (signal.aborted) return;
    runs = found;
    put(execution, found);
  }

  function put(execution: ExecutionDetail, { nodes, total }: NodeRuns): void {
    const whole = nodes === execution.nodes ? execution : { ...execution, nodes: [...nodes] };
    light(whole, nodes.length < total);
    change({ run: displayedRun(whole), total });
  }

  async function follow(id: string, signal: AbortSignal, known?: ExecutionDetail): Promise<void> {
    const first = known ?? (await read(id, signal));
    if (isSettled(first.status)) {
      await readEnds(first, signal);
      change({ isLive: false });
      return;
    }
    const states = new LogStates();
    const timeline = new LiveRuns(MOST_RUNS);
    const log: LogLine[] = [];
    let standing: Standing = first;
    let count = 0;
    const picture = throttle(PICTURE, () => {
      if (!signal.aborted) live.set({ log: [...log], runs: timeline.all(), standing });
    });
    void followStanding(id, signal, (next) => {
      standing = next;
      picture.ask();
    });
    const reader = createReader(async () => {
      // More would come only by pages, and those are read when it has ended.
      if ((await read(id, signal)).nodes.length >= FIRST) reader.stop();
    });
    for await (const entry of client.executions.logs.follow(id, { signal })) {
      log.push({ ...entry, number: count++ });
      if (log.length > MOST_LINES) log.shift();
      timeline.read(entry);
      picture.ask();
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
      reader.ask();
    }
    reader.stop();
    const last = await read(id, signal);
    if (signal.aborted) return;
    picture.stop();
    live.set({ log, runs: timeline.all(), standing: last });
    // What came live counted all runs: of very many only the first and last are read.
    if (last.nodes.length < FIRST) light(last);
    else {
      runs = await endsOf(last, signal);
      if (signal.aborted) return;
      change({ run: displayedRun({ ...last, nodes: [...runs.nodes] }), total: runs.total });
    }
    change({ isLive: false });
  }

  function watch(id: string | null): void {
    if (watched !== null) watchedRuns.delete(watched);
    if (id !== null) watchedRuns.add(id);
    watched = id;
  }

  function begin(): AbortSignal {
    watch(null);
    leaving.abort();
    leaving = new AbortController();
    overlay.clear();
    live.set(silence);
    runs = null;
    return leaving.signal;
  }

  function show(id: string, known?: ExecutionDetail): void {
    const signal = begin();
    watch(id);
    state.set({ ...nothing, isLive: true });
    follow(id, signal, known).catch((error: unknown) => {
      if (!signal.aborted) change({ isLive: false, fault: toErrorText(error) });
    });
  }

  return {
    state,
    live,
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
    async more() {
      const { signal } = leaving;
      const execution = state.get().run?.execution;
      if (execution === undefined || runs === null || isWhole(runs)) return;
      const next = await moreOf(execution.id, runs, signal);
      if (signal.aborted) return;
      runs = next;
      put(execution, next);
    },
    clear() {
      begin();
      change({ isLive: false, fault: null });
    },
    close() {
      watch(null);
      leaving.abort();
    },
  };
}

function isSame(a: NodeRunState, b: NodeRunState | undefined): boolean {
  return (
    b !== undefined &&
    a.status === b.status &&
    a.count === b.count &&
    a.isLeast === b.isLeast &&
    a.message === b.message
  );
}

/** Status and progress between two readings. */
async function followStanding(
  id: string,
  signal: AbortSignal,
  tell: (standing: Standing) => void,
): Promise<void> {
  try {
    for await (const update of client.live.executions({ executionId: id, signal })) tell(update);
  } catch {
    // The log and the readings go on without it.
  }
}

/** Reads now and then, more and more seldom, so that a run of an hour costs few requests, and a large one little time. */
function createReader(work: () => Promise<void>): { ask(): void; stop(): void } {
  let next = 0;
  let apart = READ_APART;
  let isReading = false;
  let isStopped = false;
  return {
    ask() {
      const begin = performance.now();
      if (isStopped || isReading || begin < next) return;
      isReading = true;
      void work()
        .catch(() => undefined)
        .finally(() => {
          isReading = false;
          const end = performance.now();
          next = end + Math.max(apart, (end - begin) * REST_AFTER);
          apart = Math.min(apart * 1.5, READ_AT_MOST_APART);
        });
    },
    stop() {
      isStopped = true;
    },
  };
}
