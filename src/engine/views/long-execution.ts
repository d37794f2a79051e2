import type { LogEntry, NodeRunStatus } from '../../contract/execution.ts';
import type { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionPage, ListRange } from '../engine-api.ts';
import type { Graph } from '../graph/graph.ts';
import type { JournalEvent } from '../journal/journal.ts';
import { replayJournal } from '../journal/replay.ts';
import { ExecutionState, type SavedExecution } from '../state/execution-state.ts';
import type { NodeRun } from '../state/frame.ts';
import { loadState, type StoredSnapshot } from '../state/load-state.ts';
import { ValueRetention, type RunRange } from '../state/value-retention.ts';
import { toNodeRunView } from './execution-view.ts';

/*
 * Parts of an execution that has a snapshot. Totals and the end come from the snapshot and the rows after it.
 * What the snapshot no longer contains is read from the start of the journal, up to the end of the part.
 */

type Deps = Parameters<typeof loadState>[0] & { memory: Pick<MemoryBudget, 'mostOfOne'> };

const OPEN: readonly NodeRunStatus[] = ['pending', 'running', 'waiting'];
const isOver = (run: NodeRun | undefined): boolean => run !== undefined && !OPEN.includes(run.status);

/** A replay that keeps a range of the node runs in bodies. */
class RangeReplay {
  readonly state: ExecutionState;
  readonly retention: ValueRetention;
  /** Counts of the snapshot: node runs in bodies, log entries, and settled node runs outside of bodies. */
  countInBodies = 0;
  logCount = 0;
  overAtRoot: readonly number[] = [];

  constructor(graph: Graph, row: ExecutionRow, retention: ValueRetention) {
    this.retention = retention;
    this.state = new ExecutionState(graph, row, retention);
  }

  restore({ state: saved }: SavedExecution): void {
    const { state } = this;
    state.restore(saved);
    this.countInBodies = state.runs.countInBodies;
    this.logCount = state.logCount;
    this.overAtRoot = state.root.runs.flatMap((run, i) => (isOver(run) ? [i] : []));
  }

  apply(event: JournalEvent): void {
    this.state.apply(event);
    // A view starts no nodes.
    this.state.ready = [];
  }

  /** The node runs of bodies in the range, in order. */
  list({ from, to }: RunRange): NodeRun[] {
    return this.state.runs.all().filter((run) => {
      const { parent, number, runs } = run.frame;
      if (parent === null || number >= to || number + runs.length <= from) return false;
      const at = number + runs.indexOf(run);
      return at >= from && at < to;
    });
  }
}

/** Reads a range of the node runs. `wanted`: see Engine.inspect. */
export async function readExecutionPage(
  deps: Deps,
  graph: Graph,
  row: ExecutionRow,
  snapshot: StoredSnapshot,
  { offset, limit }: ListRange,
  wanted: ReadonlySet<string> | null,
): Promise<ExecutionPage> {
  const atRoot = graph.root.nodes.length;
  const range = { from: Math.max(0, offset - atRoot), to: Math.max(0, offset + limit - atRoot) };
  const create = (): RangeReplay =>
    new RangeReplay(graph, row, new ValueRetention(deps.memory.mostOfOne, wanted, range));
  const { loaded: end, from } = await loadState(deps, row, snapshot, Infinity, create);
  const { state } = end;
  const rootRuns = state.root.runs.slice(offset, offset + limit);
  const early = from === 0 ? [] : end.overAtRoot.filter((i) => i >= offset && i < offset + limit);
  const to = Math.min(range.to, state.runs.countInBodies);
  const isInStart = from > 0 && range.from < Math.min(to, end.countInBodies);
  const start = create();
  if (early.length > 0 || isInStart) {
    const isComplete = (): boolean =>
      early.every((i) => isOver(start.state.root.runs[i])) &&
      (!isInStart || (start.state.runs.countInBodies >= to && start.list(range).every(isFinal)));
    await replayJournal(deps, row, 0, (event) => start.apply(event), isComplete);
  }
  for (const i of early) rootRuns[i - offset] = start.state.root.runs[i]!;
  const bodyRuns = (isInStart ? start : end).list({ from: range.from, to });
  return {
    input: state.input,
    output: state.settled?.output ?? null,
    usage: [...state.usage.values()],
    response: state.response,
    nodes: rootRuns
      .map((run) => toNodeRunView(run, state))
      .concat(bodyRuns.map((run) => toNodeRunView(run, isInStart ? start.state : state))),
    total: atRoot + state.runs.countInBodies,
    leftOut: new Set([...start.retention.leftOut, ...end.retention.leftOut]),
  };
}

const isFinal = (run: NodeRun): boolean => !run.frame.alive;

/** Reads a range of the log. */
export async function readLogRange(
  deps: Deps,
  graph: Graph,
  row: ExecutionRow,
  snapshot: StoredSnapshot,
  { offset, limit }: ListRange,
): Promise<{ entries: LogEntry[]; total: number }> {
  let entries: LogEntry[] = [];
  const create = (): RangeReplay => {
    const replay = new RangeReplay(graph, row, new ValueRetention(0, null, { from: 0, to: 0 }));
    const found: LogEntry[] = [];
    entries = found;
    replay.state.observer = {
      logged: (timestamp, level, nodeId, message, data) => {
        const index = replay.state.logCount - 1;
        if (index >= offset && index < offset + limit)
          found.push({ timestamp, level, nodeId, message, data });
      },
    };
    return replay;
  };
  const { loaded: end, from } = await loadState(deps, row, snapshot, Infinity, create);
  const total = end.state.logCount;
  if (from === 0 || offset >= end.logCount) return { entries, total };
  const later = entries;
  const start = create();
  const last = Math.min(offset + limit, end.logCount);
  await replayJournal(
    deps,
    row,
    0,
    (event) => start.apply(event),
    () => start.state.logCount >= last,
  );
  return { entries: entries.slice(0, last - offset).concat(later), total };
}
