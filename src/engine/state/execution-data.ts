import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { ThreadTurn } from '../../contract/ai/threads.ts';
import type { ModelCallSum } from '../../contract/ai/usage.ts';
import type { NodeStreamEvent } from '../../contract/ai/stream-events.ts';
import type {
  ExecutionTrigger,
  ExecutionResponse,
  LogLevel,
  NodeError,
  SettledStatus,
} from '../../contract/execution.ts';
import { createFrame, type Frame, type NodeRun } from './frame.ts';
import type { Graph } from '../graph/graph.ts';
import type { BeginEvent, Outputs } from '../journal/journal.ts';
import { NodeRuns } from './node-runs.ts';
import { Progress } from './progress.ts';
import { transitionNodeRun } from '../../contract/transitions.ts';
import type { ValueRetention } from './value-retention.ts';

/** What identifies an execution, apart from its graph. */
export type ExecutionIdentity = {
  id: string;
  workflowId: string;
  workflowVersion: number;
  trigger: ExecutionTrigger;
};

/** Receives what happens while events are applied. */
export type StateObserver = {
  logged?:
    | ((at: number, level: LogLevel, nodeId: string | null, message: string, data: JsonObject) => void)
    | undefined;
  stopped?(run: NodeRun): void;
  /** A node run reports to callers that follow the execution. */
  reported?(run: NodeRun, event: NodeStreamEvent): void;
  /** An attempt of a node run started, failed, or failed and is retried. */
  attempted?(run: NodeRun, event: 'start' | 'fail' | 'retry'): void;
  /** A node run waits for an event from outside. */
  eventAwaited?(run: NodeRun): void;
  bodyStarted?(run: NodeRun, at: number): void;
  /** A node run adds to a thread. */
  turnEnded?(run: NodeRun, turn: ThreadTurn): void;
};

/** The data of one execution's state, and the changes shared by its events and their consequences. */
export class ExecutionData {
  readonly graph: Graph;
  readonly identity: ExecutionIdentity;
  /**
   * Which values of settled node runs are kept for a view; null: only those that later nodes can still reach.
   */
  readonly retention: ValueRetention | null;
  observer: StateObserver = {};
  /** The URL that resumes any waiting node; null where no nodes run. */
  resumeUrl: (() => string) | null = null;
  /** Nodes that may start now, in order. The caller that runs them removes them. */
  ready: NodeRun[] = [];
  readonly runs: NodeRuns;
  readonly root: Frame;
  input: Json = null;
  response: ExecutionResponse | null = null;
  startTime: number | null = null;
  /** `stoppedBy`: the path of the node run that ended the execution on purpose. */
  settled: {
    status: SettledStatus;
    error: NodeError | null;
    output: Json;
    at: number;
    stoppedBy: string | null;
  } | null = null;
  /** `trigger` in templates: the trigger's type and output. */
  triggerScope: Json = null;
  /** Node runs that completed or failed, which the limit on steps counts. */
  steps = 0;
  beginEvent: BeginEvent | null = null;
  /** Entries of the log so far. */
  logCount = 0;
  /** The calls of models that node runs completed, by model. */
  readonly usage = new Map<string, ModelCallSum>();
  /** The time of the event being applied. */
  at = 0;
  readonly endedNodes: Progress;

  constructor(graph: Graph, identity: ExecutionIdentity, retention: ValueRetention | null) {
    this.graph = graph;
    this.identity = identity;
    this.retention = retention;
    this.endedNodes = new Progress(graph);
    this.root = createFrame(graph.root, null, '');
    this.runs = new NodeRuns(graph, this.root);
  }

  /** Outputs of nodes that do not run, by path. */
  get given(): Readonly<Record<string, Outputs>> {
    return this.beginEvent?.given ?? {};
  }

  /** Fraction of the graph's nodes that ended, 0 to 1. */
  get progress(): number {
    return this.settled?.status === 'completed' ? 1 : this.endedNodes.fraction;
  }

  log(level: LogLevel, nodeId: string | null, message: string, data: JsonObject, at = this.at): void {
    this.logCount++;
    this.observer.logged?.(at, level, nodeId, message, data);
  }

  recordStart(run: NodeRun, at: number): void {
    run.startTime ??= at;
    if (this.observer.logged === undefined) this.logCount++;
    else this.log('info', run.node.id, 'Started', { path: run.path, attempt: run.attempt || 1 }, at);
  }

  /** Ends the execution. Only the first call has an effect. */
  settle(
    status: SettledStatus,
    error: NodeError | null,
    output: Json,
    stoppedBy: string | null = null,
  ): void {
    if (this.settled !== null) return;
    this.stopFrame(this.root);
    this.settled = { status, error, output, at: this.at, stoppedBy };
    if (this.ready.length > 0) this.ready = [];
    if (status === 'failed') this.log('error', null, `Execution failed: ${error?.message ?? ''}`, {});
    else this.log('info', null, `Execution ${status}`, {});
  }

  /** Stops all running and waiting nodes of a frame and of the bodies inside it. */
  stopFrame(frame: Frame): void {
    const frames = [frame];
    for (const each of frames) {
      each.alive = false;
      for (const run of each.runs) {
        const { body } = run;
        if (body !== null) frames.push(...body.frames.values());
        if (!transitionNodeRun(run, 'stop')) continue;
        this.observer.stopped?.(run);
        run.wait = null;
        run.endTime = this.at;
        this.log('info', run.node.id, 'Stopped', { path: run.path });
      }
    }
  }

  /** Marks a frame of a body as ended, and removes it unless a view needs it. */
  closeFrame(frame: Frame): void {
    frame.alive = false;
    if (this.retention?.shows(frame) === true) return;
    frame.parent?.body?.frames.delete(frame.key);
    this.runs.delete(frame);
  }
}
