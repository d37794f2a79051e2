import type { Json } from '../lib/json/json.ts';
import type { TraceContext } from '../lib/network/trace-context.ts';
import type { LogLevel } from '../contract/execution.ts';
import type { SecretRead } from '../contract/secret-fields.ts';
import type { OpenSpan } from './tracer.ts';
import type { DeferredTemplate, Delivery, NodeType, Outcome, ScopeExtra } from '../contract/node-type.ts';

/** What an attempt causes is told with it as the parent. */
export type AttemptTrace = {
  readonly traceparent: string;
  request(method: string, url: string): OpenSpan;
};

/** One attempt of one node, as the engine hands it out. */
export type Attempt = {
  readonly ownerId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly path: string;
  readonly attempt: number;
  readonly type: NodeType;
  readonly input: Json;
  readonly deliveries: readonly Delivery[];
  readonly resumed: { since: number; due: number } | null;
  readonly idempotencyKey: string;
  /** The trace context of the request that started the execution. */
  readonly traceContext: TraceContext | null;
  /** Set while somebody traces. */
  trace?: AttemptTrace;
  isConnected(port: string): boolean;
  /** Where the configuration reads which secrets; the runner loads them just before `configure`. */
  readonly secretReads: readonly SecretRead[];
  /**
   * The configuration with its templates evaluated. Throws what the template engine throws (an Error with `field`).
   * Secrets are passed by name → value; nothing of them may be kept.
   */
  configure(secrets: ReadonlyMap<string, string> | null): unknown;
  /** What a deferred template of the configuration gives; only after `configure`, whose secrets it sees. Throws as that does. */
  evaluate(template: DeferredTemplate, extra: ScopeExtra): Json;
  /** Stands for the configuration when that has the same values on every attempt: it is then checked once. */
  readonly fixedConfig: object | null;
  /** ms for this attempt, or null for none. */
  readonly timeout: number | null;
  /** Called once, when the execution ends while the node runs; at once, if it has. There is one listener; returns what forgets it. */
  onAbort(listener: () => void): () => void;
  log(level: LogLevel, message: string, data: Json): void;
};

/**
 * What became of an attempt. `deferred`: Weft itself could not serve it now (the store is unavailable or full, or the
 * process is stopping). It did not fail: the same attempt is made again later.
 */
export type AttemptResult = Outcome | { kind: 'deferred' };

/** Runs one attempt. Never throws and never rejects: everything is a result. Sync for nodes that are. */
export type NodeRunner = { run(attempt: Attempt): Outcome | Promise<AttemptResult> };
