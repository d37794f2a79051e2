import type { ExecutionDetail, LogEntry } from 'weft-client';
import type { EdgeRun, NodeRunState } from '../canvas/state/run-overlay.ts';
import type { Edge } from '../canvas/model/graph-index.ts';
import { LoopProgress } from './timeline/loop-progress.ts';

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

/** The state of each node. `isPart`: not all runs are loaded; `totals`: the items of loops. */
export function computeStates(
  execution: Pick<ExecutionDetail, 'nodes'>,
  isPart = false,
  totals: ReadonlyMap<string, number> = new Map(),
): Map<string, NodeRunState> {
  const states = new Map<string, NodeRunState>();
  const progress = new LoopProgress();
  const loops = new Map<string, number>();
  for (const { node_id: id, path, status, attempt, error, start_time: start } of execution.nodes) {
    const before = states.get(id);
    const isStronger = before === undefined || WEIGHT[status] > WEIGHT[before.status];
    const message = error?.message ?? before?.message;
    const tries = Math.max(attempt, before?.tries ?? 0);
    const failed = (before?.failed ?? 0) + (status === 'failed' ? 1 : 0);
    states.set(id, {
      status: isStronger ? status : before.status,
      count: (before?.count ?? 0) + (status === 'pending' || status === 'skipped' ? 0 : 1),
      ...(failed > 0 ? { failed } : {}),
      // A node that ran once is not in a loop, so its count is complete.
      ...(isPart && before !== undefined ? { isLowerBound: true } : {}),
      ...(message === undefined ? {} : { message }),
      ...(tries > 1 ? { tries } : {}),
    });
    if (start === null) continue;
    progress.read(path, true);
    const loop = progress.read(path, status === 'running' || status === 'waiting');
    if (loop !== null) loops.set(loop.id, loop.done);
  }
  for (const [id, done] of loops) {
    const state = states.get(id);
    const total = totals.get(id);
    if (state !== undefined)
      states.set(id, {
        ...state,
        done: isPart ? (total ?? done) : done,
        ...(total === undefined ? {} : { total }),
      });
  }
  return states;
}

/** The deliveries of each edge: their number, and the length of a list that was delivered once. */
export function computeCounts(
  execution: Pick<ExecutionDetail, 'nodes'>,
  edgesInto: (id: string) => readonly Edge[],
): Map<string, EdgeRun> {
  const began = new Map<string, number>();
  const ended = new Map<string, unknown>();
  /** How often each port of a node delivered a value. */
  const delivered = new Map<string, Map<string, number>>();
  for (const run of execution.nodes) {
    if (run.start_time !== null) began.set(run.node_id, (began.get(run.node_id) ?? 0) + 1);
    if (run.status !== 'completed' && run.status !== 'failed') continue;
    ended.set(run.node_id, run.output);
    const ports = delivered.get(run.node_id) ?? new Map<string, number>();
    for (const port of run.output_ports) ports.set(port, (ports.get(port) ?? 0) + 1);
    delivered.set(run.node_id, ports);
  }
  const counts = new Map<string, EdgeRun>();
  for (const [id, starts] of began)
    for (const edge of edgesInto(id)) {
      if (!ended.has(edge.from)) continue;
      // The order of nodes in a body is no connection of ports.
      const count = edge.kind === 'order' ? starts : (delivered.get(edge.from)?.get(edge.port) ?? 0);
      if (count === 0) continue;
      const items = count === 1 ? countItems(ended.get(edge.from), edge.port) : undefined;
      counts.set(edge.id, items === undefined ? { count } : { count, items });
    }
  return counts;
}

/** The length of the list at a port. The output of a node that used several ports has a field for each. */
function countItems(output: unknown, port: string): number | undefined {
  if (Array.isArray(output)) return output.length;
  if (typeof output !== 'object' || output === null || port === 'out' || !Object.hasOwn(output, port))
    return undefined;
  const list = (output as Record<string, unknown>)[port];
  return Array.isArray(list) ? list.length : undefined;
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
    data,
  }: Pick<LogEntry, 'node_id' | 'message' | 'level' | 'data'>): [string, NodeRunState] | null {
    if (id === null) return null;
    const before = this.#states.get(id);
    const next = this.#next(id, message, level, before, readAttempt(data));
    if (next === null) return null;
    this.#states.set(id, next);
    return [id, next];
  }

  #next(
    id: string,
    message: string,
    level: string,
    before: NodeRunState | undefined,
    attempt: number,
  ): NodeRunState | null {
    const atWork = this.#atWork.get(id) ?? 0;
    const count = before?.count ?? 0;
    const failed = before?.status === 'failed' ? before : null;
    const tries = Math.max(attempt, before?.tries ?? 0);
    const tried = tries > 1 ? { tries } : {};
    const ended = (status: Status): NodeRunState => {
      this.#atWork.set(id, Math.max(0, atWork - 1));
      return atWork > 1 ? { ...before, status: 'running', count } : (failed ?? { status, count, ...tried });
    };
    if (message === 'Started') {
      this.#atWork.set(id, atWork + 1);
      return {
        ...(failed?.message === undefined ? {} : { message: failed.message }),
        status: 'running',
        // Another attempt is the same run.
        count: attempt > 1 ? Math.max(count, 1) : count + 1,
        ...tried,
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
      return { status: 'failed', count, message: message.slice('Failed: '.length), ...tried };
    }
    if (level === 'warning' && /^Attempt \d+ failed: /.test(message)) {
      this.#atWork.set(id, Math.max(0, atWork - 1));
      return { status: 'waiting', count, message, ...tried };
    }
    return null;
  }
}

function readAttempt(data: unknown): number {
  const attempt = (data as { attempt?: unknown } | null)?.attempt;
  return typeof attempt === 'number' ? attempt : 1;
}
