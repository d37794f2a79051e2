import type { Json } from '../lib/json/json.ts';
import { WeftError } from '../contract/errors.ts';
import type { WorkflowSettings } from '../contract/definition.ts';
import type {
  ExecutionStatus,
  ExecutionTrigger,
  ExecutionResponse,
  LogEntry,
  NodeError,
  NodeRunStatus,
  SettledStatus,
} from '../contract/execution.ts';
import type { ModelCallSum } from '../contract/ai/usage.ts';
import type { NodeStreamEvent } from '../contract/ai/stream-events.ts';
import type { DedupeKey } from '../ports/store/checkpoint.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import type { NewFile } from '../ports/store/files.ts';
import type { TickClaim } from '../ports/store/active-triggers.ts';
import type { PolledItem } from '../ports/store/polling.ts';
import type { TemplateScope } from '../expressions/scope.ts';
import type { Iteration } from './journal/journal.ts';

/** The queue holds as many executions as the limit allows. */
export class QueueFullError extends WeftError {
  constructor() {
    super('RATE_LIMITED', 'The queue is full.', { reason: 'capacity' });
  }
}

/** A service's request to start an execution. */
export type StartRequest = {
  ownerId: string;
  workflowId: string;
  workflowVersion: number;
  settings: WorkflowSettings;
  trigger: ExecutionTrigger;
  /**
   * The trigger node to enter by. Null: the manual trigger, else the first trigger, else every node without
   * incoming edges.
   */
  entry: string | null;
  /** The trigger's output. */
  input: Json;
  dedupe: DedupeKey | null;
  tick: TickClaim | null;
  parentId: string | null;
  retryOf: string | null;
  /**
   * Outputs of nodes that do not run (pins, or outputs that a retry keeps): by node path, one value per
   * output port.
   */
  given: Record<string, Record<string, Json>>;
  /** Failures of node runs that a retry keeps, by path. Default: none. */
  failures?: Readonly<Record<string, NodeError>>;
  /** What bodies of which a retry keeps parts had loaded, by path of their owner. Default: none. */
  loaded?: Readonly<Record<string, Json>>;
  /** Replaces the input of this node or node run, for a retry. `nodeId`: an id or a path. */
  inputOf: { nodeId: string; input: Json } | null;
  /** Runs only this node and the nodes that lead to it. */
  until: string | null;
  /**
   * With an `until` in bodies: each of its containers, outermost first, runs its body once with these values
   * instead of for its own items, rounds or turns.
   */
  iterations?: readonly Iteration[];
  /** Files that `input` refers to. They become the execution's own, only if it is created. */
  files?: readonly NewFile[];
  /** The polled item that starts the execution; the result is `tick_taken` when the item cannot be taken. */
  polled?: PolledItem;
};

export type ExecutionEnd = { status: SettledStatus; output: Json; error: NodeError | null };

/**
 * Reports only what is on disk. `response` and `end` are the current values (undefined: not known yet); the
 * promises resolve with the later ones. The response is null when the execution ended without reaching a
 * `respond` node.
 */
export type CompletionHandle = {
  readonly response: ExecutionResponse | null | undefined;
  readonly end: ExecutionEnd | undefined;
  readonly ended: Promise<ExecutionEnd>;
  readonly responded: Promise<ExecutionResponse | null>;
  cancel(): void;
};

export type StartResult =
  | { kind: 'accepted'; id: string; watch: CompletionHandle }
  | { kind: 'duplicate'; executionId: string; fingerprint: string }
  | { kind: 'tick_taken' }
  | { kind: 'workflow_gone' };

/** One node run, as the APIs return it. Times in epoch ms. */
export type NodeRunView = {
  nodeId: string;
  path: string;
  type: string;
  status: NodeRunStatus;
  attempt: number;
  startTime: number | null;
  endTime: number | null;
  input: Json;
  output: Json;
  /** The output ports, and the fields that connections use as ports, which delivered a value. */
  outputPorts: string[];
  error: NodeError | null;
};

export type WaitingNodeRun = Pick<NodeRunView, 'nodeId' | 'path' | 'type'>;

/** An execution, as rebuilt from its journal. */
export type ExecutionView = {
  input: Json;
  output: Json;
  nodes: NodeRunView[];
  logs: LogEntry[];
  /** The calls of models that its nodes made, one entry per model, without those of kept outputs. */
  usage: ModelCallSum[];
  /** Outputs per port of the node runs that completed, by path: a retry can keep them. */
  completed: Record<string, Record<string, Json>>;
  /** The values with which the bodies of node runs began, by path. */
  loaded: Record<string, Json>;
  /** The response that a `respond` node set. */
  response: ExecutionResponse | null;
  /**
   * Paths of the node runs whose input and output are omitted (null here) because they exceeded the memory
   * for values.
   */
  leftOut: ReadonlySet<string>;
};

export type ListRange = { readonly offset: number; readonly limit: number };

/**
 * A range of the node runs of an execution, with what concerns all of them. `total`: of node runs. `leftOut`
 * contains all paths of the range that the view omits.
 */
export type ExecutionPage = Omit<ExecutionView, 'logs' | 'completed' | 'loaded'> & {
  readonly total: number;
};

/**
 * The log of an execution, in pieces and in order. `isWhole`: no more entries existed when this piece was
 * read. Later calls continue from there and read only entries that were added since.
 */
export type ExecutionLog = { next(): Promise<{ entries: LogEntry[]; isWhole: boolean }> };

/**
 * What a retry keeps, as in `StartRequest`. `again`: the paths of the node runs, or of the runs of a body,
 * that it starts from.
 */
export type RetryPlan = Required<Pick<StartRequest, 'given' | 'failures' | 'loaded'>> & {
  again: readonly string[];
};

type StreamedNode = { readonly id: string; readonly path: string };

/**
 * An event for callers that follow an execution. `id` is its position in the journal, which makes it the same
 * in every replay. `at` in epoch ms.
 *
 * - `waiting`: the node run waits for an event from outside, which may be the decision of a person.
 * - `started`: an attempt of a node run that may write a live text begins.
 * - `discarded`: what the attempt wrote is not part of the result. `isFinal`: there is no further attempt.
 */
export type ExecutionStreamEvent = { readonly id: string; readonly at: number } & (
  | {
      readonly node: StreamedNode;
      readonly event:
        | NodeStreamEvent
        | { readonly type: 'waiting' }
        | { readonly type: 'started' }
        | { readonly type: 'discarded'; readonly isFinal: boolean };
    }
  | { readonly node: null; readonly event: { readonly type: 'done' } & ExecutionEnd }
);

/** The events of an execution, read like its log. */
export type ExecutionStream = {
  next(): Promise<{ entries: ExecutionStreamEvent[]; isWhole: boolean }>;
};

/**
 * Where in an execution a template is evaluated: at one node run, at the newest run of a node, or after all
 * nodes.
 */
export type ScopePosition = { readonly nodeId?: string; readonly path?: string };

export type EngineHealth = {
  active: number;
  queued: number;
  pendingWrites: number;
  /**
   * Sweeps for runnable executions, and leases of this process that ended before they were renewed, since its
   * start.
   */
  sweeps: number;
  leasesLost: number;
  /**
   * Executions that continued from a snapshot, and events of journals that were replayed to continue
   * executions, since the start of this process.
   */
  snapshotsUsed: number;
  replayedEvents: number;
  /** Whether this process is the leader. */
  isLeader: boolean;
};

export type Engine = {
  /**
   * Resolves when the execution is on disk. Throws WeftError RATE_LIMITED (details.reason `capacity`) when
   * the process is at capacity, STORAGE_FULL when it could not be written, VALIDATION_ERROR when the stored
   * definition cannot run.
   */
  start(request: StartRequest): Promise<StartResult>;
  /**
   * Watches an execution that may have been started earlier, also by another process. The caller cancels the
   * handle when done. With `withResponse`, an earlier response of an execution that is still running is read
   * too.
   */
  watch(ownerId: string, id: string, withResponse?: boolean): CompletionHandle;
  /** See ExecutionStore.stop. Also aborts the attempts that run in this process. */
  stop(
    ownerId: string,
    id: string,
  ): Promise<
    | { kind: 'stopped'; row: ExecutionRow }
    | { kind: 'settled'; status: ExecutionStatus }
    | { kind: 'missing' }
  >;
  /**
   * `wanted`: paths of the node runs whose values matter most. When the values of an execution exceed the
   * memory for them, those of other node runs are omitted. Throws WeftError CONFLICT (field `from`, for
   * retries) when it has more than `limits.inspectedNodeRuns` node runs.
   */
  inspect(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView>;
  /**
   * A range of the node runs; `wanted` as above. It replays only the parts of a long execution's journal that
   * the range needs.
   */
  page(row: ExecutionRow, range: ListRange, wanted?: ReadonlySet<string>): Promise<ExecutionPage>;
  /** Whether the execution has enough events that reading a part is faster than reading all. */
  isLong(row: ExecutionRow): Promise<boolean>;
  /** The node runs that wait now, in the order of their paths. Reads their timers, not the journal. */
  waiting(row: ExecutionRow): Promise<WaitingNodeRun[]>;
  /** Only the log. Values are not kept in memory. */
  log(row: ExecutionRow): Promise<ExecutionLog>;
  /** A range of the log of a long execution; null when the execution is not long. */
  logRange(row: ExecutionRow, range: ListRange): Promise<{ entries: LogEntry[]; total: number } | null>;
  /** Only what callers who follow the execution receive. */
  stream(row: ExecutionRow): Promise<ExecutionStream>;
  /**
   * `inspect` for many executions of one owner, in few statements. Throws WeftError PAYLOAD_TOO_LARGE when
   * they are too large.
   */
  inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]>;
  /** The scope of a template at a viewpoint, without secrets; null when the viewpoint does not exist. */
  scopeAt(row: ExecutionRow, viewpoint: ScopePosition): Promise<TemplateScope | null>;
  /**
   * What a retry keeps of an ended execution. `from`: `failed`, a node id, the path of a node run
   * (`loop[7]/call`) or of a run of a body (`loop[7]`). The named runs, those that depend on them, and those
   * that had not completed run again. `version` is the workflow version that the retry runs. Throws WeftError
   * VALIDATION_ERROR (field `from`) when `from` names nothing that ran, CONFLICT when more would be kept than
   * a retry can hold.
   */
  planRetry(row: ExecutionRow, version: number, from: string): Promise<RetryPlan>;
  /** A timer was made due from outside: reads the due timers at once. */
  checkTimers(): void;
  health(): EngineHealth;
  /**
   * Recovers executions of earlier processes, then dispatches, fires timers and renews leases until `drain`.
   */
  open(): Promise<void>;
  /**
   * Takes no new executions, lets running nodes end within `graceMs`, and releases the rest. May be called
   * twice.
   */
  drain(graceMs: number): Promise<void>;
};
