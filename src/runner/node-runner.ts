import type { NodeFailure, Outcome } from '../contract/node-type.ts';
import { HttpFailure } from '../contract/node-type.ts';
import type { ModelPrices } from '../contract/ai/models.ts';
import { isTemporary, WeftError, type FieldError } from '../contract/errors.ts';
import type { Json } from '../lib/json/json.ts';
import { validateValue } from '../nodes/validate-config.ts';
import { checkValueLimits } from '../lib/limits/value-limits.ts';
import { MemoryBudget } from '../lib/limits/memory-budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Orchestration } from '../ports/orchestration.ts';
import type { Ids } from '../ports/ids.ts';
import { limits } from '../ports/limits.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Attempt, AttemptResult, NodeRunner } from '../ports/runner.ts';
import type { RequestToken, OAuthTokens } from '../ports/oauth-tokens.ts';
import type { PackRunner } from '../ports/pack-runner.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { ThreadReads } from './attempt-threads.ts';
import type { VectorAccess } from './attempt-vectors.ts';
import type { FileRows } from '../ports/store/files.ts';
import type { CallTerms, UsageStore } from '../ports/store/ai/model-usage.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import { AttemptContext } from './attempt-context.ts';
import { AttemptServices } from './attempt-services.ts';
import type { AttemptServicesDeps } from './attempt-services-deps.ts';
import { createMcpClient } from './mcp/mcp-client.ts';
import type { LiveTexts } from '../ports/live-texts.ts';
import { createModelClient } from './models/model-client.ts';
import { createDocumentRunner } from './documents/document-runner.ts';
import { createEgressClient } from './http/egress-client.ts';
import type { EgressClient } from './http/egress-client.ts';
import { createMysql } from './mysql/mysql.ts';
import { createPostgres } from './postgres/postgres.ts';
import { createRedisRunner } from './redis/redis.ts';
import type { ProxySetting } from './http/proxy.ts';
import type { Resolve } from './dns-resolver.ts';
import type { LoadedSecret } from './attempt-secrets.ts';
import { checkSecretRead, AttemptSecrets } from './attempt-secrets.ts';
import { createTokenCache } from './http/token-cache.ts';
import { requestToken } from './http/token-request.ts';

export type NodeRunnerDeps = {
  clock: Clock;
  ids: Ids;
  /** Returns decrypted secrets by name; unknown names are omitted. */
  secretsFor(ownerId: string, names: readonly string[]): Promise<ReadonlyMap<string, LoadedSecret>>;
  files: FileStore;
  fileRows: Pick<FileRows, 'saveFile' | 'file'>;
  executions: Pick<ExecutionStore, 'get'>;
  threads: ThreadReads;
  vectors: VectorAccess;
  sandbox: Pick<Sandbox, 'run'>;
  packs: Pick<PackRunner, 'run'>;
  orchestration: Orchestration;
  /** Provides tokens of connected accounts and stores rotated refresh tokens. */
  tokens: OAuthTokens;
  allowedHosts: AllowedHosts;
  /** Maximum size of a file fetched by a node, in bytes. */
  maxFileSize: number;
  /** Called for internal errors, with the error that the outcome must not contain. */
  onError(attempt: Attempt, error: unknown): void;
  /** Called for every outgoing HTTP request. */
  called?: Metrics['called'];
  /** The proxy for all HTTP requests. */
  proxy?: ProxySetting | null;
  /** The memory budget for large responses. */
  memory?: MemoryBudget;
  /** Default: texts are not passed on. */
  liveTexts?: Pick<LiveTexts, 'open'>;
  /** Default: no prices. */
  modelPrices?: ModelPrices;
  /** Loads what a call of a model depends on. Default: no budget and no further prices. */
  loadCallTerms?: UsageStore['terms'];
  /** Returns the redactor for all secrets of an owner, for prompts. Default: one that changes nothing. */
  loadRedactor?: (ownerId: string) => Promise<<T>(value: T) => T>;
  /** Default: the resolver of the system. */
  resolve?: Resolve;
};

/**
 * A shared instance: capturing a stack trace for each attempt would cost more than the abort itself, and it
 * is never shown.
 */
const ATTEMPT_ENDED = new Error('The attempt has ended');
const NO_LIVE_TEXTS: Pick<LiveTexts, 'open'> = {
  open: () => ({ begin: () => {}, write: () => {}, close: () => {} }),
};
const NO_TERMS: CallTerms = { prices: {}, budget: {}, tokens: 0, cost: 0 };
/** Maximum size of a failure's additional data in bytes; larger data is dropped. */
const MAX_ERROR_DATA_BYTES = 256 * 1024;

/** `send` and `askForToken` use the nodes' egress client without an attempt. `close` ends all connections. */
export type ClosableRunner = NodeRunner & {
  readonly send: EgressClient['send'];
  readonly askForToken: RequestToken;
  close(): Promise<void>;
};

/** Runs attempts. A synchronous node without effects and secrets needs no promise and no timer. */
export function createNodeRunner(deps: NodeRunnerDeps): ClosableRunner {
  const { clock, ids, files, fileRows, executions, sandbox, orchestration } = deps;
  const memory = deps.memory ?? new MemoryBudget(limits.liveValueBytes);
  const egress = createEgressClient({
    clock,
    allowedHosts: deps.allowedHosts,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
    ...(deps.proxy === undefined ? {} : { proxy: deps.proxy }),
    memory,
    ...(deps.called === undefined ? {} : { called: deps.called }),
  });
  const postgres = createPostgres(clock);
  const mysql = createMysql(clock);
  const redis = createRedisRunner(clock);
  const documents = createDocumentRunner();
  const attemptDeps: AttemptServicesDeps = {
    clock,
    ids,
    egress: egress,
    memory,
    postgres,
    mysql,
    redis,
    tokens: createTokenCache(clock),
    oauthTokens: deps.tokens,
    files,
    fileRows,
    executions,
    threads: deps.threads,
    vectors: deps.vectors,
    sandbox,
    documents,
    mcp: createMcpClient(clock),
    models: createModelClient({
      clock,
      prices: deps.modelPrices ?? {},
      loadTerms: deps.loadCallTerms ?? (() => Promise.resolve(NO_TERMS)),
      loadRedactor: deps.loadRedactor ?? (() => Promise.resolve((value) => value)),
    }),
    liveTexts: deps.liveTexts ?? NO_LIVE_TEXTS,
    packs: deps.packs,
    orchestration: orchestration,
    maxFileSize: deps.maxFileSize,
  };

  /** Static configurations that have been validated. */
  const fitting = new WeakSet();

  /** Configures and starts the node. Throws only errors that `toNodeFailure` understands. */
  function start(
    attempt: Attempt,
    services: AttemptServices,
    values: ReadonlyMap<string, string> | null,
  ): Outcome | Promise<Outcome> {
    let config: unknown;
    try {
      config = attempt.configure(values);
    } catch (error) {
      return createFailure(templateFailure(error));
    }
    const { fixedConfig } = attempt;
    if (fixedConfig === null || !fitting.has(fixedConfig)) {
      const errors = validateValue(attempt.type, config);
      if (errors.length > 0) return createFailure(configFailure(errors));
      if (fixedConfig !== null) fitting.add(fixedConfig);
    }
    return attempt.type.run(new AttemptContext(attempt, services), config as never, attempt.input);
  }

  function toNodeFailure(attempt: Attempt, error: unknown): NodeFailure {
    if (error instanceof HttpFailure) return error.failure;
    if (isTemplateError(error)) return templateFailure(error);
    deps.onError(attempt, error);
    return {
      type: 'internal',
      message: `Internal error in the ${attempt.type.type} node. See the server log for details.`,
    };
  }

  /** The outcome to store: limited in size, and without secrets in a failure. */
  function checked(attempt: Attempt, services: AttemptServices, outcome: Outcome): Outcome {
    if (outcome.kind === 'failed') {
      const { data, ...error } = outcome.error;
      const kept =
        data !== undefined && checkValueLimits(data, MAX_ERROR_DATA_BYTES, limits.valueDepth) === null
          ? { data }
          : {};
      return createFailure(services.redactFailure({ ...error, ...kept }));
    }
    const problem = outcome.kind === 'done' ? findOutputError(outcome, attempt.input) : null;
    return problem === null ? outcome : createFailure({ type: 'limit', message: problem, retryable: false });
  }

  function toAttemptResult(attempt: Attempt, services: AttemptServices, error: unknown): AttemptResult {
    if (error instanceof WeftError && isTemporary(error.code)) return { kind: 'deferred' };
    return checked(attempt, services, createFailure(toNodeFailure(attempt, error)));
  }

  /** Runs an asynchronous node: the timeout applies, and the end of the execution aborts it. */
  function settle(
    attempt: Attempt,
    services: AttemptServices,
    work: Promise<Outcome>,
  ): Promise<AttemptResult> {
    return new Promise((resolve) => {
      let open = true;
      let forget: (() => void) | null = null;
      const end = (outcome: AttemptResult): void => {
        if (!open) return;
        open = false;
        cancel?.();
        forget?.();
        const usage = services.usage();
        resolve(usage === undefined ? outcome : { ...outcome, usage });
        // Abort anything that the node left running.
        services.end(ATTEMPT_ENDED);
      };
      const { timeout } = attempt;
      const cancel =
        timeout === null
          ? null
          : clock.after(timeout, () =>
              end(
                createFailure({ type: 'timeout', message: `The node did not complete within ${timeout} ms` }),
              ),
            );
      forget = attempt.onAbort(() =>
        end(
          createFailure({
            type: 'stopped',
            message: 'The execution ended while the node ran',
            retryable: false,
          }),
        ),
      );
      work.then(
        (outcome) => end(checked(attempt, services, outcome)),
        (error: unknown) => end(toAttemptResult(attempt, services, error)),
      );
    });
  }

  async function startWithSecrets(attempt: Attempt, services: AttemptServices): Promise<Outcome> {
    const { type, secretReads } = attempt;
    const denied = checkSecretRead(type, secretReads);
    if (denied !== null) return createFailure(configFailure([denied]));
    const names = [...new Set(secretReads.map(({ name }) => name))];
    const secrets = await deps.secretsFor(attempt.ownerId, names);
    const partly = AttemptSecrets.findLocalError(type, secretReads, secrets);
    if (partly !== null) return createFailure(configFailure([partly]));
    services.secrets = secrets;
    return start(attempt, services, new Map([...secrets].map(([name, { value }]) => [name, value])));
  }

  return {
    run(attempt) {
      const services = new AttemptServices(attemptDeps, attempt);
      if (attempt.secretReads.length > 0)
        return settle(attempt, services, startWithSecrets(attempt, services));
      try {
        const outcome = start(attempt, services, null);
        return outcome instanceof Promise
          ? settle(attempt, services, outcome)
          : checked(attempt, services, outcome);
      } catch (error) {
        return checked(attempt, services, createFailure(toNodeFailure(attempt, error)));
      }
    },
    send: (request, signal, checkHost) => egress.send(request, signal, checkHost),
    askForToken: (grant, signal) => requestToken(grant, (post) => egress.send(post, signal)),
    close() {
      postgres.close();
      mysql.close();
      redis.close();
      documents.close();
      return egress.close();
    },
  };
}

/**
 * Returns why an outcome must not be stored. The input has been validated, so it is not checked again when
 * passed on.
 */
function findOutputError(
  { outputs, respond, end }: Extract<Outcome, { kind: 'done' }>,
  input: Json,
): string | null {
  const ports = Object.keys(outputs);
  if (ports.length !== 1 || outputs[ports[0]!] !== input) {
    const problem = checkValueLimits(outputs, limits.nodeOutputBytes, limits.valueDepth);
    if (problem !== null) return `The node's output ${problem}`;
  }
  if (respond !== undefined) {
    const problem = checkValueLimits(respond.body, limits.nodeOutputBytes, limits.valueDepth);
    if (problem !== null) return `The response ${problem}`;
  }
  if (end?.status === 'completed') {
    const problem = checkValueLimits(end.output, limits.nodeOutputBytes, limits.valueDepth);
    if (problem !== null) return `The execution's output ${problem}`;
  }
  return null;
}

function createFailure(error: NodeFailure): Outcome {
  return { kind: 'failed', error };
}

/** Compared by name: the runner must not import the expressions layer. */
function isTemplateError(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'TemplateEvaluationError' || error.name === 'TemplateError')
  );
}

function templateFailure(error: unknown): NodeFailure {
  const field =
    error instanceof Error && 'field' in error && typeof error.field === 'string' ? error.field : '';
  const reason = error instanceof Error ? error.message : String(error);
  return {
    type: 'template',
    message: field === '' || reason.startsWith(field) ? reason : `${field}: ${reason}`,
    data: { field, issue: reason },
  };
}

function configFailure(errors: readonly FieldError[]): NodeFailure {
  const first = errors[0] ?? { field: '', issue: 'is not valid' };
  return {
    type: 'validation',
    message: `${first.field || 'The configuration'}: ${first.issue}`,
    data: { field: first.field, issue: first.issue, errors: errors.map((problem) => ({ ...problem })) },
  };
}
