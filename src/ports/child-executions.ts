import type { ExecutionStatus, NodeError, NodeErrorType } from '../contract/execution.ts';
import type { Json } from '../lib/json/json.ts';

/** The execution and node run that asks. `key` is the same on every attempt and after a crash. */
export type ParentNode = {
  readonly ownerId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly path: string;
  readonly key: string;
};

export type ChildRequest = {
  readonly workflowId: string;
  readonly input: Json;
  /** Whether the caller goes on when the child has ended; it is then woken. */
  readonly waits: boolean;
  /** What starts it: a node's own doing, or an error that is handed on. */
  readonly type: 'sub_workflow' | 'error';
  /** Tells apart several children of one node run. */
  readonly part?: string;
};
export type ChildStart =
  | { kind: 'started'; executionId: string }
  | { kind: 'refused'; type: NodeErrorType; message: string };

/** `gone`: it was deleted. */
export type ChildState =
  | { kind: 'open' }
  | { kind: 'ended'; status: ExecutionStatus; output: Json; error: NodeError | null }
  | { kind: 'gone' };

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error';

/** What a node reaches of other executions and of people. Made of services; the runner hands it to nodes. */
export type ChildExecutions = {
  /** The same caller and key give the same child. */
  startChild(caller: ParentNode, request: ChildRequest): Promise<ChildStart>;
  child(ownerId: string, executionId: string): Promise<ChildState>;
  /** Of one that has ended nothing changes. */
  stopChild(ownerId: string, executionId: string): Promise<void>;
  /** What was posted to this node run; undefined as long as nothing was. */
  signal(caller: ParentNode): Promise<Json | undefined>;
  /** Where to post for this node run. */
  resumeUrl(place: { ownerId: string; executionId: string; path: string }): string;
  notify(caller: ParentNode, notice: { level: NoticeLevel; message: string; channel: string | null }): void;
};
