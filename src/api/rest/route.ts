import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Json } from '../../lib/json/json.ts';

/** A query value as it reached us. Where the row's schema says integer, number or boolean and the text is one, it is one. */
export type QueryValue = string | number | boolean;

/** Where the events of a stream go. Everything is dropped once it is closed. */
export type EventSink = {
  /** One event: `data` as JSON. A client too slow to take 1 MiB is cut off. `id` comes back as `Last-Event-ID`. */
  send(data: Json, event?: string, id?: string): void;
  /** Resolves when what was sent has been taken, or the stream is closed: for long replays. A client gets 30 s for it. */
  ready(): Promise<void>;
  close(): void;
  readonly closed: boolean;
  /** Called once when the client leaves, `close` is called, or the server drains. */
  onClose(run: () => void): void;
};

/** A special answer of a handler: server-sent events. `run` may return at once; the stream ends with `sink.close()`. */
export class EventStream {
  readonly run: (sink: EventSink) => void | Promise<void>;
  constructor(run: (sink: EventSink) => void | Promise<void>) {
    this.run = run;
  }
}

/** A special answer of a handler: `size` bytes as they are, sent as fast as the client takes them. */
export class Download {
  readonly contentType: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(contentType: string, size: number, bytes: AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.size = size;
    this.bytes = bytes;
  }
}

/** What a handler gets. Query and body are unchecked but for known names: the service checks them with its schema. */
export type Context = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Parsed JSON; `{}` where the row takes none, or none was sent to a row with `bodyOptional`. */
  readonly body: unknown;
  /** Lower-case names. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** For what reads the session cookie. */
  readonly request: IncomingMessage;
  readonly ip: string;
  readonly requestId: string;
  readonly setHeader: (name: string, value: string) => void;
  /** Replaces the row's status. */
  readonly setStatus: (status: 200 | 201 | 206 | 500 | 503) => void;
  /** `return ctx.stream((sink) => …)` answers with server-sent events. */
  readonly stream: (run: (sink: EventSink) => void | Promise<void>) => EventStream;
};
export type GuardedContext = Context & { readonly principal: Principal };

type RouteBase = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Below `/v1`, with `{name}` for a parameter: `/workflows/{id}`. */
  readonly path: string;
  /** The name of the operation, in camelCase and unique: `listWorkflows`. Clients are made from it, so it never changes. */
  readonly operation: string;
  /** Of success. */
  readonly status: 200 | 201;
  readonly summary: string;
  /** A closed object schema; its names are the only query parameters taken. Without it: none. */
  readonly query?: TSchema;
  /** The schema of the body, for the documents; the service checks. Without it a body must be empty or `{}`. */
  readonly body?: TSchema;
  /** Runs before the body is read; what it throws is the answer. For public routes whose path holds the credential. */
  readonly beforeBody?: (params: Readonly<Record<string, string>>) => Promise<void>;
  /** Bytes of the body; `limits.requestBody` unless given. */
  readonly bodyLimit?: number;
  /** True: no body is the same as `{}`. */
  readonly bodyOptional?: boolean;
  /** The schema of the body of success; `bytes` for a Download. */
  readonly answer: TSchema | 'bytes';
  /** Errors beside those that follow from the rest of the row: `route-errors.ts` says which these are. */
  readonly errors?: readonly ErrorCode[];
  /** Answers of other statuses than success that are no errors. */
  readonly also?: readonly {
    readonly status: 206 | 500 | 503;
    readonly answer: TSchema | 'bytes';
    readonly description: string;
  }[];
  /** Request headers that mean something here beside the credential. */
  readonly takesHeaders?: readonly { readonly name: string; readonly description: string }[];
  /** Headers of the answer that mean something here beside those of every answer. */
  readonly givesHeaders?: readonly { readonly name: string; readonly description: string }[];
  /** Never refused because the plan's limit is used up. */
  readonly hasAlwaysRoom?: true;
  /** Set when `Accept: text/event-stream` gets the events of this schema as they come. */
  readonly events?: TSchema;
};

/** Needs no credential. The principal is null unless `readsCredential` is set and the caller has a valid one. */
export type PublicRoute = RouteBase & {
  readonly scope: 'public';
  readonly readsCredential?: true;
  handle(ctx: Context & { readonly principal: Principal | null }): unknown;
};
/**
 * `scope` is what the caller needs: a scope, `session` (a login, no API key) or `any` (any valid credential). The
 * service enforces it, for all doors alike; the row declares it for the documents and the matrix test.
 */
export type GuardedRoute = RouteBase & {
  readonly scope: Scope | 'session' | 'any';
  /** A second scope that the caller needs, because the answer shows more than was sent. */
  readonly alsoNeeds?: Scope;
  handle(ctx: GuardedContext): unknown;
};

/** One row of the REST table. `handle` returns the body (or a promise of it), or `ctx.stream(…)`. */
export type Route = PublicRoute | GuardedRoute;
