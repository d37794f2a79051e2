import type { ExecutionStatus, NodeError, NodeErrorType } from '../contract/execution.ts';
import type { NodeOrchestration, Question } from '../contract/node-orchestration.ts';
import type { Json } from '../lib/json/json.ts';

/** The calling execution and node run. `key` is the same on every attempt and after a crash. */
export type ParentNode = {
  readonly ownerId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly path: string;
  readonly key: string;
};

export type ChildRequest = {
  readonly workflowId: string;
  readonly input: Json;
  /** Whether the caller waits for the end of the child, which then wakes it. */
  readonly waits: boolean;
  /** The cause: a node that starts a sub-workflow, or an error that is passed to a handler workflow. */
  readonly type: 'sub_workflow' | 'error';
  /** Distinguishes several children of one node run. */
  readonly part?: string;
};
export type ChildStart =
  | { kind: 'started'; executionId: string }
  | { kind: 'refused'; type: NodeErrorType; message: string };

/** `gone`: the execution was deleted. */
export type ChildState =
  | { kind: 'open' }
  | { kind: 'ended'; status: ExecutionStatus; output: Json; error: NodeError | null }
  | { kind: 'gone' };

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error';

/**
 * Access of nodes to other executions and to users. Implemented by services; the runner passes it to nodes.
 */
export type Orchestration = {
  /** Idempotent: the same caller and key return the same child. */
  startChild(caller: ParentNode, request: ChildRequest): Promise<ChildStart>;
  child(ownerId: string, executionId: string): Promise<ChildState>;
  /** Has no effect on an execution that has ended. */
  stopChild(ownerId: string, executionId: string): Promise<void>;
  /** The value posted to this node run; undefined: none yet. */
  signal(caller: ParentNode): Promise<Json | undefined>;
  /** The URL that resumes this node run. */
  resumeUrl(location: { ownerId: string; executionId: string; path: string }): string;
  /** Idempotent: a node run has one decision. */
  ask(caller: ParentNode, question: Question): ReturnType<NodeOrchestration['ask']>;
  countNotice: NodeOrchestration['countNotice'];
  hasMessage: NodeOrchestration['hasMessage'];
  recordMessage: NodeOrchestration['recordMessage'];
  endQuestion(caller: ParentNode): ReturnType<NodeOrchestration['endQuestion']>;
  notify(caller: ParentNode, notice: { level: NoticeLevel; message: string; channel: string | null }): void;
};
