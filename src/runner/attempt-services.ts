import type { Socket } from 'node:net';
import type { LogLevel } from '../contract/execution.ts';
import type { ConnectionCredentials, TokenRequest } from '../contract/connections/connection-credentials.ts';
import type { HttpRequest, HttpResponse, NodeContext, NodeFailure } from '../contract/node-type.ts';
import type { Json } from '../lib/json/json.ts';
import { createRedactor, type Redactor } from '../lib/text/redact.ts';
import { redactJson } from '../lib/text/redact-json.ts';
import type { Reservation } from '../lib/limits/memory-budget.ts';
import { limits } from '../ports/limits.ts';
import type { Attempt, AttemptTrace } from '../ports/runner.ts';
import { normalizeHost } from './allowed-hosts.ts';
import type { AttemptEnvironment } from './attempt-context.ts';
import type { HostCheck, Receive } from './http/egress-client.ts';
import { createAttemptOrchestration } from './attempt-orchestration.ts';
import { createAttemptThreads } from './attempt-threads.ts';
import { createAttemptVectors } from './attempt-vectors.ts';
import { createAttemptFiles, type AttemptFiles } from './attempt-files.ts';
import { meterStream } from './mcp/metered-stream.ts';
import type { McpChannel } from './mcp/mcp-channel.ts';
import { groupCallSums, type ModelCallSum } from '../contract/ai/usage.ts';
import type { LiveTextWriter } from '../ports/live-texts.ts';
import type { SessionAttempt } from './sessions/session-runner.ts';
import { AttemptSecrets, checkUrlHost, type LoadedSecret } from './attempt-secrets.ts';
import type { AttemptServicesDeps } from './attempt-services-deps.ts';
import { useMailbox } from './imap/imap.ts';
import { sendMail } from './smtp/smtp.ts';
import { createSendOptions, type SendOptions } from './http/send-options.ts';

/** The services of one attempt: secrets and their hosts, redaction, cancellation, files and log. */
export class AttemptServices implements AttemptEnvironment {
  readonly #deps: AttemptServicesDeps;
  readonly #attempt: Attempt;
  #secrets: ReadonlyMap<string, LoadedSecret> | null = null;
  /** Tokens and fields of connections that were passed to the node, for redaction. */
  #issuedSecrets: Set<string> | null = null;
  #secretUse: AttemptSecrets | null = null;
  #redact: Redactor | null = null;
  #abort: AbortController | null = null;
  #ended: Error | null = null;
  #http: NodeContext['http'] | null = null;
  #files: AttemptFiles | null = null;
  /** Memory of large responses, reserved until the node has ended. */
  #reservations: Reservation[] | null = null;
  #liveText: LiveTextWriter | null = null;
  #logged = 0;
  /** The calls of models that the attempt completed. */
  readonly #calls: ModelCallSum[] = [];

  constructor(deps: AttemptServicesDeps, attempt: Attempt) {
    this.#deps = deps;
    this.#attempt = attempt;
  }

  set secrets(secrets: ReadonlyMap<string, LoadedSecret>) {
    this.#secrets = secrets;
    this.#secretUse = new AttemptSecrets(this.#attempt.type, this.#attempt.secretReads, secrets);
  }

  /** Ends everything that the node still runs. */
  end(reason: Error): void {
    this.#ended = reason;
    this.#abort?.abort(reason);
    this.#liveText?.close();
    // By then, the engine counts the values as part of the execution.
    const taken = this.#reservations?.filter((reservation) => reservation.isTaken) ?? [];
    if (taken.length > 0) this.#deps.clock.soon(() => taken.forEach((reservation) => reservation.leave()));
  }

  /** Redacts secrets in a failure. */
  redactFailure(failure: NodeFailure): NodeFailure {
    if (this.#hasNoSecrets()) return failure;
    const { data } = failure;
    return {
      ...failure,
      message: this.redact(failure.message),
      ...(data === undefined ? {} : { data: this.#redactData(data) }),
    };
  }

  #redactData(data: Json): Json {
    return this.#hasNoSecrets() ? data : redactJson(data, (text) => this.redact(text));
  }

  redact(text: string): string {
    if (this.#hasNoSecrets()) return text;
    this.#redact ??= createRedactor([
      ...[...(this.#secrets?.values() ?? [])].map(({ value }) => value),
      ...(this.#issuedSecrets ?? []),
    ]);
    return this.#redact(text);
  }

  #hasNoSecrets(): boolean {
    return this.#secrets === null && this.#issuedSecrets === null;
  }

  #addSecrets(texts: readonly string[]): void {
    this.#issuedSecrets = new Set([...(this.#issuedSecrets ?? []), ...texts]);
    this.#redact = null;
  }

  now(): number {
    return this.#deps.clock.now();
  }

  signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#ended !== null) this.#abort.abort(this.#ended);
    }
    return this.#abort.signal;
  }

  http(): NodeContext['http'] {
    this.#http ??= {
      send: (request) =>
        this.#send(request, this.#secretUse?.forRequest(request), createSendOptions(request)),
      token: (request, refused) => this.#token(request, refused ?? null),
      connection: (name, refused) => this.#connection(name, refused ?? null),
    };
    return this.#http;
  }

  mail(): NodeContext['mail'] {
    return {
      send: (server, mail) => sendMail(server, mail, (to) => this.#connect(to)),
      useMailbox: (server, path, readOnly, work) =>
        useMailbox(server, path, readOnly, work, (to) => this.#connect(to)),
    };
  }

  sql(): NodeContext['sql'] {
    const attempt = this.#sessionAttempt();
    return {
      query: (server, statement) =>
        this.#deps[server.system === 'mysql' ? 'mysql' : 'postgres'].query(server, statement, attempt),
    };
  }

  redis(): NodeContext['redis'] {
    const attempt = this.#sessionAttempt();
    return { send: (server, command) => this.#deps.redis.query(server, command, attempt) };
  }

  #sessionAttempt(): SessionAttempt {
    const { egress } = this.#deps;
    const { ownerId, timeout } = this.#attempt;
    const checkHost = this.#secretUse?.forConnection();
    return {
      ownerId,
      signal: this.signal(),
      timeout,
      check: ({ host, port }) => checkHost?.(normalizeHost(host), port),
      connect: (to, signal) => egress.connect(to, signal, checkHost),
    };
  }

  mcp(): NodeContext['mcp'] {
    const channel: McpChannel = {
      ownerId: this.#attempt.ownerId,
      signal: this.signal(),
      send: (request, signal, receive) =>
        this.#send(request, this.#secretUse?.forRequest(request), { signal, receive }),
      log: (level, message, data) => this.log(level, message, data),
    };
    return {
      listTools: (server, options) => this.#deps.mcp.listTools(channel, server, options),
      callTool: (server, call) => this.#deps.mcp.callTool(channel, server, call),
    };
  }

  models(): NodeContext['models'] {
    const signal = this.signal();
    return this.#deps.models.open({
      signal,
      ownerId: this.#attempt.ownerId,
      workflowId: this.#attempt.workflowId,
      calls: this.#calls,
      send: (request, receive) =>
        this.#send(request, this.#secretUse?.forRequest(request), { signal, receive }),
    });
  }

  threads(): NodeContext['threads'] {
    return createAttemptThreads(this.#deps, this.#attempt);
  }

  vectors(): NodeContext['vectors'] {
    return createAttemptVectors(this.#deps, this.#attempt);
  }

  /** The calls of models that the attempt completed, one entry per model; undefined without one. */
  usage(): readonly ModelCallSum[] | undefined {
    return this.#calls.length === 0 ? undefined : groupCallSums(this.#calls);
  }

  liveText(): NodeContext['liveText'] {
    this.#liveText ??= this.#deps.liveTexts.open(this.#attempt.executionId, this.#attempt.path);
    return this.#liveText;
  }

  files(): AttemptFiles {
    this.#files ??= createAttemptFiles({
      ...this.#deps,
      ownerId: this.#attempt.ownerId,
      executionId: this.#attempt.executionId,
      ...(this.#attempt.fileRows === undefined ? {} : { fileRows: this.#attempt.fileRows }),
    });
    return this.#files;
  }

  orchestration(): NodeContext['orchestration'] {
    return createAttemptOrchestration(this.#deps.orchestration, this.#attempt, (text) => this.redact(text));
  }

  code(): NodeContext['code'] {
    return {
      run: (call) =>
        this.#deps.sandbox.run({
          ...call,
          ownerId: this.#attempt.ownerId,
          signal: this.signal(),
          log: (level, message) => this.log(level, message, { path: this.#attempt.path }),
        }),
    };
  }

  packs(): NodeContext['packs'] {
    return {
      run: (call) => {
        const checkHost = this.#secretUse?.forConnection();
        const refusals = new Set<string>();
        return this.#deps.packs.run({
          ...call,
          ownerId: this.#attempt.ownerId,
          signal: this.signal(),
          open: (to, signal) =>
            this.#deps.egress.connect(to, signal, checkHost).catch((error: unknown) => {
              // The pack sees only that the connection ended, and may try again for long.
              if (error instanceof Error && !refusals.has(error.message)) {
                refusals.add(error.message);
                this.log('warning', error.message, { path: this.#attempt.path });
              }
              throw error;
            }),
          log: (level, message) => this.log(level, message, { path: this.#attempt.path }),
        });
      },
    };
  }

  documents(): NodeContext['documents'] {
    const { ownerId } = this.#attempt;
    return { run: (call) => this.#deps.documents.run(call, ownerId, this.signal()) };
  }

  log(level: LogLevel, message: string, data: Json): void {
    if (this.#ended !== null || this.#logged > limits.logEntriesPerNodeRun) return;
    if (this.#logged++ === limits.logEntriesPerNodeRun) {
      const notice = `At most ${limits.logEntriesPerNodeRun} log entries are stored per node run`;
      return this.#attempt.log('warning', notice, null);
    }
    this.#attempt.log(level, this.redact(message).slice(0, limits.logMessageChars), this.#redactData(data));
  }

  /** `how`: until `signal` aborts instead of the attempt's end, with the body streamed by `receive`. */
  #send(request: HttpRequest, checkHost?: HostCheck, how?: SendOptions): Promise<HttpResponse> {
    const { trace, traceContext } = this.#attempt;
    // Headers set by the node take precedence.
    const propagated =
      traceContext === null ? request : { ...request, headers: { ...traceContext, ...request.headers } };
    return trace === undefined
      ? this.#sendUntraced(propagated, checkHost, how)
      : this.#sendTraced(trace, request, checkHost, how);
  }

  /** Adds the trace context of the calling span, unless the node sets it itself. */
  async #sendTraced(
    trace: AttemptTrace,
    request: HttpRequest,
    checkHost?: HostCheck,
    how?: SendOptions,
  ): Promise<HttpResponse> {
    const { origin, pathname } = new URL(request.url);
    const span = trace.request(request.method, this.redact(`${origin}${pathname}`));
    try {
      const headers = {
        ...this.#attempt.traceContext,
        traceparent: span.traceparent,
        ...request.headers,
      };
      const response = await this.#sendUntraced({ ...request, headers }, checkHost, how);
      const { status } = response;
      span.end(status >= 400 ? String(status) : null, { 'http.response.status_code': status });
      return response;
    } catch (error) {
      span.end(error instanceof Error ? this.redact(error.message) : 'failed');
      throw error;
    }
  }

  #sendUntraced(request: HttpRequest, checkHost?: HostCheck, how?: SendOptions): Promise<HttpResponse> {
    const { toFile } = request;
    // After the attempt, nothing would release the memory later.
    if (how !== undefined && this.#ended !== null)
      return this.#deps.egress.send(request, how.signal, checkHost, how.receive);
    const reservation = this.#deps.memory.place(this.#attempt.executionId);
    (this.#reservations ??= []).push(reservation);
    if (how !== undefined) {
      const metered: Receive = (head) => {
        const receiver = how.receive(head);
        if (receiver === null) return null;
        const { maxBytes } = receiver;
        return { maxBytes, take: (body) => receiver.take(meterStream(body, maxBytes, reservation)) };
      };
      return this.#deps.egress.send(request, how.signal, checkHost, metered, reservation);
    }
    if (toFile === undefined)
      return this.#deps.egress.send(request, this.signal(), checkHost, undefined, reservation);
    const receive: Receive = (head) => {
      const about = toFile(head);
      if (about === null) return null;
      const maxBytes = request.maxBytes ?? this.#deps.maxFileSize;
      return { maxBytes, take: (bytes) => this.files().save({ ...about, bytes }) };
    };
    return this.#deps.egress.send(request, this.signal(), checkHost, receive, reservation);
  }

  /** Opens a connection that is closed when the attempt ends. */
  #connect(to: { host: string; port: number }): Promise<Socket> {
    return this.#deps.egress.connect(to, this.signal(), this.#secretUse?.forConnection());
  }

  async #token(request: TokenRequest, refused: string | null): Promise<string> {
    const { tokens, oauthTokens } = this.#deps;
    const { ownerId } = this.#attempt;
    const checkHost = this.#secretUse?.forToken(request);
    const common = {
      tokenUrl: request.token_url,
      clientId: request.client_id,
      clientSecret: request.client_secret ?? null,
      scope: request.scope ?? '',
      ...(request.proxy === undefined ? {} : { proxy: request.proxy }),
    };
    if (request.refresh_token === undefined) {
      const grant = { ...common, type: 'client_credentials' } as const;
      const token = await tokens.token(ownerId, grant, refused, (post) => this.#send(post, checkHost));
      this.#addSecrets([token]);
      return token;
    }
    // The token request outlives the attempt and does not follow redirects, so its only host is checked here.
    checkUrlHost(request.token_url, request.proxy, checkHost);
    const grant = { ...common, type: 'refresh_token', refreshToken: request.refresh_token } as const;
    const access = await oauthTokens.ofGrant(ownerId, grant, refused, this.signal());
    this.#addSecrets(access.secrets);
    return access.token;
  }

  async #connection(name: string, refused: string | null): Promise<ConnectionCredentials> {
    const { token, apiUrl, hosts, secrets, credentials, fields } = await this.#deps.oauthTokens.ofConnection(
      this.#attempt.ownerId,
      name,
      refused,
      this.signal(),
    );
    this.#addSecrets(secrets);
    if (hosts !== null)
      (this.#secretUse ??= new AttemptSecrets(this.#attempt.type, [], new Map())).bindConnection(name, hosts);
    return { token, apiUrl, fields, ...credentials };
  }
}
