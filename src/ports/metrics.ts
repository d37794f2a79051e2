import type { NodeErrorType, SettledStatus, TriggerType } from '../contract/execution.ts';

/** Doors whose connections stay open. */
export const streamingApis = ['websocket', 'graphql_ws', 'event_stream', 'other'] as const;
export type StreamingApi = (typeof streamingApis)[number];

/** What an outgoing call came to: the class of its status, or why there was none. */
export type CallOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | NodeErrorType;

/**
 * What happens, told to whoever measures. No verb takes an id, an owner, or a text of a user: each combination of what they
 * take is a row that is kept for ever. Durations in ms. No verb throws.
 */
export type Metrics = {
  executionStarted(trigger: TriggerType): void;
  /** `ms` from its first node on; null when none ran. */
  executionEnded(status: SettledStatus, ms: number | null): void;
  /** One attempt of a node. `type` is a node type's name; what no built-in is called counts as `custom`. */
  nodeRan(type: string, status: 'completed' | 'failed' | 'waiting', ms: number): void;
  committed(checkpoints: number, ms: number): void;
  /** `route` is the pattern of the path; null: there was none. */
  requestAnswered(method: string, route: string | null, status: number, ms: number): void;
  webhookAnswered(status: number): void;
  called(outcome: CallOutcome, ms: number): void;
  /** A request was answered with RATE_LIMITED; `reason` as in its details. */
  refused(reason: string): void;
  /** Call what it returns when the connection is closed; a second call does nothing. */
  connectionOpened(door: StreamingApi): () => void;
};

const nothing = (): void => {};

/** Nobody measures. */
export const noMetrics: Metrics = {
  executionStarted: nothing,
  executionEnded: nothing,
  nodeRan: nothing,
  committed: nothing,
  requestAnswered: nothing,
  webhookAnswered: nothing,
  called: nothing,
  refused: nothing,
  connectionOpened: () => nothing,
};
