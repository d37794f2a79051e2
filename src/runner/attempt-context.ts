import type { LogLevel } from '../contract/execution.ts';
import type { DeferredTemplate, Delivery, NodeContext, ScopeExtra } from '../contract/node-type.ts';
import type { Json } from '../lib/json/json.ts';
import type { Attempt } from '../ports/runner.ts';

/** Services that an attempt may use, created on first use. */
export type AttemptEnvironment = {
  now(): number;
  signal(): AbortSignal;
  http(): NodeContext['http'];
  mail(): NodeContext['mail'];
  sql(): NodeContext['sql'];
  mcp(): NodeContext['mcp'];
  models(): NodeContext['models'];
  threads(): NodeContext['threads'];
  vectors(): NodeContext['vectors'];
  liveText(): NodeContext['liveText'];
  redis(): NodeContext['redis'];
  files(): NodeContext['files'];
  orchestration(): NodeContext['orchestration'];
  code(): NodeContext['code'];
  documents(): NodeContext['documents'];
  packs(): NodeContext['packs'];
  log(level: LogLevel, message: string, data: Json): void;
};

/** The node's view of its attempt. All members are on the prototype, so that creating a context is cheap. */
export class AttemptContext implements NodeContext {
  readonly #attempt: Attempt;
  readonly #services: AttemptEnvironment;

  constructor(attempt: Attempt, services: AttemptEnvironment) {
    this.#attempt = attempt;
    this.#services = services;
  }

  get executionId(): string {
    return this.#attempt.executionId;
  }
  get workflowId(): string {
    return this.#attempt.workflowId;
  }
  get nodeId(): string {
    return this.#attempt.nodeId;
  }
  get path(): string {
    return this.#attempt.path;
  }
  get attempt(): number {
    return this.#attempt.attempt;
  }
  get interruptions(): number {
    return this.#attempt.interruptions;
  }
  get idempotencyKey(): string {
    return this.#attempt.idempotencyKey;
  }
  get deliveries(): readonly Delivery[] {
    return this.#attempt.deliveries;
  }
  get secretFields(): readonly string[] {
    return this.#attempt.secretReads.map(({ pointer }) => pointer);
  }
  get resumed(): NodeContext['resumed'] {
    return this.#attempt.resumed;
  }
  get signal(): AbortSignal {
    return this.#services.signal();
  }
  get http(): NodeContext['http'] {
    return this.#services.http();
  }
  get mail(): NodeContext['mail'] {
    return this.#services.mail();
  }
  get sql(): NodeContext['sql'] {
    return this.#services.sql();
  }
  get mcp(): NodeContext['mcp'] {
    return this.#services.mcp();
  }
  get models(): NodeContext['models'] {
    return this.#services.models();
  }
  get threads(): NodeContext['threads'] {
    return this.#services.threads();
  }
  get vectors(): NodeContext['vectors'] {
    return this.#services.vectors();
  }
  get liveText(): NodeContext['liveText'] {
    return this.#services.liveText();
  }
  get redis(): NodeContext['redis'] {
    return this.#services.redis();
  }
  get orchestration(): NodeContext['orchestration'] {
    return this.#services.orchestration();
  }
  get files(): NodeContext['files'] {
    return this.#services.files();
  }
  get code(): NodeContext['code'] {
    return this.#services.code();
  }
  get documents(): NodeContext['documents'] {
    return this.#services.documents();
  }
  get packs(): NodeContext['packs'] {
    return this.#services.packs();
  }
  now(): number {
    return this.#services.now();
  }
  evaluate(template: DeferredTemplate, extra: ScopeExtra): Json {
    return this.#attempt.evaluate(template, extra);
  }
  log(level: LogLevel, message: string, data: Json = null): void {
    this.#services.log(level, message, data);
  }
}
