import type { ExecutionStatus, NodeError, NodeErrorType } from './execution.ts';
import type { Json } from '../lib/json/json.ts';

/** Access to other executions and to approvals. Every call belongs to the node run that makes it. */
export type NodeFlow = {
  /**
   * Starts another workflow of the same owner. The same node run gets the same child on every attempt; `part`
   * distinguishes several children of one node run.
   */
  startChild(child: {
    workflowId: string;
    input: Json;
    waits: boolean;
    type: 'sub_workflow' | 'error';
    part?: string;
  }): Promise<
    { kind: 'started'; executionId: string } | { kind: 'refused'; type: NodeErrorType; message: string }
  >;
  child(
    executionId: string,
  ): Promise<
    | { kind: 'open' }
    | { kind: 'ended'; status: ExecutionStatus; output: Json; error: NodeError | null }
    | { kind: 'gone' }
  >;
  /** Has no effect on an execution that has ended. */
  stopChild(executionId: string): Promise<void>;
  /** The signal posted to this node run; undefined until there is one. */
  signal(): Promise<Json | undefined>;
  /** The URL at which a POST resumes this node run. */
  resumeUrl(): string;
  notify(notice: {
    level: 'info' | 'success' | 'warning' | 'error';
    message: string;
    channel: string | null;
  }): void;
  /** Whether a connection leaves this port of the node. */
  isConnected(port: string): boolean;
};
