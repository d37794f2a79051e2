import { createNotFoundError, createValidationError, WeftError } from '../../contract/errors.ts';
import { withoutOwnCookies } from '../../contract/webhooks/webhook-credentials.ts';
import type { ExecutionTrigger } from '../../contract/execution.ts';
import type { Engine, StartRequest, StartResult } from '../../engine/engine-api.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { readTraceContext } from '../../lib/network/trace-context.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { ActiveTriggers } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { WebhookRegistry, type RegisteredEndpoint } from './webhook-registry.ts';
import { isHttpMethod } from './webhook-endpoint.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import type { ExecutionStreams } from '../executions/streams/execution-streams.ts';
import { readStreamPosition } from '../executions/streams/stream-position.ts';
import { encodeRawBody, readFields, readWebhookBody } from './webhook-body.ts';
import type { WebhookRequest, WebhookResponse } from './webhook-types.ts';
import { readDedupeKey, type Dedupe } from './webhook-dedupe.ts';
import { IncomingFiles } from './webhook-files.ts';
import { createWebhookLimit } from './webhook-limit.ts';
import { authenticateWebhook } from './authenticate-webhook.ts';
import { createWebhookResponses } from './webhook-response.ts';
import {
  readCloudEventsOrigin,
  createCloudEventsReply,
  respondToHandshake,
  readMetaChallenge,
  createMetaReply,
} from './webhook-handshake.ts';
import { createSns, type SnsDeps, type SnsMessage } from './webhook-sns.ts';
import { findSecretError } from './webhook-signature.ts';
import type { CallHeaders } from './signed-content.ts';
import { checkExpected, compileEndpoint, type CompiledEndpoint } from './compiled-endpoint.ts';

/** Interval between notifications about one failing endpoint, ms. */
const FAILURE_REPORT_INTERVAL_MS = 600_000;

export type WebhooksDeps = {
  workflows: Pick<WorkflowStore, 'listWebhooks' | 'get' | 'version'>;
  executions: Pick<ExecutionStore, 'findDedupe' | 'get'>;
  engine: Pick<Engine, 'start' | 'watch'>;
  clock: Clock;
  ids: Ids;
  /** Stores the files of calls that passed every check. */
  files: Pick<FileStore, 'put'>;
  /** Returns the value of a stored secret, or null; synchronously when the value is cached. */
  secret(ownerId: string, name: string): string | null | Promise<string | null>;
  streams: Pick<ExecutionStreams, 'open'>;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
  /** Fetches certificates and confirmations of Amazon SNS. */
  send: SnsDeps['send'];
  /** Maximum number of calls per workflow and minute; null means no limit. */
  rateLimit: number | null;
  /** Counts the calls per workflow and minute across processes; without it, this process counts its own. */
  calls?: RateCounter;
  /**
   * Reloads the active endpoints after a possible change by another process; returns whether they changed.
   */
  refresh?(): Promise<boolean>;
  /** Reports that an endpoint cannot be served, at most once per interval. */
  failed(problem: TriggerFailure): void;
};

/**
 * Serves webhook calls. The checks run in a fixed order, and nothing is stored before all of them passed:
 * size, authentication and signature, the workflow's rate limit, schema. Then one commit, which detects
 * duplicates. A duplicate whose body does not match the schema, or that has files, is detected before the
 * commit.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { clock, engine } = deps;
  const live = new WebhookRegistry(deps.workflows, ({ method }) => isHttpMethod(method), compileEndpoint);
  const replies = createWebhookResponses(deps);
  const sns = createSns(deps);
  const countCall = createWebhookLimit({
    ...deps,
    findCallCount: (workflowId) => live.findCallCount(workflowId),
  });

  async function findBefore(target: CompiledEndpoint, dedupe: Dedupe | null) {
    if (dedupe === null) return null;
    const { scope, key } = dedupe.key;
    return deps.executions.findDedupe(target.route.ownerId, scope, key, clock.now());
  }

  /**
   * Rate-limited, because callers need no credential to cause it. A null `webhook` is a call to a test URL,
   * whose owner sees the result directly.
   */
  function reportTriggerFailure(webhook: RegisteredEndpoint<CompiledEndpoint> | null, issue: string): void {
    const now = clock.now();
    if (webhook === null || now - webhook.failedAt < FAILURE_REPORT_INTERVAL_MS) return;
    webhook.failedAt = now;
    const { ownerId, workflowId, nodeId } = webhook.route;
    deps.failed({ ownerId, workflowId, nodeId, kind: 'webhook', issue });
  }

  /**
   * Returns null when the secret does not exist, and notifies the owner; it also does so when the secret is
   * not a valid key for the sender.
   */
  async function readSecret(
    webhook: RegisteredEndpoint<CompiledEndpoint> | null,
    { route, sender }: CompiledEndpoint,
    name: string,
  ): Promise<string | null> {
    const found = deps.secret(route.ownerId, name);
    const secret = typeof found === 'object' && found !== null ? await found : found;
    const problem = secret === null || sender === null ? null : findSecretError(sender, secret);
    if (secret === null)
      reportTriggerFailure(webhook, `There is no secret ${name}, so every call is refused.`);
    else if (problem !== null)
      reportTriggerFailure(webhook, `The secret ${name} ${problem}, so every call is refused.`);
    return secret;
  }

  /**
   * Verifies the caller. Returns the message if Amazon SNS sent one.
   * @throws {WeftError} UNAUTHORIZED, also when the secret is missing or is not valid for the sender.
   */
  async function authenticate(
    webhook: RegisteredEndpoint<CompiledEndpoint> | null,
    target: CompiledEndpoint,
    call: WebhookRequest,
  ): Promise<SnsMessage | null> {
    if (target.sender?.check.type === 'sns') {
      const message = await sns.verify(target.sender.check, call.body);
      if (message === null) throw unauthorized(target);
      return message;
    }
    const secret = target.secret === null ? null : await readSecret(webhook, target, target.secret);
    if (!authenticateWebhook(target, secret, call, clock.now())) throw unauthorized(target);
    return null;
  }

  /**
   * Returns the response to a handshake, by which a sender verifies the endpoint; null for any other call.
   */
  async function completeHandshake(
    target: CompiledEndpoint,
    call: WebhookRequest,
    message: SnsMessage | null,
  ): Promise<WebhookResponse | null> {
    if (message !== null && message.type !== 'Notification') {
      const isConfirmation = message.type === 'SubscriptionConfirmation' && message.subscribeUrl !== null;
      if (isConfirmation) await sns.confirm(message.subscribeUrl);
      return { kind: 'handshake', body: { confirmed: isConfirmation } };
    }
    const handshake = target.sender?.handshake ?? null;
    const body = handshake === null ? null : respondToHandshake(handshake, call.body);
    return body === null ? null : { kind: 'handshake', body };
  }

  /**
   * Returns the response to a handshake that uses another method than deliveries. Null for any other call, or
   * when the endpoint expects no handshake.
   */
  async function respondToUrlVerification(call: WebhookRequest): Promise<WebhookResponse | null> {
    const challenge = readMetaChallenge(call);
    const origin = readCloudEventsOrigin(call);
    if (challenge === null && origin === null) return null;
    const found = live.find('POST', call.path);
    const target = found === null ? null : (found.value.ready ?? (await live.loadEndpoint(found.value)));
    if (found === null || target === null) return null;
    if (origin !== null) return createCloudEventsReply(origin, target.cloudEventsOrigins, deps.rateLimit);
    if (challenge === null || target.verifySecret === null) return null;
    const reply = createMetaReply(challenge, await readSecret(found.value, target, target.verifySecret));
    if (reply === null) throw unauthorized(target);
    return reply;
  }

  /** `onAuthenticated`: set for a test URL; called after authentication, before any other step. */
  async function serve(
    webhook: RegisteredEndpoint<CompiledEndpoint> | null,
    target: CompiledEndpoint,
    params: Record<string, string>,
    call: WebhookRequest,
    onAuthenticated: (() => Promise<void>) | null = null,
  ): Promise<WebhookResponse> {
    const message = target.authentication === 'none' ? null : await authenticate(webhook, target, call);
    const counting = countCall(target.route.workflowId);
    if (counting !== undefined) await counting;
    // A handshake does not use up a test URL: the delivery follows it.
    const canBeHandshake = target.sender !== null && target.sender.handshake !== null;
    const handshake = canBeHandshake ? await completeHandshake(target, call, message) : null;
    if (handshake !== null) return handshake;
    if (onAuthenticated !== null) await onAuthenticated();
    if (target.rawBody && call.body.length > limits.webhookRawBodyBytes)
      throw new WeftError('PAYLOAD_TOO_LARGE', undefined, { limit: limits.webhookRawBodyBytes });
    const files = new IncomingFiles(deps);
    const body = readWebhookBody(
      call.body,
      {
        // Amazon sends its JSON as text/plain.
        'content-type': message === null ? readHeader(call.headers['content-type']) : 'application/json',
        'content-disposition': readHeader(call.headers['content-disposition']),
        'content-encoding': readHeader(call.headers['content-encoding']),
      },
      target.authentication === 'none' ? limits.json : limits.verifiedWebhookJson,
      files.take,
    );
    const input: JsonObject = {
      body: body instanceof Promise ? await body : body,
      query: readFields(call.query, 'query'),
      headers: selectHeaders(call.headers, target.hiddenHeaders),
      params,
      method: call.method,
      ...(target.rawBody ? encodeRawBody(call.body) : {}),
    };
    const found = readDedupeKey(target, call, input, clock);
    // A test call is never deduplicated: users send the same delivery again on purpose.
    const dedupe = onAuthenticated === null ? found : null;
    if (target.respond === 'stream') checkContinuation(call, dedupe);
    try {
      checkExpected(target.expected, input['body'] ?? null);
    } catch (error) {
      // A duplicate is detected before its content is validated. When the content is valid, the commit
      // detects it.
      const before = await findBefore(target, dedupe);
      if (dedupe !== null && before !== null) return replies.repeated(target, dedupe, before);
      throw error;
    }
    if (!files.isEmpty) {
      // Files of a duplicate must not be written.
      const before = await findBefore(target, dedupe);
      if (dedupe !== null && before !== null) return replies.repeated(target, dedupe, before);
    }
    const { route } = target;
    const trigger: ExecutionTrigger = { type: 'webhook', node_id: route.nodeId };
    if (onAuthenticated !== null) trigger['test'] = true;
    Object.assign(trigger, call.traceContext ?? readTraceContext(call.headers));
    const request: StartRequest = {
      ownerId: route.ownerId,
      workflowId: route.workflowId,
      workflowVersion: route.version,
      settings: target.settings,
      trigger,
      entry: route.nodeId,
      input,
      dedupe: dedupe?.key ?? null,
      tick: null,
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    };
    if (!files.isEmpty) request.files = await files.store();
    let started: StartResult;
    try {
      started = await engine.start(request);
    } catch (error) {
      // Not an error of the caller: the stored definition can no longer run.
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR')
        reportTriggerFailure(webhook, error.message);
      throw error;
    }
    // Awaited here: returning the promise from an async function would take two more microtasks.
    if (started.kind === 'accepted') return await replies.started(target, started.id, started.watch);
    if (started.kind === 'duplicate' && dedupe !== null)
      return await replies.repeated(target, dedupe, started);
    throw createNotFoundError('webhook');
  }

  return {
    /** Returns the origin that may read responses of this endpoint: the given one, `*`, or null for none. */
    async allowedOrigin(method: string, path: string, origin: string): Promise<string | null> {
      const webhook = live.find(method, path)?.value;
      const target = webhook === undefined ? null : (webhook.ready ?? (await live.loadEndpoint(webhook)));
      const origins = target?.cors ?? null;
      if (origins === null) return null;
      return origins.has('*') ? '*' : origins.has(origin) ? origin : null;
    },

    /**
     * Serves a call to a test URL as `receive` does for the real endpoint. `onAuthenticated` is called after
     * authentication and the rate limit; its errors are rethrown.
     */
    serveTest: (
      target: CompiledEndpoint,
      params: Record<string, string>,
      call: WebhookRequest,
      onAuthenticated: () => Promise<void>,
    ): Promise<WebhookResponse> => serve(null, target, params, call, onAuthenticated),

    /** Builds the router from the active triggers, initially or again. No webhook is served before. */
    open: (): Promise<void> => live.open(),

    /** Replaces the active webhooks of a workflow; null removes them. */
    change: (workflowId: string, triggers: Pick<ActiveTriggers, 'webhooks'> | null): void =>
      live.change(workflowId, triggers),

    /**
     * Serves a call to an active endpoint.
     * @throws {WeftError} NOT_FOUND for an unknown endpoint or method, UNAUTHORIZED, VALIDATION_ERROR,
     * CONFLICT, RATE_LIMITED, EXECUTION_FAILED (details.execution_id).
     */
    async receive(call: WebhookRequest): Promise<WebhookResponse> {
      let found = live.find(call.method, call.path);
      // Another process may just have activated it.
      if (found === null && (await deps.refresh?.()) === true) found = live.find(call.method, call.path);
      if (found === null) {
        const response = await respondToUrlVerification(call);
        if (response !== null) return response;
        throw createNotFoundError('webhook');
      }
      if (call.body.length > limits.webhookBodyBytes) {
        throw new WeftError('PAYLOAD_TOO_LARGE', undefined, { limit: limits.webhookBodyBytes });
      }
      const target = found.value.ready ?? (await live.loadEndpoint(found.value));
      if (target === null) throw createNotFoundError('webhook');
      return await serve(found.value, target, found.params, call);
    },
  };
}

function readHeader(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function unauthorized(target: CompiledEndpoint): WeftError {
  const kind = target.authentication;
  return new WeftError('UNAUTHORIZED', 'This webhook needs a valid credential.', { authentication: kind });
}

function selectHeaders(headers: CallHeaders, hidden: ReadonlySet<string>): JsonObject {
  const passed: JsonObject = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hidden.has(name) || name === '__proto__') continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    const kept = name === 'cookie' ? withoutOwnCookies(text) : text;
    if (kept !== '') passed[name] = kept;
  }
  return passed;
}

/** A call that continues a stream must name its execution. @throws {WeftError} VALIDATION_ERROR */
function checkContinuation({ headers }: WebhookRequest, dedupe: Dedupe | null): void {
  if (readStreamPosition(headers['last-event-id']) === null || dedupe !== null) return;
  throw createValidationError([
    { field: 'Last-Event-ID', issue: 'needs the Idempotency-Key of the request whose stream it continues' },
  ]);
}
