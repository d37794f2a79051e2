import type { ByteSource } from './byte-source.ts';
import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../lib/json/json.ts';
import type { FieldError } from './errors.ts';
import type { ExecutionStatus, HttpAnswer, LogLevel, NodeError, NodeErrorType } from './execution.ts';
import type { BundledPackage } from './packages.ts';
import type { SecretFields } from './secret-fields.ts';
import type { Mail, MailServer, SentMail } from './mail.ts';
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

/** Why an attempt failed. `retryAfter` (ms) is the other side's own wish; `retryable: false` beats every policy. */
export type NodeFailure = {
  type: NodeErrorType;
  message: string;
  status?: number;
  retryAfter?: number;
  retryable?: boolean;
  data?: Json;
  /** Where it happened, of one in a body or one that is passed on: so that the error names the node to look at. */
  origin?: { nodeId: string; attempt: number };
};

/**
 * What one attempt of a node came to.
 * - `done`: a value per output port; a port left out stays dead. `respond` answers the waiting webhook once it is on
 *   disk; `end` ends the whole execution.
 * - `wait`: nothing to do until `until` (epoch ms). When it is due, `run` is called again with `ctx.resumed`. With `event` it
 *   may go on earlier: `run` is called whenever something may have come, and says `wait` with the same `until` when not.
 * - `failed`: a typed error; the retry policy decides, then the `error` port.
 */
export type Outcome =
  | {
      kind: 'done';
      outputs: Record<string, Json>;
      respond?: HttpAnswer;
      end?: { status: 'completed'; output: Json } | { status: 'failed'; message: string };
    }
  | { kind: 'wait'; until: number; event?: true }
  | { kind: 'failed'; error: NodeFailure };

/** A value that reached a node: by which connection, from which node. */
export type Delivery = { from: string; port: string; value: Json };

/** A part of a multipart/form-data body: a field, or with `filename` a file. */
export type FormPart = {
  name: string;
  filename?: string;
  contentType?: string;
  content: string | Uint8Array | ByteSource;
};

/** A request through the egress gate. Times in ms; `maxBytes` bounds the decoded answer. */
export type HttpRequest = {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | ByteSource | readonly FormPart[];
  /** What a 3xx does: followed through the gate (credentials dropped when the origin changes) or returned. */
  redirect?: 'follow' | 'return';
  /** From the first byte to the last, redirects included. */
  timeout?: number;
  /** How long nothing may move in either direction. */
  idleTimeout?: number;
  maxBytes?: number;
  /** The URL of a proxy to go through, perhaps with credentials. */
  proxy?: string;
  /**
   * Asked when the head of the answer is there, redirects behind it: under this name the body becomes a file of the execution
   * as it arrives, without ever being held whole. Null, or no such function: it is held, and is the response's `body`.
   */
  toFile?: (head: HttpHead) => { name: string; contentType: string } | null;
};

/** `headers` have lower-case names; several values of one name are joined by ", ". */
export type HttpHead = { status: number; headers: Record<string, string>; url: string };
/** `body` is empty when there is a `file`. */
export type HttpResponse = HttpHead & { body: Uint8Array; file?: FileReference };

/** Thrown by `ctx.http`, `ctx.mail` and `ctx.sql`: a typed failure that a node may return as it is. */
export class HttpFailure extends Error {
  readonly failure: NodeFailure;
  constructor(failure: NodeFailure) {
    super(failure.message);
    this.name = 'HttpFailure';
    this.failure = failure;
  }
}

/** OAuth 2.0 at a token endpoint: client credentials, or a refresh token. */
export type TokenRequest = {
  token_url: string;
  client_id: string;
  client_secret?: string;
  scope?: string;
  refresh_token?: string;
  /** As in a request. */
  proxy?: string;
};

/** A token of a connected account. `apiUrl`: where the API is that it is for; null when that is not known. */
export type ConnectionToken = { token: string; apiUrl: string | null };

/** A reference to binary data kept beside the database. `size` in bytes. */
export type FileReference = { $file: { id: string; name: string; content_type: string; size: number } };

/** User code for the sandbox: an ES module whose default export is called with `argument`. `timeout` in ms. */
export type CodeCall = { source: string; argument: Json; timeout: number };
export type CodeResult = { kind: 'value'; value: Json } | { kind: 'failed'; error: NodeFailure };

/** What a node reaches of other executions and of people. Everything is for the node run that asks. */
export type NodeFlow = {
  /**
   * Starts another workflow of the same owner; the same node run gets the same child on every attempt. `part` tells apart
   * several children of one node run.
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
  /** Of one that has ended nothing changes. */
  stopChild(executionId: string): Promise<void>;
  /** What was posted to this node run; undefined as long as nothing was. */
  signal(): Promise<Json | undefined>;
  /** Where to post, to go on with this node run. */
  resumeUrl(): string;
  notify(notice: {
    level: 'info' | 'success' | 'warning' | 'error';
    message: string;
    channel: string | null;
  }): void;
  /** Whether something is connected to this port of the node. */
  isConnected(port: string): boolean;
};

/** All that a node reaches of the world. Everything here belongs to one attempt. */
export type NodeContext = {
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  /** Tells iterations apart: `loop[17]/x`. */
  readonly path: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
  /** The same on every attempt of the same node run and after a crash. */
  readonly idempotencyKey: string;
  /** Aborted when the node's time is up or the execution ends. */
  readonly signal: AbortSignal;
  /** What arrived, per connection, in the order of the definition's connections. */
  readonly deliveries: readonly Delivery[];
  /** Set when `run` is called again after a `wait`. When the wait began and when it is due (epoch ms). */
  readonly resumed: { since: number; due: number } | null;
  /** Epoch ms. */
  now(): number;
  log(level: LogLevel, message: string, data?: Json): void;
  /** The value of a deferred template of this attempt's configuration. Throws what fails the node with the field's name. */
  evaluate(template: DeferredTemplate, extra: ScopeExtra): Json;
  readonly http: {
    /** Throws HttpFailure for anything but an answer. */
    send(request: HttpRequest): Promise<HttpResponse>;
    /** An access token, used until it expires. `refused`: the one that was just answered with 401; another one is got, once. */
    token(request: TokenRequest, refused?: string): Promise<string>;
    /** The same of a connected account, by its name; the same token again when there is no newer one to be had. */
    connection(name: string, refused?: string): Promise<ConnectionToken>;
  };
  readonly mail: {
    /** Hands one mail to an SMTP server. Throws HttpFailure unless the server took it for at least one recipient. */
    send(server: MailServer, mail: Mail): Promise<SentMail>;
  };
  readonly sql: {
    /** One statement on a PostgreSQL server, wholly done or not at all. Throws HttpFailure for anything but a result. */
    query(server: SqlServer, statement: SqlStatement): Promise<SqlResult>;
  };
  readonly flow: NodeFlow;
  readonly files: {
    save(file: {
      name: string;
      contentType: string;
      bytes: Uint8Array | AsyncIterable<Uint8Array>;
    }): Promise<FileReference>;
    /** Null when there is no such file in this execution. */
    open(reference: FileReference): Promise<(ByteSource & { name: string; contentType: string }) | null>;
  };
  readonly code: {
    /** Never rejects: whatever the code does is a `code` failure. What it prints goes to the log. */
    run(call: CodeCall): Promise<CodeResult>;
  };
};

/** Marks a deferred template: no configuration that a user writes can hold this key. */
export const deferred = Symbol('deferred');
/** Stands in a configuration for a text that the node evaluates itself, with `ctx.evaluate`, as often as it needs. */
export type DeferredTemplate = { readonly [deferred]: true };
/** Names that a node adds to the scope of a deferred template; undefined: as without it. */
export type ScopeExtra = { value?: Json | undefined; item?: Json | undefined; index?: number | undefined };

/**
 * A node that runs other nodes as its body (`parallel`, loops). A region is a list of node ids that run in order;
 * `control` decides, purely, which runs of a region start and when the node is done. It must give the same decisions
 * for the same sequence of calls: after a crash it is replayed from the journal.
 */
export type BodyStep = {
  /** `key` is unique in this node run and stands in the path: `loop[key]/x`. */
  start?: { key: string; region: string; input: Json; item?: Json; index?: number }[];
  /** Keys of body runs that are to be stopped. */
  stop?: string[];
  outcome?: Outcome;
};
export type BodyResult = { status: 'completed'; output: Json } | { status: 'failed'; error: NodeFailure };
export type BodyControl = {
  begin(): BodyStep;
  settled(key: string, result: BodyResult): BodyStep;
  /** The values that it keeps until its node ends: they count as what the execution keeps in memory. */
  held(): readonly Json[];
};

/**
 * How strings in a configuration are treated: `literal` is never a template, `deferred` is evaluated by the node, in a `url`
 * each placeholder stays in its place.
 */
export type TemplateMode = 'literal' | 'deferred' | 'url';

export type NodeExample = {
  title: string;
  config: JsonObject;
  input: Json;
  /** What each connection brought, for a node that looks at them one by one. */
  deliveries?: readonly Delivery[];
  /** What comes out, per port; run as a test when the node has no external effects, printed as documentation. */
  outputs?: Record<string, Json>;
  /** Or the failure that it shows. */
  failure?: NodeErrorType;
};

/** A catalogue entry with its behaviour. Made by `defineNode`, which types `config`. */
export type NodeType = {
  readonly type: string;
  /** major.minor.patch */
  readonly version: string;
  readonly name: string;
  readonly category: NodeCategory;
  readonly description: string;
  readonly icon: string;
  /** JSON Schema (TypeBox) of `config`, closed. */
  readonly config: TSchema;
  /** Exceptions to "every string may be a template", by pointer with `*` for any key or index: `operations.*.transform`. */
  readonly templates?: Readonly<Record<string, TemplateMode>>;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /**
   * What the catalogue shows in place of the ports, by name: the fields of the configuration and those of the one
   * result. Connections may name them: an output gives its field alone, an input takes what arrives.
   */
  readonly fields?: { readonly inputs: readonly InputPort[]; readonly outputs: readonly OutputPort[] };
  /** Output ports that depend on the configuration (`switch`); beside `outputs`. */
  readonly dynamicOutputs?: (config: JsonObject) => OutputPort[];
  /** `external`: its start waits for the disk and it gets an idempotency key. `none`: it may run ahead of the disk. */
  readonly effects: 'none' | 'external';
  /** Of a custom node: the code that runs, and the packages in it. */
  readonly implementation?: {
    readonly runtime: 'javascript';
    /** As it was registered, without packages. */
    readonly handler: string;
    /** Bytes. */
    readonly size: number;
    readonly sha256: string;
    readonly dependencies: readonly BundledPackage[];
  };
  /** The fields of the configuration that may read `{{ secrets.NAME }}`, and where what they read goes. None unless given. */
  readonly secrets?: SecretFields;
  /** A trigger is an entry of the graph: it is never run, what started the execution is its output. */
  readonly isTrigger: boolean;
  /** ms; how long an attempt may take when `config.timeout` is not given. Null: no limit of its own. */
  readonly timeout: number | null;
  /** Where it depends on the configuration, whose templates are not yet evaluated; `timeout` is then the usual one. */
  readonly timeoutFor?: (config: JsonObject) => number;
  /** The node itself keeps to `config.timeout`, and counts only the time in which it is at work. */
  readonly keepsTime?: boolean;
  /** The texts of a configuration that are code; each must compile. `field` is relative to the config. */
  readonly sources?: (config: JsonObject) => { field: string; source: string }[];
  /** The connected accounts that a configuration names. `field` is relative to the config. */
  readonly connections?: (config: JsonObject) => { field: string; name: string }[];
  /** The workflows that a configuration names by their ids, likewise. */
  readonly workflows?: (config: JsonObject) => { field: string; name: string }[];
  /** Connections named in the configuration; `field` (`trueAction`) is where, relative to it. */
  readonly edges?: (config: JsonObject) => { port: string; to: string; field?: string }[];
  /** The body's regions named in the configuration; `field` (`nodes`) is where the list of ids stands. */
  readonly regions?: (config: JsonObject) => { name: string; nodes: string[]; field?: string }[];
  /** Faults that the schema cannot say; `field` is relative to the config. */
  readonly check?: (config: JsonObject) => FieldError[];
  readonly control?: (config: never, input: Json) => BodyControl;
  /**
   * Of a type that handles failures: the retry that it has for a node whose `error` port leads to it, asked before that node
   * fails for good; null: none (any more). Pure. `used` tells how many retries a strategy, by its index, has made for the node
   * run; `delay` (ms) is nominal.
   */
  readonly recover?: (
    config: JsonObject,
    failure: NodeFailure,
    used: (strategy: number) => number,
  ) => { strategy: number; delay: number } | null;
  readonly run: (ctx: NodeContext, config: never, input: Json) => Outcome | Promise<Outcome>;
  readonly examples: readonly NodeExample[];
};
