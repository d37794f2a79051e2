import type { ExecutionStatus } from '../contract/execution.ts';

/** An open span. `traceparent` is the W3C header that makes it the parent of further spans. */
export type OpenSpan = {
  readonly traceparent: string;
  /** `fault`: the error message; null: success. A second call has no effect. */
  end(error: string | null, attributes?: Readonly<Record<string, string | number>>): void;
};

/** An execution and, when it was called within a trace, its parent. */
export type TracedExecution = { readonly executionId: string; readonly traceparent: string | null };

export type TracedAttempt = TracedExecution & {
  readonly type: string;
  readonly nodeId: string;
  readonly path: string;
  readonly attempt: number;
  readonly workflowId: string;
};

/** Sends spans to a collector. No method throws or waits. */
export type Tracer = {
  /** An incoming request; `parent` is its traceparent header, if valid. */
  entered(name: string, parent: string | undefined): OpenSpan;
  attempt(attempt: TracedAttempt): OpenSpan;
  /** An outgoing request; `parent` is the caller's traceparent. `url` must not contain secrets. */
  request(parent: string, method: string, url: string): OpenSpan;
  /** An execution has ended, on disk. Times in ms since the epoch. */
  executionEnded(execution: TracedExecution & { status: ExecutionStatus; start: number; end: number }): void;
};
