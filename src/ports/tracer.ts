import type { ExecutionStatus } from '../contract/execution.ts';

/** Something that has begun. `traceparent` is the W3C header that names it as the parent of what it causes. */
export type OpenSpan = {
  readonly traceparent: string;
  /** `fault`: why it failed; null when it did not. A second call does nothing. */
  end(fault: string | null, attributes?: Readonly<Record<string, string | number>>): void;
};

/** An execution and, when it was called with a trace, what called it. */
export type TracedExecution = { readonly executionId: string; readonly traceparent: string | null };

export type TracedAttempt = TracedExecution & {
  readonly type: string;
  readonly nodeId: string;
  readonly path: string;
  readonly attempt: number;
  readonly workflowId: string;
};

/** Tells a collector what happens. No verb throws, and none waits. */
export type Tracer = {
  /** A call from outside; `parent` is its own traceparent header, if it has a right one. */
  entered(name: string, parent: string | undefined): OpenSpan;
  attempt(attempt: TracedAttempt): OpenSpan;
  /** An outgoing request; `parent` is the traceparent of what makes it. `url` without what may be secret. */
  request(parent: string, method: string, url: string): OpenSpan;
  /** An execution has ended, on disk. Times in ms since the epoch. */
  executionEnded(execution: TracedExecution & { status: ExecutionStatus; start: number; end: number }): void;
};
