import {
  createCookieCredentials,
  csrfHeader,
  createMemoryStore,
  type CookieCredentials,
} from './cookie-credentials.ts';
import {
  createCredentials,
  requireOneCredential,
  type CredentialOptions,
  type Credentials,
} from './credentials.ts';
import { ExecutionFailedError, UnauthorizedError } from './errors.ts';
import {
  AuthOperations,
  AuthSessionOperations,
  ExecutionsLogsOperations,
  ExecutionsOperations,
  Operations,
} from './generated/operations.ts';
import type {
  CookieLogin,
  Done,
  ExecuteWorkflowInput,
  Execution,
  ExecutionDetail,
  LogEntry,
  Login,
  LoginInput,
  RefreshInput,
  StreamEvent,
} from './generated/types.ts';
import { createGraphql, type Graphql } from './graphql.ts';
import { followSubscription, type SubscribeOptions } from './streams/subscription.ts';
import { createWebSocketHub, type WebSocketHub, type WebSocketClass } from './streams/websocket-hub.ts';
import { createLive, type Live } from './streams/live-updates.ts';
import { streamExecution, type StreamOptions } from './streams/execution-stream.ts';
import { followLog, type FollowOptions } from './streams/log-follower.ts';
import type { ExecuteOptions, RequestOptions } from './request.ts';
import { createTransport, type Transport } from './transport.ts';
import { waitFor, type WaitOptions } from './wait-for.ts';

export type ClientOptions = CredentialOptions & {
  /** The base URL of the service, such as `https://weft.example.com`; a trailing `/v1` is optional. */
  readonly baseUrl: string;
  /** Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** For live updates. Default: the platform's `WebSocket`; Node 20 has none. */
  readonly WebSocket?: WebSocketClass | undefined;
  /** Timeout of one attempt in ms. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** Retries of repeatable requests after the first attempt. Default: 3. */
  readonly retries?: number | undefined;
  /** ms; when `Retry-After` asks for a longer wait, the call fails without a retry. Default: 10,000. */
  readonly maxRetryDelay?: number | undefined;
  /** ms without a connection after which live updates, logs and `waitFor` fail. Default: five minutes. */
  readonly giveUpAfter?: number | undefined;
  /** The maximum size of a response in bytes. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** Cookie sessions, for a client with the option `cookie`, which renews them. */
export class CookieSessions extends AuthSessionOperations {
  readonly #credentials: CookieCredentials | null;

  constructor({ call }: Transport, credentials: CookieCredentials | null) {
    super((request, options) =>
      call(request, { ...options, headers: { ...csrfHeader, ...options?.headers } }),
    );
    this.#credentials = credentials;
  }

  /** Logs in; the client uses this session from then on. */
  override open(body: LoginInput, options?: RequestOptions): Promise<CookieLogin> {
    return this.#runExclusive(async (credentials) => {
      const login = await super.open(body, options);
      credentials.keep(login);
      return login;
    });
  }

  /** Renews the session now. Never required: the client renews it before it expires. */
  override refresh(options?: RequestOptions): Promise<CookieLogin> {
    return this.#runExclusive(async (credentials) => {
      const login = await super.refresh(options);
      credentials.keep(login);
      return login;
    });
  }

  /** Ends the session and removes the cookie. */
  override close(options?: RequestOptions): Promise<Done> {
    return this.#runExclusive(async (credentials) => {
      const done = await super.close(options);
      await credentials.forget();
      return done;
    });
  }

  async #runExclusive<T>(work: (credentials: CookieCredentials) => Promise<T>): Promise<T> {
    const credentials = this.#credentials;
    if (credentials === null)
      throw new TypeError('Sessions by cookie need the option cookie of createClient.');
    return credentials.runExclusive(() => work(credentials));
  }
}

/** Sessions are held and renewed by the client. */
export class Auth extends AuthOperations {
  override readonly session: CookieSessions;
  readonly #held: Credentials | null;

  /** `credentials`: null for a client whose session is a cookie. */
  constructor(transport: Transport, credentials: Credentials | null, session: CookieSessions) {
    super(transport.call);
    this.session = session;
    this.#held = credentials;
  }

  get #credentials(): Credentials {
    if (this.#held === null) throw new TypeError('The session of this client is a cookie: use auth.session.');
    return this.#held;
  }

  /** Logs in; the client uses this session from then on. */
  override async login(body: LoginInput, options?: RequestOptions): Promise<Login> {
    const credentials = this.#credentials;
    const login = await super.login(body, options);
    await credentials.keep(login);
    return login;
  }

  /** Renews the session now. Never required: the client renews it before it expires. */
  override async refresh(body: RefreshInput = {}, options?: RequestOptions): Promise<Login> {
    const credentials = this.#credentials;
    const held = await credentials.current();
    const token = body.token ?? (held?.kind === 'token' ? held.token : undefined);
    const login = await super.refresh({ token }, options);
    await credentials.keep(login);
    return login;
  }

  /** Ends the session and removes it from the client. */
  override async logout(options?: RequestOptions): Promise<Done> {
    const credentials = this.#credentials;
    const done = await super.logout(options);
    await credentials.forget();
    return done;
  }
}

export class Logs extends ExecutionsLogsOperations {
  readonly #transport: Transport;
  readonly #giveUpAfter: number;

  constructor(transport: Transport, giveUpAfter: number) {
    super(transport.call);
    this.#transport = transport;
    this.#giveUpAfter = giveUpAfter;
  }

  /**
   * Yields the log from its beginning until the execution ends; the generator's return value is the final
   * status. A stream that breaks off resumes after the last entry. Uses server-sent events; needs no
   * WebSocket.
   */
  follow(id: string, options: FollowOptions = {}): AsyncGenerator<LogEntry, Execution['status'], undefined> {
    return followLog(this.#transport, id, {
      ...options,
      giveUpAfter: options.giveUpAfter ?? this.#giveUpAfter,
    });
  }
}

export type RunOptions = WaitOptions & Pick<ExecuteOptions, 'idempotencyKey'>;

export class Executions extends ExecutionsOperations {
  override readonly logs: Logs;
  readonly #execute: (id: string, body: ExecuteWorkflowInput, options: ExecuteOptions) => Promise<Execution>;
  readonly #hub: (() => WebSocketHub) | null;
  readonly #giveUpAfter: number;
  readonly #transport: Transport;

  constructor(
    transport: Transport,
    execute: (id: string, body: ExecuteWorkflowInput, options: ExecuteOptions) => Promise<Execution>,
    hub: (() => WebSocketHub) | null,
    giveUpAfter: number,
  ) {
    super(transport.call);
    this.logs = new Logs(transport, giveUpAfter);
    this.#transport = transport;
    this.#execute = execute;
    this.#hub = hub;
    this.#giveUpAfter = giveUpAfter;
  }

  /**
   * Yields the texts of models, the calls of tools, the approvals and the usage of an execution from its
   * beginning; the last event is `done`. A stream that breaks off continues after the last event.
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return streamExecution(this.#transport, id, {
      ...options,
      giveUpAfter: options.giveUpAfter ?? this.#giveUpAfter,
    });
  }

  /**
   * Resolves with the execution once it has ended, in any status. @throws {TimeoutError} after `timeout`
   * (default: one hour).
   */
  waitFor(id: string, options?: WaitOptions): Promise<ExecutionDetail> {
    return waitFor((one, given) => this.get(one, given), this.#hub, this.#giveUpAfter, id, options);
  }

  /**
   * Runs a workflow and returns the ended execution. @throws {ExecutionFailedError} if it failed or stopped.
   */
  async run(
    workflowId: string,
    input: Record<string, unknown> = {},
    options: RunOptions = {},
  ): Promise<ExecutionDetail> {
    const { idempotencyKey, signal } = options;
    const { id } = await this.#execute(workflowId, { input }, { idempotencyKey, signal });
    const execution = await this.waitFor(id, options);
    if (execution.status === 'completed') return execution;
    throw new ExecutionFailedError('EXECUTION_FAILED', {
      message: execution.error?.message ?? `The execution was ${execution.status}.`,
      details: { execution_id: id, status: execution.status, error: execution.error },
    });
  }
}

/** The API of a service with the caller's credential. Created by `createClient`. */
export class Client extends Operations {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  override readonly auth: Auth;
  override readonly executions: Executions;
  /** Live updates over one WebSocket, which reconnects when it breaks off. */
  readonly live: Live;
  /** Runs a GraphQL query or mutation and returns its `data`. */
  readonly graphql: Graphql;
  readonly #subscribe: <Data>(
    query: string,
    variables: object | undefined,
    options: SubscribeOptions,
  ) => AsyncGenerator<Data, void, undefined>;

  constructor(options: ClientOptions) {
    const baseUrl = normalizeBaseUrl(options.baseUrl);
    const given = options.fetch ?? globalThis.fetch;
    const { giveUpAfter = 300_000 } = options;
    requireOneCredential(options);
    const held: Credentials | null =
      options.cookie === undefined
        ? createCredentials(options, (token) => renew(transport, token), Date.now)
        : null;
    const cookie: CookieCredentials | null =
      options.cookie === undefined
        ? null
        : createCookieCredentials(
            options.cookie === true ? createMemoryStore() : options.cookie,
            () => renewCookie(transport),
            Date.now,
          );
    const credentials = (held ?? cookie)!;
    const transport: Transport = createTransport(
      {
        baseUrl,
        // A browser's fetch throws when it is called as a method of another object.
        fetch: (...request) => given(...request),
        timeout: options.timeout ?? 30_000,
        retries: options.retries ?? 3,
        maxRetryDelay: options.maxRetryDelay ?? 10_000,
        maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
        headers: options.headers ?? {},
      },
      credentials,
    );
    super(transport.call);
    const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
    const hub = lazily(() => {
      if (WebSocket === undefined)
        throw new TypeError(
          'There is no WebSocket here: give createClient one, such as that of the package ws.',
        );
      return createWebSocketHub({
        url: `${baseUrl.replace(/^http/, 'ws')}/ws`,
        WebSocket,
        credentials,
        giveUpAfter,
      });
    });
    this.baseUrl = baseUrl;
    this.auth = new Auth(transport, held, new CookieSessions(transport, cookie));
    this.executions = new Executions(
      transport,
      (id, body, chosen) => this.workflows.execute(id, body, chosen),
      WebSocket === undefined ? null : hub,
      giveUpAfter,
    );
    this.live = createLive(hub, this.executions);
    this.graphql = createGraphql(transport.call);
    this.#subscribe = (query, variables, chosen) =>
      followSubscription(
        transport,
        { query, variables },
        { ...chosen, giveUpAfter: chosen.giveUpAfter ?? giveUpAfter },
      );
  }

  /**
   * Yields the events of a GraphQL subscription until it ends or `signal` aborts. A stream that breaks off is
   * reopened; events in between are lost. Server-sent events; needs no WebSocket. @throws {GraphqlError} when
   * a result contains an error, {ConnectionError} after `giveUpAfter` without a connection.
   */
  subscribe<Data = Record<string, unknown>>(
    query: string,
    variables?: object,
    options: SubscribeOptions = {},
  ): AsyncGenerator<Data, void, undefined> {
    return this.#subscribe<Data>(query, variables, options);
  }
}

/**
 * Creates a client of the Weft service at `baseUrl`, with one of `apiKey`, `token`, `session` and `cookie`,
 * or without a credential until `client.auth.login`. Sends nothing before the first call.
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

/** Null: there is no session, or it has ended. */
async function renewCookie({ call }: Transport): Promise<CookieLogin | null> {
  try {
    return await call<CookieLogin>(
      { method: 'POST', path: '/auth/session/refresh', isPublic: true, isSafe: true },
      { headers: csrfHeader },
    );
  } catch (error) {
    if (error instanceof UnauthorizedError) return null;
    throw error;
  }
}

/** Null: this token cannot be renewed: it belongs to no session, or its session has ended. */
async function renew({ call }: Transport, token: string): Promise<Login | null> {
  try {
    return await call<Login>({
      method: 'POST',
      path: '/auth/refresh',
      body: { token },
      isPublic: true,
      // For one minute, the same old token returns the same new one.
      isSafe: true,
    });
  } catch (error) {
    if (error instanceof UnauthorizedError) return null;
    throw error;
  }
}

function normalizeBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(text)}; it takes an address such as http://127.0.0.1:8080.`,
      { cause },
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`baseUrl is ${JSON.stringify(text)}; it takes an http or https address.`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
