import { hash } from 'node:crypto';
import { readStoredTraceContext, type TraceContext } from '../../../lib/network/trace-context.ts';
import type { Json } from '../../../lib/json/json.ts';
import type { ModelCallSum } from '../../../contract/ai/usage.ts';
import type { LogLevel } from '../../../contract/execution.ts';
import type { DeferredTemplate, Delivery, NodeType, ScopeExtra } from '../../../contract/node-type.ts';
import type { SecretRead } from '../../../contract/secret-fields.ts';
import type { Attempt, AttemptTrace } from '../../../ports/runner.ts';
import type { NodeRun } from '../../state/frame.ts';
import { anyPort, errorPort } from '../../graph/graph.ts';
import { createNodeRunScope, type NodeRunScope } from '../../state/expression-scope.ts';
import type { ExecutionData } from '../../state/execution-data.ts';
import { evaluateDeferred } from '../../../expressions/compile-config.ts';

/** The execution that an attempt belongs to. */
export type AttemptOwner = {
  readonly id: string;
  readonly ownerId: string;
  readonly workflowId: string;
  readonly state: ExecutionData;
  log(run: NodeRun, level: LogLevel, message: string, data: Json): void;
};

/** One attempt as the node runner sees it. Its methods are on the prototype: creating one must be cheap. */
export class NodeAttempt implements Attempt {
  readonly execution: AttemptOwner;
  readonly run: NodeRun;
  readonly attempt: number;
  /** ms: the start of the attempt, and `now` in its templates. */
  private readonly startedAt: number;
  readonly resumed: { since: number; due: number } | null;
  trace?: AttemptTrace;
  private secrets: ReadonlyMap<string, string> | null = null;
  private scope: NodeRunScope | null = null;
  private listener: (() => void) | null = null;
  private isAborted = false;
  /** Consecutive deferrals of the attempt. */
  deferrals = 0;
  /** The calls of models that the deferred attempts completed. */
  deferredUsage: readonly ModelCallSum[] = [];

  constructor(
    execution: AttemptOwner,
    run: NodeRun,
    attempt: number,
    startedAt: number,
    resumed: { since: number; due: number } | null,
  ) {
    this.execution = execution;
    this.run = run;
    this.attempt = attempt;
    this.startedAt = startedAt;
    this.resumed = resumed;
  }

  get ownerId(): string {
    return this.execution.ownerId;
  }
  get executionId(): string {
    return this.execution.id;
  }
  get workflowId(): string {
    return this.execution.workflowId;
  }
  get nodeId(): string {
    return this.run.node.id;
  }
  get path(): string {
    return this.run.path;
  }
  get type(): NodeType {
    return this.run.node.type;
  }
  get interruptions(): number {
    return this.run.cutOff;
  }
  isConnected(port: string): boolean {
    return this.run.node.out.some(
      (edge) => edge.port === port || (edge.port === anyPort && port !== errorPort),
    );
  }
  get input(): Json {
    return this.run.input;
  }
  get deliveries(): readonly Delivery[] {
    return this.run.deliveries;
  }
  /** Derived only from values that are stable over attempts and crashes. */
  get idempotencyKey(): string {
    return hash('sha256', `${this.execution.id}/${this.run.path}`, 'base64url');
  }
  get traceContext(): TraceContext | null {
    return readStoredTraceContext(this.execution.state.identity.trigger);
  }
  get secretReads(): readonly SecretRead[] {
    return this.run.node.compiled.secretReads;
  }
  get fixedConfig(): object | null {
    const { compiled } = this.run.node;
    return compiled.isConstant ? compiled : null;
  }
  get timeout(): number | null {
    return this.run.node.timeout;
  }

  configure(secrets: ReadonlyMap<string, string> | null): unknown {
    const { compiled } = this.run.node;
    this.secrets = secrets;
    return compiled.evaluate(compiled.isConstant ? EMPTY_SCOPE : this.getScope());
  }

  /** All evaluations of the attempt share one scope: each ends before the next begins. */
  evaluate(template: DeferredTemplate, { value, item, index }: ScopeExtra): Json {
    const { frame } = this.run;
    const scope = this.getScope();
    scope.value = value;
    scope.item = item === undefined ? frame.item : item;
    scope.index = index === undefined ? frame.index : index;
    return evaluateDeferred(template, scope);
  }

  private getScope(): NodeRunScope {
    const { secrets } = this;
    const { state } = this.execution;
    const findSecret = secrets === null ? null : (name: string) => secrets.get(name);
    return (this.scope ??= createNodeRunScope(state, this.run, this.startedAt, findSecret));
  }

  onAbort(listener: () => void): () => void {
    if (this.isAborted) listener();
    else this.listener = listener;
    return ignore;
  }

  abort(): void {
    if (this.isAborted) return;
    this.isAborted = true;
    this.listener?.();
  }

  /** The node runner limits and redacts log entries; only late ones are dropped here. */
  log(level: LogLevel, message: string, data: Json): void {
    if (!this.isAborted) this.execution.log(this.run, level, message, data);
  }
}

/** The listener is dropped together with the attempt. */
const ignore = (): void => {};
const EMPTY_SCOPE = { input: null, now: 0 };
