import type { ExecutionDetail, LogEntry } from 'weft-client';
import type { NodeRunState } from '../canvas/state/run-overlay.ts';
import type { Edge } from '../canvas/model/graph-index.ts';

type Status = NodeRunState['status'];

/** The status shown for a node that ran several times: the most important one. */
const WEIGHT: Readonly<Record<Status, number>> = {
  running: 6,
  failed: 5,
  waiting: 4,
  stopped: 3,
  completed: 2,
  pending: 1,
  skipped: 0,
};

/** The state of each node of an execution, computed from its runs. `isPart`: not all runs are loaded. */
export function statesOf(
  execution: Pick<ExecutionDetail, 'nodes'>,
  isPart = false,
): Map<string, NodeRunState> {
  const states = new Map<string, NodeRunState>();
  for (const { node_id: id, status, error } of execution.nodes) {
    const before = states.get(id);
    const isStronger = before === undefined || WEIGHT[status] > WEIGHT[before.status];
    const message = error?.message ?? before?.message;
    states.set(id, {
      status: isStronger ? status : before.status,
      count: (before?.count ?? 0) + (status === 'pending' || status === 'skipped' ? 0 : 1),
      // A node that ran once is not in a loop, so its count is complete.
      ...(isPart && before !== undefined ? { isLeast: true } : {}),
      ...(message === undefined ? {} : { message }),
    });
  }
  return states;
}

/** The number of passes per edge: how often its target started after its source. */
export function countsOf(
  execution: Pick<ExecutionDetail, 'nodes'>,
  edgesInto: (id: string) => readonly Edge[],
): Map<string, number> {
  const began = new Map<string, number>();
  const ended = new Map<string, { ports: ReadonlySet<string> | null }>();
  for (const run of execution.nodes) {
    if (run.start_time !== null) began.set(run.node_id, (began.get(run.node_id) ?? 0) + 1);
    if (run.status === 'completed' || run.status === 'failed') ended.set(run.node_id, { ports: null });
  }
  const counts = new Map<string, number>();
  for (const [id, count] of began)
    for (const edge of edgesInto(id)) if (ended.has(edge.from)) counts.set(edge.id, count);
  return counts;
}

/** Updates the node states from log lines as they arrive. */
export class LogStates {
  readonly #states = new Map<string, NodeRunState>();
  readonly #atWork = new Map<string, number>();

  /** The node of a log line with its new state; null for a line that changes nothing. */
  read({
    node_id: id,
    message,
    level,
  }: Pick<LogEntry, 'node_id' | 'message' | 'level'>): [string, NodeRunState] | null {
    if (id === null) return null;
    const before = this.#states.get(id);
    const next = this.#next(id, message, level, before);
    if (next === null) return null;
    this.#states.set(id, next);
    return [id, next];
  }

  #next(id: string, message: string, level: string, before: NodeRunState | undefined): NodeRunState | null {
    const atWork = this.#atWork.get(id) ?? 0;
    const count = before?.count ?? 0;
    const failed = before?.status === 'failed' ? before : null;
    const ended = (status: Status): NodeRunState => {
      this.#atWork.set(id, Math.max(0, atWork - 1));
      return atWork > 1 ? { ...before, status: 'running', count } : (failed ?? { status, count });
    };
    if (message === 'Started') {
      this.#atWork.set(id, atWork + 1);
      return {
        ...(failed?.message === undefined ? {} : { message: failed.message }),
        status: 'running',
        count: count + 1,
      };
    }
    if (
      message === 'Completed' ||
      message === 'Output given, not run' ||
      message === 'Disabled, passed through'
    )
      return ended('completed');
    if (message === 'Stopped') return ended('stopped');
    if (level === 'error' && message.startsWith('Failed: ')) {
      this.#atWork.set(id, Math.max(0, atWork - 1));
      return { status: 'failed', count, message: message.slice('Failed: '.length) };
    }
    if (level === 'warning' && /^Attempt \d+ failed: /.test(message))
      return { status: 'waiting', count, message };
    return null;
  }
}
