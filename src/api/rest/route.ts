import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Json } from '../../lib/json/json.ts';

/** A query value. Text that parses as the integer, number or boolean of the route's schema is converted. */
export type QueryValue = string | number | boolean;

/** Receives the events of a stream. Events after the stream is closed are dropped. */
export type EventSink = {
  /**
   * Sends `data` as JSON. A client with more than 1 MiB buffered is disconnected. `id` is returned as
   * `Last-Event-ID`.
   */
  send(data: Json, event?: string, id?: string): void;
  /** Sends an event as `formatEvent` returns it, for events that several clients receive. */
  sendFormatted(text: string): void;
  /** Like `send`, with data that is not JSON: one line. */
  sendLine(data: string): void;
  /**
   * Resolves when the client has read the buffered events, within 30 s, or the stream is closed. For long
   * replays.
   */
  ready(): Promise<void>;
  close(): void;
  readonly closed: boolean;
  /** Called once when the client disconnects, `close` is called, or the server drains. */
  onClose(run: () => void): void;
};

/**
 * A handler result: server-sent events. `run` may return early; the stream ends with `sink.close()`.
 * `beforeDrain` runs before the server closes the stream because it stops.
 */
export class EventStream {
  readonly run: (sink: EventSink) => void | Promise<void>;
  readonly beforeDrain: (sink: EventSink) => void;
  constructor(
    run: (sink: EventSink) => void | Promise<void>,
    beforeDrain: (sink: EventSink) => void = () => {},
  ) {
    this.run = run;
    this.beforeDrain = beforeDrain;
  }
}

/** A handler result of raw bytes, sent as fast as the client reads. `size` null: unknown. */
export class Download {
  readonly contentType: string;
  readonly size: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(contentType: string, size: number | null, bytes: AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.size = size;
    this.bytes = bytes;
  }
}

/**
 * The input of a handler. Query and body are only checked for known names; the service validates them with
 * its schema.
 */
export type Context = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Parsed JSON; `{}` when the route has no body, or when an optional body is missing. */
  readonly body: unknown;
  /** Header names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The raw request, for reading the session cookie. */
  readonly request: IncomingMessage;
  readonly origin: RequestOrigin;
  readonly requestId: string;
  readonly setHeader: (name: string, value: string) => void;
  /** Overrides the status of the route. */
  readonly setStatus: (status: 200 | 201 | 206 | 500 | 503) => void;
  /** `return ctx.stream((sink) => …)` responds with server-sent events. */
  readonly stream: (run: (sink: EventSink) => void | Promise<void>) => EventStream;
};
export type GuardedContext = Context & { readonly principal: Principal };

type RouteBase = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Relative to `/v1`, with `{name}` for a parameter: `/workflows/{id}`. */
  readonly path: string;
  /**
   * The unique name of the operation, in camelCase: `listWorkflows`. Generated clients use it, so it never
   * changes.
   */
  readonly operation: string;
  /** The status of a successful response. */
  readonly status: 200 | 201;
  readonly summary: string;
  /** A closed object schema of the accepted query parameters. Without it, none are accepted. */
  readonly query?: TSchema;
  /**
   * The schema of the body, for the documentation; the service validates. Without it, the body must be empty
   * or `{}`.
   */
  readonly body?: TSchema;
  /**
   * Runs before the body is read and rejects the request by throwing. For public routes whose path is the
   * credential.
   */
  readonly beforeBody?: (params: Readonly<Record<string, string>>) => Promise<void>;
  /** Maximum bytes of the body; defaults to `limits.requestBodyBytes`. */
  readonly bodyLimit?: number;
  /** When true, a missing body is the same as `{}`. */
  readonly bodyOptional?: boolean;
  /** The schema of a successful response; `bytes` for a Download, `events` for an EventStream. */
  readonly response: TSchema | 'bytes' | 'events';
  /** Errors in addition to those that `route-errors.ts` derives from the route. */
  readonly errors?: readonly ErrorCode[];
  /** Responses with other statuses that are not errors. */
  readonly otherResponses?: readonly {
    readonly status: 200 | 206 | 500 | 503;
    readonly response: TSchema | 'bytes';
    readonly description: string;
  }[];
  /** Request headers of this route in addition to the credential. */
  readonly requestHeaders?: readonly { readonly name: string; readonly description: string }[];
  /** Response headers of this route in addition to the common headers. */
  readonly responseHeaders?: readonly { readonly name: string; readonly description: string }[];
  /** Whether the route is allowed when the plan's rate limit is exceeded. */
  readonly isRateLimitExempt?: true;
  /** The schema of an EventStream's events: always, or for `Accept: text/event-stream`. */
  readonly events?: TSchema;
};

/**
 * Requires no credential. The principal is null unless `readsCredential` is set and the credential is valid.
 */
export type PublicRoute = RouteBase & {
  readonly scope: 'public';
  readonly readsCredential?: true;
  handle(ctx: Context & { readonly principal: Principal | null }): unknown;
};
/**
 * `scope` is what the caller needs: a scope, `session` (a login, not an API key) or `any` (any valid
 * credential). The service enforces it for all APIs; the route declares it for the documentation and the
 * permission tests.
 */
export type GuardedRoute = RouteBase & {
  readonly scope: Scope | 'session' | 'any';
  /** A second required scope, because the response contains more than the request. */
  readonly additionalScope?: Scope;
  handle(ctx: GuardedContext): unknown;
};

/** A route of the REST API. `handle` returns the body (or a promise of it), or `ctx.stream(…)`. */
export type Route = PublicRoute | GuardedRoute;
