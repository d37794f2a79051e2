import type { NodeErrorType, SettledStatus, TriggerType } from '../contract/execution.ts';

/** APIs whose connections stay open. */
export const streamingApis = ['websocket', 'graphql_ws', 'event_stream', 'other'] as const;
export type StreamingApi = (typeof streamingApis)[number];

/** Outcome of an outgoing call: the class of its status, or the error type when there was no response. */
export type CallOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | NodeErrorType;

/**
 * Records measurements. Labels never contain an id, an owner or user-provided text, because every combination
 * of labels is kept forever. Durations in ms. No method throws.
 */
export type Metrics = {
  executionStarted(trigger: TriggerType): void;
  /** `ms` since the start of its first node; null when no node ran. */
  executionEnded(status: SettledStatus, ms: number | null): void;
  /** One attempt of a node. `type` is the name of a built-in node type; all others count as `custom`. */
  recordNodeRun(type: string, status: 'completed' | 'failed' | 'waiting', ms: number): void;
  committed(checkpoints: number, ms: number): void;
  /** `route` is the pattern of the path; null: no route matched. */
  requestCompleted(method: string, route: string | null, status: number, ms: number): void;
  webhookResponded(status: number): void;
  called(outcome: CallOutcome, ms: number): void;
  /** A request was rejected with RATE_LIMITED; `reason` as in its details. */
  refused(reason: string): void;
  /** Call the returned function when the connection is closed; a second call has no effect. */
  connectionOpened(api: StreamingApi): () => void;
};

const noop = (): void => {};

/** Used when metrics are disabled. */
export const noMetrics: Metrics = {
  executionStarted: noop,
  executionEnded: noop,
  recordNodeRun: noop,
  committed: noop,
  requestCompleted: noop,
  webhookResponded: noop,
  called: noop,
  refused: noop,
  connectionOpened: () => noop,
};
