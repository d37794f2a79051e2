import type { Json } from '../lib/json/json.ts';
import type { TraceContext } from '../lib/network/trace-context.ts';
import type { ModelCallSum } from '../contract/ai/usage.ts';
import type { LogLevel } from '../contract/execution.ts';
import type { SecretRead } from '../contract/secret-fields.ts';
import type { FileRows } from './store/files.ts';
import type { OpenSpan } from './tracer.ts';
import type { DeferredTemplate, Delivery, NodeType, Outcome, ScopeExtra } from '../contract/node-type.ts';

/** The trace of an attempt: the parent of spans that it causes. */
export type AttemptTrace = {
  readonly traceparent: string;
  request(method: string, url: string): OpenSpan;
};

/** One attempt of one node, as the engine passes it to the runner. */
export type Attempt = {
  readonly ownerId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly path: string;
  readonly attempt: number;
  /** As in `NodeContext`. */
  readonly interruptions: number;
  readonly type: NodeType;
  readonly input: Json;
  readonly deliveries: readonly Delivery[];
  readonly resumed: { since: number; due: number } | null;
  readonly idempotencyKey: string;
  /** The trace context of the request that started the execution. */
  readonly traceContext: TraceContext | null;
  /** Set while tracing is enabled. */
  trace?: AttemptTrace;
  isConnected(port: string): boolean;
  /**
   * Secrets that the configuration reads, with their positions; the runner loads them just before
   * `configure`.
   */
  readonly secretReads: readonly SecretRead[];
  /**
   * The configuration with its expressions evaluated. Throws the errors of the evaluation (an Error with
   * `field`). Secrets are passed by name → value and must not be kept.
   */
  configure(secrets: ReadonlyMap<string, string> | null): unknown;
  /**
   * Evaluates a deferred template of the configuration, after `configure` and with its secrets. Throws the
   * same errors.
   */
  evaluate(template: DeferredTemplate, extra: ScopeExtra): Json;
  /**
   * Identifies a configuration with the same values on every attempt, so that it is validated once. Otherwise
   * null.
   */
  readonly fixedConfig: object | null;
  /** Timeout (ms) of this attempt, or null. */
  readonly timeout: number | null;
  /**
   * Calls the listener once when the execution ends (at once if it has ended). One listener; returns a
   * function to remove it.
   */
  onAbort(listener: () => void): () => void;
  log(level: LogLevel, message: string, data: Json): void;
  /** Takes the rows of saved files, for an attempt whose execution does not exist yet. */
  readonly fileRows?: Pick<FileRows, 'saveFile' | 'file'>;
};

/**
 * The result of an attempt. `deferred`: Weft could not serve it (the store is unavailable or full, or the
 * process is stopping). The attempt did not fail and is repeated later.
 */
export type AttemptResult = (Outcome | { kind: 'deferred' }) & {
  /** The calls of models that the attempt completed, whatever its outcome, one entry per model. */
  readonly usage?: readonly ModelCallSum[];
};

/**
 * Runs one attempt. Never throws and never rejects: errors are results. Synchronous for synchronous nodes.
 */
export type NodeRunner = { run(attempt: Attempt): Outcome | Promise<AttemptResult> };
