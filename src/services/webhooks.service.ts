import { createHash } from 'node:crypto';
import { conflict, notFound, validationError, WeftError } from '../contract/errors.ts';
import type { HttpAnswer } from '../contract/execution.ts';
import type { Engine, ExecutionEnd, StartRequest, StartResult, Watch } from '../engine/engine-port.ts';
import { isObject, type Json, type JsonObject } from '../lib/json.ts';
import { MASK } from '../lib/mask.ts';
import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';
import type { TriggerFault } from '../ports/notifier.ts';
import type { RateCounter } from '../ports/rate-counter.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { DedupeKey } from '../ports/store/checkpoint.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { LiveTriggers, WebhookRoute } from '../ports/store/live-triggers.ts';
import type { WorkflowStore } from '../ports/store/workflows.ts';
import type { JsonMask } from './secret-masks.ts';
import { readFields, readWebhookBody } from './webhook-body.ts';
import { IncomingFiles } from './webhook-files.ts';
import { isProved } from './webhook-proof.ts';
import { WebhookRouter } from './webhook-router.ts';
import { handshakeAnswer, secretFault, signedName, type CallHeaders } from './webhook-signature.ts';
import { checkExpected, readTarget, type WebhookTarget } from './webhook-target.ts';

/** ms that a delivery's key is kept. */
const KEY_LIFE = 86_400_000;
const MAX_KEY = 255;
/** ms of one window of the limit per workflow. */
const RATE_WINDOW = 60_000;
/** ms until the owner is told again of an endpoint that cannot be served. */
const FAULT_AGAIN = 600_000;

/** A call as it came. `path` is what stands behind `/webhooks/`, still encoded; `query` without the question mark. */
export type WebhookCall = {
  method: string;
  path: string;
  query: string;
  headers: CallHeaders;
  body: Buffer;
  /** What the execution's trace begins with, as a W3C header. */
  traceparent?: string;
};
/** What the caller gets; `body` goes out as JSON unless `answer` says otherwise. */
export type WebhookReply =
  | { kind: 'json'; executionId: string; body: Json }
  /** To a sender that asks whether this is the right address: nothing was started. */
  | { kind: 'handshake'; body: Json }
  | { kind: 'answer'; executionId: string; answer: HttpAnswer };

export type WebhooksDeps = {
  workflows: Pick<WorkflowStore, 'webhooks' | 'get' | 'version'>;
  executions: Pick<ExecutionStore, 'findDedupe' | 'get'>;
  engine: Pick<Engine, 'start' | 'watch'>;
  clock: Clock;
  ids: Ids;
  /** For what comes with a call that passed every check. */
  files: Pick<FileStore, 'put'>;
  /** The value of a stored secret, or null. At once where it is known. */
  secret(ownerId: string, name: string): string | null | Promise<string | null>;
  masker(ownerId: string): Promise<JsonMask>;
  /** Calls of one workflow a minute; null: no limit. */
  rateLimit: number | null;
  /** Counts the calls of a workflow in windows of a minute for all processes; without it this one counts its own. */
  calls?: RateCounter;
  /** Reads anew what is live, where another process may have changed it; says whether it did. */
  refresh?(): Promise<boolean>;
  /** An endpoint cannot be served, whoever calls; not told again for a while. */
  failed(fault: TriggerFault): void;
};

type Live = {
  route: WebhookRoute;
  target: Promise<WebhookTarget | null> | null;
  ready: WebhookTarget | null;
  /** When its owner was last told that it cannot be served. */
  faultAt: number;
};
type Dedupe = { key: DedupeKey; isComparable: boolean };

/**
 * The webhook door's use case. The checks run in a fixed order, and nothing is stored before all of them passed: size
 * (by the door), authentication and signature, the workflow's limit, idempotency, schema; then one commit.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { clock, engine, workflows } = deps;
  const router = new WebhookRouter<Live>();
  const byWorkflow = new Map<
    string,
    { routes: Live[]; router: WebhookRouter<Live>; window: number; calls: number }
  >();

  function change(workflowId: string, live: Pick<LiveTriggers, 'webhooks'> | null): void {
    for (const { route } of byWorkflow.get(workflowId)?.routes ?? [])
      router.remove(route.method, route.endpoint);
    byWorkflow.delete(workflowId);
    if (live === null || live.webhooks.length === 0) return;
    const own = new WebhookRouter<Live>();
    const routes = live.webhooks.map((route): Live => ({
      route,
      target: null,
      ready: null,
      faultAt: -Infinity,
    }));
    for (const one of routes) {
      router.add(one.route.method, one.route.endpoint, one);
      own.add(one.route.method, one.route.endpoint, one);
    }
    byWorkflow.set(workflowId, { routes, router: own, window: 0, calls: 0 });
  }

  function find(method: string, path: string) {
    const slash = path.indexOf('/');
    if (slash > 0 && path.startsWith('wf_')) {
      return byWorkflow.get(path.slice(0, slash))?.router.find(method, path.slice(slash + 1)) ?? null;
    }
    return router.find(method, path);
  }

  function load(live: Live): Promise<WebhookTarget | null> {
    live.target ??= read(live.route).then(
      (target) => {
        live.ready = target;
        return target;
      },
      (error: unknown) => {
        live.target = null;
        throw error;
      },
    );
    return live.target;
  }

  async function read(route: WebhookRoute): Promise<WebhookTarget | null> {
    const [row, stored] = await Promise.all([
      workflows.get(route.ownerId, route.workflowId),
      workflows.version(route.ownerId, route.workflowId, route.version),
    ]);
    const config = stored?.definition.nodes.find((node) => node.id === route.nodeId)?.config;
    return row === null || !isObject(config) ? null : readTarget(route, row.settings, config);
  }

  function countCall(workflowId: string): void {
    const counter = byWorkflow.get(workflowId);
    if (deps.rateLimit === null || counter === undefined) return;
    const now = clock.now();
    const window = now - (now % RATE_WINDOW);
    if (counter.window !== window) Object.assign(counter, { window, calls: 0 });
    if (++counter.calls > deps.rateLimit) throw tooManyCalls(deps.rateLimit, window + RATE_WINDOW - now);
  }

  async function countTogether(calls: RateCounter, workflowId: string, limit: number): Promise<void> {
    const { isCounted, endsAt } = await calls.count(workflowId, limit);
    if (!isCounted) throw tooManyCalls(limit, endsAt - clock.now());
  }

  function dedupeOf(target: WebhookTarget, call: WebhookCall, input: JsonObject): Dedupe | null {
    const scope = `webhook:${target.route.workflowId}:${target.route.nodeId}`;
    const expiresAt = clock.now() + KEY_LIFE;
    const given = target.deduplicate === null ? null : evaluate(target.deduplicate, input, clock.now());
    if (given !== null)
      return { key: { scope, key: `value:${given}`, fingerprint: '', expiresAt }, isComparable: false };
    const { headers } = call;
    // Before the headers that nobody signed: with one of those, whoever caught a delivery could make a new one of it.
    const signed =
      target.authentication === 'hmac'
        ? signedName(target.scheme, headers, input['body'] ?? null, call.body)
        : null;
    if (signed !== null)
      return { key: { scope, key: signed, fingerprint: '', expiresAt }, isComparable: false };
    for (const name of ['idempotency-key', 'webhook-id', 'x-github-delivery']) {
      const value = headers[name];
      if (value === undefined) continue;
      if (typeof value !== 'string' || value.length === 0 || value.length > MAX_KEY) {
        throw validationError([{ field: name, issue: `takes 1 to ${MAX_KEY} characters` }]);
      }
      // The other two are the sender's name of one event; only this one is the caller's promise of the same request.
      const isComparable = name === 'idempotency-key';
      const fingerprint = isComparable
        ? createHash('sha256')
            .update(`${call.method} ${call.path}?${call.query}\n`)
            .update(call.body)
            .digest('hex')
        : '';
      return { key: { scope, key: `${name}:${value}`, fingerprint, expiresAt }, isComparable };
    }
    return null;
  }

  async function findBefore(target: WebhookTarget, dedupe: Dedupe | null) {
    if (dedupe === null) return null;
    const { scope, key } = dedupe.key;
    return deps.executions.findDedupe(target.route.ownerId, scope, key, clock.now());
  }

  async function answerAsBefore(
    target: WebhookTarget,
    dedupe: Dedupe,
    before: { executionId: string; fingerprint: string },
  ): Promise<WebhookReply> {
    if (dedupe.isComparable && before.fingerprint !== dedupe.key.fingerprint) {
      throw conflict('This Idempotency-Key was used before with another body.', { field: 'Idempotency-Key' });
    }
    const { executionId } = before;
    if (target.respond === 'immediately') return accepted(executionId);
    return answer(target, executionId, engine.watch(target.route.ownerId, executionId));
  }

  async function answered(ownerId: string, executionId: string, answer: HttpAnswer): Promise<WebhookReply> {
    const mask = await deps.masker(ownerId);
    // A header has no room for the mask's own characters.
    const headers = Object.entries(answer.headers).map(([name, text]): [string, string] => {
      const shown = mask(text);
      return [name, shown === text ? text : shown.replaceAll(MASK, '***')];
    });
    return {
      kind: 'answer',
      executionId,
      answer: { status: answer.status, headers: Object.fromEntries(headers), body: mask(answer.body) },
    };
  }

  /** A quick execution has answered or ended by now: then there is nothing to wait for, and no timer to set. */
  async function answer(target: WebhookTarget, executionId: string, watch: Watch): Promise<WebhookReply> {
    const { ownerId } = target.route;
    if (target.respond === 'respond' && watch.answer) {
      watch.cancel();
      return answered(ownerId, executionId, watch.answer);
    }
    if (watch.end !== undefined) return completed(executionId, watch.end, await deps.masker(ownerId));
    return answerWhenDone(target, executionId, watch);
  }

  async function answerWhenDone(
    target: WebhookTarget,
    executionId: string,
    watch: Watch,
  ): Promise<WebhookReply> {
    let cancelTimer = (): void => {};
    const late = new Promise<'late'>((resolve) => {
      cancelTimer = clock.after(target.timeout, () => resolve('late'));
    });
    try {
      const { ownerId } = target.route;
      if (target.respond === 'respond') {
        const given = await Promise.race([watch.answered, late]);
        if (given === 'late') return await stillRunning(target, executionId);
        if (given !== null) return await answered(ownerId, executionId, given);
      }
      const end = await Promise.race([watch.ended, late]);
      if (end === 'late') return await stillRunning(target, executionId);
      return completed(executionId, end, await deps.masker(ownerId));
    } finally {
      cancelTimer();
      watch.cancel();
    }
  }

  async function stillRunning(target: WebhookTarget, executionId: string): Promise<WebhookReply> {
    const row = await deps.executions.get(target.route.ownerId, executionId);
    return {
      kind: 'json',
      executionId,
      body: { execution_id: executionId, status: row?.status ?? 'running' },
    };
  }

  /** Callers need no credential for this, and may be many. `live` null: a call to a test address, whose owner sees what becomes of it. */
  function tellFault(live: Live | null, issue: string): void {
    const now = clock.now();
    if (live === null || now - live.faultAt < FAULT_AGAIN) return;
    live.faultAt = now;
    const { ownerId, workflowId, nodeId } = live.route;
    deps.failed({ ownerId, workflowId, nodeId, kind: 'webhook', issue });
  }

  async function start(live: Live | null, request: StartRequest): Promise<StartResult> {
    try {
      return await engine.start(request);
    } catch (error) {
      // Not the caller's fault: the stored definition can no longer run.
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') tellFault(live, error.message);
      throw error;
    }
  }

  /** `proved` is set for a test address: called once the caller is known and before anything else happens. */
  async function serve(
    live: Live | null,
    target: WebhookTarget,
    params: Record<string, string>,
    call: WebhookCall,
    proved: (() => Promise<void>) | null = null,
  ): Promise<WebhookReply> {
    if (target.secret !== null) {
      const found = deps.secret(target.route.ownerId, target.secret);
      const secret = typeof found === 'object' && found !== null ? await found : found;
      const fault = secret === null ? null : secretFault(target.scheme, secret);
      if (secret === null) tellFault(live, `There is no secret ${target.secret}, so every call is refused.`);
      else if (fault !== null)
        tellFault(live, `The secret ${target.secret} ${fault}, so every call is refused.`);
      // A secret that is gone lets nobody in.
      if (secret === null || !isProved(target, secret, call.headers, call.body, clock.now()))
        throw unauthorized(target);
    }
    if (deps.calls === undefined || deps.rateLimit === null) countCall(target.route.workflowId);
    else await countTogether(deps.calls, target.route.workflowId, deps.rateLimit);
    // It does not use up a test address: what the sender delivers comes after it.
    const handshake = target.authentication === 'hmac' ? handshakeAnswer(target.scheme, call.body) : null;
    if (handshake !== null) return { kind: 'handshake', body: handshake };
    if (proved !== null) await proved();
    const files = new IncomingFiles(deps);
    const body = readWebhookBody(
      call.body,
      {
        'content-type': textOf(call.headers['content-type']),
        'content-disposition': textOf(call.headers['content-disposition']),
      },
      files.take,
    );
    const input: JsonObject = {
      body: body instanceof Promise ? await body : body,
      query: readFields(call.query, 'query'),
      headers: passedHeaders(call.headers, target.hiddenHeader),
      params,
      method: call.method,
    };
    const found = dedupeOf(target, call, input);
    // A test is never a repeat: the same delivery is sent to it again on purpose.
    const dedupe = proved === null ? found : null;
    try {
      checkExpected(target.expected, input['body'] ?? null);
    } catch (error) {
      // A repeat is a repeat before its content counts. Without a fault here the one commit finds it.
      const before = await findBefore(target, dedupe);
      if (dedupe !== null && before !== null) return answerAsBefore(target, dedupe, before);
      throw error;
    }
    if (!files.isEmpty) {
      // The files of a repeat are not written for nothing.
      const before = await findBefore(target, dedupe);
      if (dedupe !== null && before !== null) return answerAsBefore(target, dedupe, before);
    }
    const { route } = target;
    const started = await start(live, {
      ownerId: route.ownerId,
      workflowId: route.workflowId,
      workflowVersion: route.version,
      settings: target.settings,
      trigger: {
        type: 'webhook',
        node_id: route.nodeId,
        ...(proved === null ? {} : { test: true }),
        ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
      },
      entry: route.nodeId,
      input,
      dedupe: dedupe?.key ?? null,
      tick: null,
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
      ...(files.isEmpty ? {} : { files: await files.store() }),
    });
    if (started.kind === 'accepted') {
      if (target.respond !== 'immediately') return answer(target, started.id, started.watch);
      started.watch.cancel();
      return accepted(started.id);
    }
    if (started.kind === 'duplicate' && dedupe !== null) return answerAsBefore(target, dedupe, started);
    throw notFound('webhook');
  }

  function lookUp(method: string, path: string) {
    return find(method, path) ?? (method === 'HEAD' ? find('GET', path) : null);
  }

  return {
    /** The origin that a page may be on to read answers of this endpoint: the one given, `*`, or null for none. */
    async allowedOrigin(method: string, path: string, origin: string): Promise<string | null> {
      const live = lookUp(method, path)?.value;
      const target = live === undefined ? null : (live.ready ?? (await load(live)));
      const origins = target?.cors ?? null;
      if (origins === null) return null;
      return origins.has('*') ? '*' : origins.has(origin) ? origin : null;
    },

    /**
     * Serves a call to a test address as `receive` does one to the real endpoint. `proved` is called when authentication and the
     * workflow's limit have let it pass; what it throws is thrown.
     */
    serveTest: (
      target: WebhookTarget,
      params: Record<string, string>,
      call: WebhookCall,
      proved: () => Promise<void>,
    ): Promise<WebhookReply> => serve(null, target, params, call, proved),

    /** Builds the router from what is live, the first time or again; before this no webhook is served. */
    async open(): Promise<void> {
      const routes = Map.groupBy(await workflows.webhooks(), (route) => route.workflowId);
      for (const workflowId of byWorkflow.keys()) if (!routes.has(workflowId)) change(workflowId, null);
      for (const [workflowId, webhooks] of routes) change(workflowId, { webhooks });
    },

    change,

    /**
     * @throws {WeftError} NOT_FOUND for an unknown endpoint or method, UNAUTHORIZED, VALIDATION_ERROR, INVALID_JSON, CONFLICT,
     * RATE_LIMITED, EXECUTION_FAILED (details.execution_id).
     */
    async receive(call: WebhookCall): Promise<WebhookReply> {
      let found = lookUp(call.method, call.path);
      // It may have become live in another process a moment ago.
      if (found === null && (await deps.refresh?.()) === true) found = lookUp(call.method, call.path);
      if (found === null) throw notFound('webhook');
      if (call.body.length > limits.webhookBody) {
        throw new WeftError('PAYLOAD_TOO_LARGE', undefined, { limit: limits.webhookBody });
      }
      const target = found.value.ready ?? (await load(found.value));
      if (target === null) throw notFound('webhook');
      return serve(found.value, target, found.params, call);
    },
  };
}

function tooManyCalls(limit: number, left: number): WeftError {
  return new WeftError('RATE_LIMITED', `This workflow takes ${limit} webhook calls a minute.`, {
    reason: 'workflow',
    limit,
    retry_after: Math.max(1, Math.ceil(left / 1000)),
  });
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function accepted(executionId: string): WebhookReply {
  return { kind: 'json', executionId, body: { execution_id: executionId } };
}

function completed(executionId: string, end: ExecutionEnd, mask: JsonMask): WebhookReply {
  if (end.status === 'completed') return { kind: 'json', executionId, body: mask(end.output) };
  const message = end.status === 'stopped' ? 'The execution was stopped.' : undefined;
  throw new WeftError('EXECUTION_FAILED', message, { execution_id: executionId, status: end.status });
}

function unauthorized(target: WebhookTarget): WeftError {
  const kind = target.authentication;
  return new WeftError('UNAUTHORIZED', 'This webhook needs a valid credential.', { authentication: kind });
}

function passedHeaders(headers: CallHeaders, hidden: string | null): JsonObject {
  const passed: JsonObject = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name === hidden || name === '__proto__') continue;
    passed[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return passed;
}

/** The text that tells events apart; null when the template gives nothing. */
function evaluate(
  template: NonNullable<WebhookTarget['deduplicate']>,
  input: JsonObject,
  now: number,
): string | null {
  let value: Json;
  try {
    value = template.evaluate({ input, trigger: input, now });
  } catch (error) {
    const issue = error instanceof Error ? error.message : 'could not be evaluated';
    throw validationError([{ field: 'deduplicate', issue }]);
  }
  if (value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_KEY ? text : createHash('sha256').update(text).digest('hex');
}
