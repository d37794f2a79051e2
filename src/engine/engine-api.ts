import type { Json } from '../lib/json/json.ts';
import { WeftError } from '../contract/errors.ts';
import type { WorkflowSettings } from '../contract/definition.ts';
import type {
  ExecutionStatus,
  ExecutionTrigger,
  HttpAnswer,
  LogEntry,
  NodeError,
  NodeRunStatus,
  SettledStatus,
} from '../contract/execution.ts';
import type { DedupeKey } from '../ports/store/checkpoint.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import type { NewFile } from '../ports/store/files.ts';
import type { TickClaim } from '../ports/store/active-triggers.ts';
import type { PolledItem } from '../ports/store/polling.ts';
import type { TemplateScope } from '../expressions/scope.ts';

/** As many executions are queued as may be. */
export class QueueFullError extends WeftError {
  constructor() {
    super('RATE_LIMITED', 'The queue is full.', { reason: 'capacity' });
  }
}

/** What a service asks for when an execution shall begin. */
export type StartRequest = {
  ownerId: string;
  workflowId: string;
  workflowVersion: number;
  settings: WorkflowSettings;
  trigger: ExecutionTrigger;
  /** The trigger node by which it enters; null: the manual trigger, else the first one, else the nodes without incoming connections. */
  entry: string | null;
  /** What the trigger delivers. */
  input: Json;
  dedupe: DedupeKey | null;
  tick: TickClaim | null;
  parentId: string | null;
  retryOf: string | null;
  /** Outputs of nodes that shall not run: pins, or what a retry keeps. By node path; a value per output port. */
  given: Record<string, Record<string, Json>>;
  /** Replaces what arrives at this node (a retry from a node with edited input). */
  inputOf: { nodeId: string; input: Json } | null;
  /** Runs only what leads to this node, and the node. */
  until: string | null;
  /** Files that `input` refers to; they become the execution's own, and only if it is created. */
  files?: readonly NewFile[];
  /** The item of a poll that it is for; `tick_taken` when it is not to be. */
  polled?: PolledItem;
};

export type ExecutionEnd = { status: SettledStatus; output: Json; error: NodeError | null };

/**
 * Tells only of what is on disk. `answer` and `end` say what is known now (undefined: nothing yet), the promises what will
 * be. The answer is null when the execution ended without reaching a `respond` node.
 */
export type CompletionHandle = {
  readonly answer: HttpAnswer | null | undefined;
  readonly end: ExecutionEnd | undefined;
  readonly ended: Promise<ExecutionEnd>;
  readonly answered: Promise<HttpAnswer | null>;
  cancel(): void;
};

export type StartResult =
  | { kind: 'accepted'; id: string; watch: CompletionHandle }
  | { kind: 'duplicate'; executionId: string; fingerprint: string }
  | { kind: 'tick_taken' }
  | { kind: 'workflow_gone' };

/** One node run as the APIs show it. Times in epoch ms. */
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
  error: NodeError | null;
};

/** An execution as its journal describes it. */
export type ExecutionView = {
  input: Json;
  output: Json;
  nodes: NodeRunView[];
  logs: LogEntry[];
  /** Outputs per port by path of the nodes that completed: what a retry can keep. */
  completed: Record<string, Record<string, Json>>;
  /** Nodes that failed (not handled by an error port). */
  failedNodeIds: string[];
  /** What a `respond` node answered. */
  answer: HttpAnswer | null;
  /** Paths of the node runs whose input and output are left out (null here): there was no room in memory. */
  leftOut: ReadonlySet<string>;
};

/**
 * The log of an execution in pieces, in order: `isWhole` says that nothing more was there when this piece was read. Later calls go
 * on from there, reading only what was added.
 */
export type ExecutionLog = { next(): Promise<{ entries: LogEntry[]; isWhole: boolean }> };

/** Where in an execution a template is looked at: at one node run, at a node's newest run, or with neither behind all. */
export type Viewpoint = { readonly nodeId?: string; readonly path?: string };

export type EngineHealth = {
  active: number;
  queued: number;
  pendingWrites: number;
  /** Looks for what nobody works on, and leases of this process that were over before they were renewed; since its start. */
  sweeps: number;
  leasesLost: number;
  /** Whether it does what one process does for all. */
  leads: boolean;
};

export type Engine = {
  /**
   * Resolves when the execution is on disk. Throws WeftError RATE_LIMITED (details.reason `capacity`) when there is no
   * room, STORAGE_FULL when it could not be written, VALIDATION_ERROR when the stored definition cannot run.
   */
  start(request: StartRequest): Promise<StartResult>;
  /**
   * For an execution that may have been started earlier, also by another process. Cancel it when done. Of one that goes on, an
   * answer from before is read only when `andAnswer` asks for it.
   */
  watch(ownerId: string, id: string, andAnswer?: boolean): CompletionHandle;
  /** See ExecutionStore.stop; also aborts what runs in this process. */
  stop(
    ownerId: string,
    id: string,
  ): Promise<
    | { kind: 'stopped'; row: ExecutionRow }
    | { kind: 'settled'; status: ExecutionStatus }
    | { kind: 'missing' }
  >;
  /**
   * `wanted`: paths of the node runs whose values matter most. Of an execution whose values are larger than the memory for them,
   * those of other node runs are left out.
   */
  inspect(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView>;
  /** Its log alone, without holding what it is made of. */
  log(row: ExecutionRow): Promise<ExecutionLog>;
  /** The same for many of one owner, in few statements. Throws WeftError PAYLOAD_TOO_LARGE when they are too much at once. */
  inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]>;
  /** What a template sees at a place of an execution, without secrets; null when there is no such place. */
  scopeAt(row: ExecutionRow, viewpoint: Viewpoint): Promise<TemplateScope | null>;
  /**
   * What a retry of an execution keeps: the outputs of the nodes that completed, but for those that run again, which are
   * `from` and all that follows from them. `version` is the one that the retry runs on. Throws WeftError
   * VALIDATION_ERROR (field `from`) when a node of `from` is not in it.
   */
  kept(
    row: ExecutionRow,
    version: number,
    from: readonly string[],
  ): Promise<Record<string, Record<string, Json>>>;
  /** A timer was made due from outside: looks at once. */
  look(): void;
  health(): EngineHealth;
  /** Recovers what earlier processes left, then dispatches, fires timers and keeps leases until `drain`. */
  open(): Promise<void>;
  /** Takes no new work, lets running nodes end within `graceMs`, releases the rest. Safe to call twice. */
  drain(graceMs: number): Promise<void>;
};
