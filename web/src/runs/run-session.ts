import { isSettled, type ExecutionDetail, type LogEntry } from 'weft-client';
import type { NodeRunState, RunOverlay } from '../canvas/state/run-overlay.ts';
import type { JsonObject } from '../canvas/model/document.ts';
import type { Edge } from '../canvas/model/graph-index.ts';
import { client } from '../data/client.ts';
import { toErrorText } from '../data/error-text.ts';
import { createStore, type Store } from '../data/store.ts';
import { watchedRuns } from '../data/live/watched-runs.ts';
import { LiveRuns, computeStatusAfter, type TimelineRun } from './live-runs.ts';
import { LoopProgress, countLoopItems } from './timeline/loop-progress.ts';
import { loadFirstAndLastRuns, isWhole, loadMoreRuns, type NodeRuns } from './node-runs.ts';
import { throttle } from '../lib/throttle.ts';
import { computeCounts, LogStates, computeStates } from './run-states.ts';
import { createDisplayedRun, type DisplayedRun } from './displayed-run.ts';

/** The number of log lines kept; the execution's page loads the others. */
const MAX_LINES = 500;
/** The maximum number of node runs in a live timeline. */
const MAX_RUNS = 1_000;
/** The refresh interval of the log and timeline in ms. */
const RENDER_INTERVAL_MS = 250;
/** ms between two reads of a running execution's data: at first, and at most. */
const MIN_READ_INTERVAL_MS = 3_000;
const MAX_READ_INTERVAL_MS = 60_000;
/** After a slow read, the pause is at least this multiple of its duration. */
const PAUSE_FACTOR = 25;

/** The run shown on the canvas. It changes rarely; state that changes with each log line is in `live`. */
export type RunState = {
  readonly run: DisplayedRun | null;
  /** The run is starting or running. */
  readonly isLive: boolean;
  /** Why the run could not be shown. */
  readonly error: string | null;
  /** The total number of node runs; `run` may contain fewer. */
  readonly total: number;
};

/** A log line with its number, a stable key for a list that is trimmed at its start. */
export type LogLine = LogEntry & { readonly number: number };
export type ExecutionProgress = Pick<ExecutionDetail, 'status' | 'progress' | 'current_node'>;
export type LiveState = {
  readonly log: readonly LogLine[];
  readonly runs: readonly TimelineRun[];
  readonly standing: ExecutionProgress | null;
};

export type LoadedRuns = { readonly execution: ExecutionDetail; readonly runs: NodeRuns | null };

export type RunSession = {
  readonly state: Store<RunState>;
  readonly live: Store<LiveState>;
  /** Shows an execution, live while it runs. `loaded`: its first and last runs, if it has ended. */
  show(id: string, loaded?: LoadedRuns): void;
  /** Shows the latest execution of a workflow, if there is one. */
  showNewest(workflowId: string): void;
  /** Loads node runs that have not been loaded. */
  more(): Promise<void>;
  clear(): void;
  close(): void;
};

const emptyRunState: RunState = { run: null, isLive: false, error: null, total: 0 };
const emptyLiveState: LiveState = { log: [], runs: [], standing: null };

/**
 * Follows one execution: its log updates the canvas; its data is read at the start, periodically, and at the
 * end. Independent of React.
 */
export function createRunSession(
  overlay: RunOverlay,
  edgesInto: (id: string) => readonly Edge[],
  getConfig: (id: string) => JsonObject | undefined,
): RunSession {
  const state = createStore<RunState>(emptyRunState);
  const live = createStore<LiveState>(emptyLiveState);
  let leaving = new AbortController();
  /** The loaded runs of the displayed execution, once it has ended. */
  let runs: NodeRuns | null = null;
  let watched: string | null = null;
  /** The number of items of each loop, once it is known. */
  const totals = new Map<string, number>();

  const change = (next: Partial<RunState>): void => state.set({ ...state.get(), ...next });

  function light(execution: ExecutionDetail, isPart = false): void {
    overlay.update({
      runStates: computeStates(execution, isPart, totals),
      edgeRuns: computeCounts(execution, edgesInto),
    });
  }

  function countItems({ nodes }: ExecutionDetail): void {
    for (const run of nodes) {
      if (run.type !== 'for_each') continue;
      const total = countLoopItems(getConfig(run.node_id)?.['items'], run, nodes);
      if (total !== undefined) totals.set(run.node_id, total);
    }
  }

  async function read(id: string, signal: AbortSignal): Promise<ExecutionDetail> {
    const execution = await client.executions.get(id, { signal });
    if (signal.aborted) return execution;
    countItems(execution);
    change({ run: createDisplayedRun(execution), total: execution.nodes_total });
    return execution;
  }

  function put(execution: ExecutionDetail, { nodes, total }: NodeRuns): void {
    const whole = nodes === execution.nodes ? execution : { ...execution, nodes: [...nodes] };
    countItems(whole);
    light(whole, nodes.length < total);
    change({ run: createDisplayedRun(whole), total });
  }

  /** The state of the loop around a node, after a log line about the node. */
  function loopState(progress: LoopProgress, { data, message, level }: LogEntry): [string, NodeRunState][] {
    const path = (data as { path?: unknown } | null)?.path;
    const status = computeStatusAfter(message, level);
    if (typeof path !== 'string' || status === null) return [];
    const loop = progress.read(path, status === 'running' || status === 'waiting');
    const before = loop === null ? undefined : overlay.node(loop.id);
    if (loop === null || before === undefined) return [];
    return [[loop.id, { ...before, done: loop.done, total: totals.get(loop.id) }]];
  }

  async function follow(id: string, signal: AbortSignal, loaded?: LoadedRuns): Promise<void> {
    // What was loaded while it ran may be older than what follows.
    const known = loaded?.runs === null ? undefined : loaded;
    const first = known?.execution ?? (await read(id, signal));
    if (isSettled(first.status)) {
      const found = known?.runs ?? (await loadFirstAndLastRuns(first, signal));
      if (signal.aborted) return;
      runs = found;
      put(first, found);
      change({ isLive: false });
      return;
    }
    const states = new LogStates();
    const progress = new LoopProgress();
    const timeline = new LiveRuns(MAX_RUNS);
    const log: LogLine[] = [];
    let standing: ExecutionProgress = first;
    let count = 0;
    const picture = throttle(RENDER_INTERVAL_MS, () => {
      if (!signal.aborted) live.set({ log: [...log], runs: timeline.all(), standing });
    });
    void watchProgress(id, signal, (next) => {
      standing = next;
      picture.ask();
    });
    const reader = createReader(async () => {
      // The other pages are loaded only after the execution has ended.
      const { nodes, nodes_total: total } = await read(id, signal);
      if (nodes.length < total) reader.stop();
    });
    for await (const entry of client.executions.logs.follow(id, { signal })) {
      log.push({ ...entry, number: count++ });
      if (log.length > MAX_LINES) log.shift();
      timeline.read(entry);
      picture.ask();
      const news = states.read(entry);
      if (news !== null) {
        const [node, next] = news;
        const began = entry.message === 'Started' ? edgesInto(node) : [];
        overlay.update({
          runStates: new Map([
            // How far a loop is stays on its card when it ends.
            [node, { ...next, done: overlay.node(node)?.done, total: totals.get(node) }],
            ...loopState(progress, entry),
          ]),
          edgeRuns: new Map(
            began
              .filter((edge) => overlay.node(edge.from)?.status === 'completed')
              .map((edge) => [edge.id, { count: (overlay.edge(edge.id)?.count ?? 0) + 1 }]),
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
    // The live count covers all runs, while only the first and last of many are loaded.
    if (last.nodes.length === last.nodes_total) light(last);
    else {
      runs = await loadFirstAndLastRuns(last, signal);
      if (signal.aborted) return;
      change({ run: createDisplayedRun({ ...last, nodes: [...runs.nodes] }), total: runs.total });
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
    live.set(emptyLiveState);
    runs = null;
    totals.clear();
    return leaving.signal;
  }

  function show(id: string, loaded?: LoadedRuns): void {
    const signal = begin();
    watch(id);
    state.set({ ...emptyRunState, isLive: true });
    follow(id, signal, loaded).catch((error: unknown) => {
      if (!signal.aborted) change({ isLive: false, error: toErrorText(error) });
    });
  }

  return {
    state,
    live,
    show,
    showNewest(workflowId) {
      const signal = begin();
      state.set(emptyRunState);
      const find = async (): Promise<void> => {
        const { executions } = await client.executions.list(
          { workflow_id: workflowId, limit: 1 },
          { signal },
        );
        const [newest] = executions;
        if (newest === undefined || signal.aborted) return;
        if (!isSettled(newest.status)) return show(newest.id);
        // An earlier run supplies data to templates, but does not mark nodes on the canvas.
        await read(newest.id, signal);
      };
      find().catch(() => {
        // The editor works without an earlier run.
      });
    },
    async more() {
      const { signal } = leaving;
      const execution = state.get().run?.execution;
      if (execution === undefined || runs === null || isWhole(runs)) return;
      const next = await loadMoreRuns(execution.id, runs, signal);
      if (signal.aborted) return;
      runs = next;
      put(execution, next);
    },
    clear() {
      begin();
      change({ isLive: false, error: null });
    },
    close() {
      watch(null);
      leaving.abort();
    },
  };
}

/** Status and progress between two reads. */
async function watchProgress(
  id: string,
  signal: AbortSignal,
  notify: (standing: ExecutionProgress) => void,
): Promise<void> {
  try {
    for await (const update of client.live.executions({ executionId: id, signal })) notify(update);
  } catch {
    // The log and the reads continue without it.
  }
}

/** Polls at growing intervals, so that a long run needs few requests, and a large one little time. */
function createReader(work: () => Promise<void>): { ask(): void; stop(): void } {
  let next = 0;
  let apart = MIN_READ_INTERVAL_MS;
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
          next = end + Math.max(apart, (end - begin) * PAUSE_FACTOR);
          apart = Math.min(apart * 1.5, MAX_READ_INTERVAL_MS);
        });
    },
    stop() {
      isStopped = true;
    },
  };
}
