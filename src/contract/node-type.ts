import type { ByteSource, FileReference, StoredFile } from './byte-source.ts';
import type { TSchema } from 'typebox';
import type { ConnectionCredentials, TokenRequest } from './connections/connection-credentials.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import type { DocumentCall, DocumentResult } from './documents.ts';
import type { FieldError } from './errors.ts';
import type { ExecutionResponse, LogLevel, NodeErrorType } from './execution.ts';
import type { BundledPackage } from './packs/packages.ts';
import type { NodeOrchestration } from './node-orchestration.ts';
import type { NpmUsableTrigger } from './packs/npm-packs.ts';
import type { PackCall, PackTriggerCall } from './packs/pack-call.ts';
import type { SecretFields } from './secret-fields.ts';
import type { NodeLiveText, NodeMcp, NodeModels, NodeThreads } from './ai/node-services.ts';
import type { NodeVectors } from './ai/vectors.ts';
import type { NodeStreamEvent } from './ai/stream-events.ts';
import type { ThreadTurn } from './ai/threads.ts';
import type { CallAmounts } from './ai/usage.ts';
import type { MailAccess } from './mail.ts';
import type { RedisCommand, RedisServer } from './redis.ts';
import type { SqlResult, SqlServer, SqlStatement } from './sql.ts';

export const nodeCategories = [
  'trigger',
  'flow',
  'data',
  'http',
  'connector',
  'code',
  'ai',
  'custom',
] as const;
export type NodeCategory = (typeof nodeCategories)[number];

export type InputPort = { name: string; type: string; required: boolean; description: string };
export type OutputPort = { name: string; type: string; description: string };

/**
 * Why an attempt failed. `retryAfter` (ms) is the delay that the service requested; `retryable: false`
 * overrides every policy.
 */
export type NodeFailure = {
  type: NodeErrorType;
  message: string;
  status?: number;
  retryAfter?: number;
  retryable?: boolean;
  data?: Json;
  /** The node run in which a nested or forwarded failure occurred, so that the error names that node. */
  origin?: { nodeId: string; attempt: number };
};

/**
 * The result of one attempt of a node.
 *
 * - `done`: a value per output port; a port without a value stays inactive. `respond` responds to the
 * waiting webhook once the response is on disk; `end` ends the whole execution; `turn` is added to a thread
 * in the transaction that records the end.
 *
 * - `begin`: the body begins with a value that the node loaded (see `loads`).
 *
 * - `wait`: the node has nothing to do until `until` (epoch ms); `run` is then called again with
 * `ctx.resumed`. With `event`, `run` is also called earlier, whenever an event may have arrived, and returns
 * `wait` with the same `until` if none has.
 *
 * - `failed`: a typed error, handled by the retry policy and then by the `error` port.
 */
export type Outcome =
  | {
      kind: 'done';
      outputs: Record<string, Json>;
      respond?: ExecutionResponse;
      end?: { status: 'completed'; output: Json } | { status: 'failed'; message: string };
      turn?: ThreadTurn;
    }
  | { kind: 'begin'; value: Json }
  | { kind: 'wait'; until: number; event?: true }
  | { kind: 'failed'; error: NodeFailure };

/** A value that arrived at a node, with the node and port that it came from. */
export type Delivery = { from: string; port: string; value: Json };

/** A part of a multipart/form-data body: a field, or with `filename` a file. */
export type FormPart = {
  name: string;
  filename?: string;
  contentType?: string;
  content: string | Uint8Array | ByteSource;
};

/** A request through the egress policy. Times in ms; `maxBytes` limits the decoded response. */
export type HttpRequest = {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | ByteSource | readonly FormPart[];
  /** Whether a 3xx redirect is followed (credentials are dropped when the origin changes) or returned. */
  redirect?: 'follow' | 'return';
  /** Time from the first byte to the last, redirects included. */
  timeout?: number;
  /** Time without any data in either direction. */
  idleTimeout?: number;
  maxBytes?: number;
  /** The URL of a proxy, which may contain credentials. */
  proxy?: string;
  /** Sends the request even if the attempt has ended, within ten seconds: it undoes an earlier one. */
  afterEnd?: true;
  /**
   * Called with the head of the final response, after redirects. When it returns a name, the body is streamed
   * to a file of the execution under that name. When it returns null or is absent, the body is read into
   * memory as `body`.
   */
  toFile?: (head: HttpHead) => { name: string; contentType: string } | null;
};

/** `headers` have lower-case names; several values of one name are joined by ", ". */
export type HttpHead = { status: number; headers: Record<string, string>; url: string };
/** `body` is empty when there is a `file`. */
export type HttpResponse = HttpHead & { body: Uint8Array; file?: FileReference };

/** Thrown by `ctx.http`, `ctx.mail`, `ctx.sql` and `ctx.redis`: a typed failure that a node may return. */
export class HttpFailure extends Error {
  readonly failure: NodeFailure;
  constructor(failure: NodeFailure) {
    super(failure.message);
    this.name = 'HttpFailure';
    this.failure = failure;
  }
}

/** User code for the sandbox: an ES module; its default export receives `argument`. `timeout` in ms. */
export type CodeCall = { source: string; argument: Json; timeout: number };
export type CodeResult = { kind: 'value'; value: Json } | { kind: 'failed'; error: NodeFailure };

/**
 * `files`: those that the action wrote; a text of `value` that is an `id` stands for the file.
 * `hasConnected`: whether the action opened a connection, and may have had an effect, before it failed.
 */
export type PackCallResult =
  | { kind: 'value'; value: Json; files: readonly { id: string; name: string; bytes: Uint8Array }[] }
  | { kind: 'failed'; error: NodeFailure; hasConnected: boolean };

/** What a node can use while it runs. Everything belongs to one attempt. */
export type NodeContext = {
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  /** Identifies the iteration: `loop[17]/x`. */
  readonly path: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * How many earlier attempts of the node run were interrupted by the end of the process. What they sent may
   * have had its effect.
   */
  readonly interruptions: number;
  /** The same for all attempts of a node run, also after a crash. */
  readonly idempotencyKey: string;
  /** Aborted when the node times out or the execution ends. */
  readonly signal: AbortSignal;
  /** The input values per connection, in the order of the definition's connections. */
  readonly deliveries: readonly Delivery[];
  /** The fields of the configuration that read a secret. */
  readonly secretFields: readonly string[];
  /** Set when `run` is called again after a `wait`: when the wait began and when it is due (epoch ms). */
  readonly resumed: { since: number; due: number } | null;
  /** Epoch ms. */
  now(): number;
  log(level: LogLevel, message: string, data?: Json): void;
  /**
   * Evaluates a deferred template of this attempt's configuration. Throws the error that fails the node, with
   * the name of the field.
   */
  evaluate(template: DeferredTemplate, extra: ScopeExtra): Json;
  readonly http: {
    /** @throws {HttpFailure} when there is no response. */
    send(request: HttpRequest): Promise<HttpResponse>;
    /**
     * Returns an access token, cached until it expires. `refused` is a token that was just rejected with 401;
     * it is replaced once.
     */
    token(request: TokenRequest, refused?: string): Promise<string>;
    /**
     * The same for a connected account, by name; returns the same token when no newer one is available. All
     * further requests of the attempt are restricted to the hosts of the connection.
     */
    connection(name: string, refused?: string): Promise<ConnectionCredentials>;
  };
  readonly mail: MailAccess;
  readonly sql: {
    /** Runs one statement atomically. @throws {HttpFailure} when there is no result. */
    query(server: SqlServer, statement: SqlStatement): Promise<SqlResult>;
  };
  readonly mcp: NodeMcp;
  readonly models: NodeModels;
  readonly threads: NodeThreads;
  readonly vectors: NodeVectors;
  readonly liveText: NodeLiveText;
  readonly redis: {
    /** Sends one command, which must not wait or change the connection. @throws {HttpFailure} */
    send(server: RedisServer, command: RedisCommand): Promise<Json>;
  };
  readonly orchestration: NodeOrchestration;
  readonly files: {
    save(file: {
      name: string;
      contentType: string;
      bytes: Uint8Array | AsyncIterable<Uint8Array>;
    }): Promise<FileReference>;
    /** Null when the execution has no such file. */
    open(reference: FileReference): Promise<StoredFile | null>;
  };
  readonly documents: {
    /**
     * Runs a program for foreign documents in a process without network and files. Never rejects.
     */
    run(call: DocumentCall): Promise<DocumentResult>;
  };
  readonly code: {
    /**
     * Never rejects: every failure of the code is a `code` failure. Console output goes to the execution log.
     */
    run(call: CodeCall): Promise<CodeResult>;
  };
  readonly packs: {
    /**
     * Runs an action of a pack from npm in a process of its own. All its connections are restricted like
     * requests of the node.
     */
    run(call: PackCall): Promise<PackCallResult>;
  };
};

/** Marks a deferred template. A configuration from a user cannot contain this key. */
export const deferred = Symbol('deferred');
/** Replaces a string in a configuration that the node evaluates with `ctx.evaluate`, as often as it needs. */
export type DeferredTemplate = { readonly [deferred]: true };
/** Names that a node adds to the scope of a deferred template; undefined: unchanged. */
export type ScopeExtra = { value?: Json | undefined; item?: Json | undefined; index?: number | undefined };

/**
 * A node that runs other nodes as its body. A region is a list of node ids that run in order. `control`
 * decides which runs of a region start and when the node is done. It must be deterministic: its calls are
 * replayed.
 */
export type BodyStep = {
  /** `key` is unique in this node run and is part of the path: `loop[key]/x`. */
  start?: { key: string; region: string; input: Json; item?: Json; index?: number }[];
  /** Keys of body runs to stop. */
  stop?: string[];
  events?: readonly NodeStreamEvent[];
  outcome?: Outcome;
};
export type BodyResult = { status: 'completed'; output: Json } | { status: 'failed'; error: NodeFailure };
/** The node of a body: `isConnected` returns whether a connection leaves one of its ports. */
export type BodyNode = { isConnected(port: string): boolean };
export type BodyControl = {
  /** `at` is the time of the journaled event, in epoch ms. */
  begin(at: number): BodyStep;
  /** `used`: the calls of models in the nodes that have ended, also in bodies below; null without any. */
  settled(key: string, result: BodyResult, at: number, used?: CallAmounts | null): BodyStep;
  /** Bytes, as JSON, of the values that it retains until its node ends. `measure` returns those of one. */
  countRetainedBytes(measure: (value: Json) => number): number;
  /** What has changed, as data for a structured clone. A new object continues it with `restore`. */
  save(): unknown;
  restore(saved: unknown): void;
};

/**
 * How strings in a configuration are treated: `literal` is never a template, `deferred` is evaluated by the
 * node, `url` encodes each placeholder for its position in the URL, and `markdown` escapes each placeholder.
 */
export type TemplateMode = 'literal' | 'deferred' | 'url' | 'markdown';

export type NodeExample = {
  title: string;
  config: JsonObject;
  input: Json;
  /** The value of each connection, for a node that handles them one by one. */
  deliveries?: readonly Delivery[];
  /** The output per port; tested when the node has no external effects, and printed in the documentation. */
  outputs?: Record<string, Json>;
  /** The failure that the example shows instead of outputs. */
  failure?: NodeErrorType;
};

/** A catalog entry and its implementation. Created by `defineNode`, which types `config`. */
export type NodeType = {
  readonly type: string;
  /** major.minor.patch */
  readonly version: string;
  readonly name: string;
  readonly category: NodeCategory;
  readonly description: string;
  readonly icon: string;
  /** Other words that people search for, most important first. */
  readonly keywords: readonly string[];
  /** JSON Schema (TypeBox) of `config`, closed. */
  readonly config: TSchema;
  /**
   * Exceptions to "every string may be a template", by path with `*` for any key or index:
   * `operations.*.transform`.
   */
  readonly templates?: Readonly<Record<string, TemplateMode>>;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /**
   * What the catalog shows instead of the ports, by name: the fields of the configuration and of the
   * result. Connections may use these names: an output emits only its field, an input receives the whole
   * value.
   */
  readonly fields?: { readonly inputs: readonly InputPort[]; readonly outputs: readonly OutputPort[] };
  /** Additional output ports that depend on the configuration (`switch`). */
  readonly dynamicOutputs?: (config: JsonObject) => OutputPort[];
  /**
   * `external`: an attempt starts after its start is on disk, and gets an idempotency key. `none`: it may
   * start before that.
   */
  readonly effects: 'none' | 'external';
  /** For a custom node: the code that runs, with its packages. */
  readonly implementation?: {
    readonly runtime: 'javascript';
    /** The source as registered, without packages. */
    readonly handler: string;
    /** In bytes. */
    readonly size: number;
    readonly sha256: string;
    readonly dependencies: readonly BundledPackage[];
  };
  /**
   * For the node type of a pack: the pack, its number of operations, and the keys of `secrets` that all its
   * operations have.
   */
  readonly pack?: {
    readonly name: string;
    readonly operations: number;
    readonly secretFields: readonly string[];
  };
  /** For a pack's triggers. `createCall`: a node type that runs one. `webhooks`: events by requests. */
  readonly packTrigger?: {
    readonly pack: string;
    readonly createCall: (trigger: PackTriggerCall) => NodeType;
    readonly webhooks: ReadonlyMap<string, Pick<NpmUsableTrigger, 'strategy' | 'handshake' | 'renewal'>>;
  };
  /**
   * The configuration fields that may use `{{ secrets.NAME }}`, and where their values are sent. Default:
   * none.
   */
  readonly secrets?: SecretFields;
  /**
   * A trigger is an entry point of the graph: it never runs; its output is the event that started the
   * execution.
   */
  readonly isTrigger: boolean;
  /** In ms: the time limit of an attempt when `config.timeout` is not set. Null: no limit of its own. */
  readonly timeout: number | null;
  /**
   * The time limit when it depends on the configuration, whose templates are not yet evaluated; `timeout` is
   * then the default.
   */
  readonly timeoutFor?: (config: JsonObject) => number;
  /** The node enforces `config.timeout` itself, and counts only the time in which it is active. */
  readonly keepsTime?: boolean;
  /** The code in a configuration; each source must compile. `field` is relative to the config. */
  readonly sources?: (config: JsonObject) => { field: string; source: string }[];
  /** The connected accounts that a configuration names. `field` is relative to the config. */
  readonly connections?: (config: JsonObject) => { field: string; name: string }[];
  /** The ids of workflows that a configuration names. `field` is relative to the config. */
  readonly workflows?: (config: JsonObject) => { field: string; name: string }[];
  /** Connections declared in the configuration; `field` (`trueAction`) is their path in it. */
  readonly edges?: (config: JsonObject) => { port: string; to: string; field?: string }[];
  /** The body's regions declared in the configuration; `field` (`nodes`) is the path of the list of ids. */
  readonly regions?: (config: JsonObject) => { name: string; nodes: string[]; field?: string }[];
  /** Validation that the schema cannot express; `field` is relative to the config. */
  readonly check?: (config: JsonObject) => FieldError[];
  /** What a completed run reports to callers that follow the execution. Must be pure. */
  readonly streamEvents?: (outputs: Readonly<Record<string, Json>>) => NodeStreamEvent[];
  readonly control?: (config: never, input: Json, node: BodyNode, loaded?: Json | null) => BodyControl;
  /**
   * How runs of the body depend on each other, for a retry from within one of them: whether the run `key`
   * depends on the result of the run `on`. Null: none depends on another. Absent: each depends on all others.
   */
  readonly dependence?: (config: JsonObject) => ((key: string, on: string) => boolean) | null;
  /**
   * Whether a node with a body runs first, to load what its body begins with (`begin`). The value is
   * journaled, so that the body is replayed with the same one. The templates of `config` are not evaluated.
   */
  readonly loads?: (config: JsonObject) => boolean;
  /**
   * For a node type that handles failures: returns the retry for a node whose `error` port leads to it,
   * called before that node finally fails; null: no (further) retry. Must be pure. `used` is the number of
   * retries of each strategy, by its index, for the node run; `delay` (ms) is nominal.
   */
  readonly recover?: (
    config: JsonObject,
    failure: NodeFailure,
    used: (strategy: number) => number,
  ) => { strategy: number; delay: number } | null;
  readonly run: (ctx: NodeContext, config: never, input: Json) => Outcome | Promise<Outcome>;
  readonly examples: readonly NodeExample[];
};
