import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { NodeType, Outcome } from '../../src/contract/node-type.ts';
import { compileConfig, evaluateDeferred } from '../../src/expressions/compile-config.ts';
import type { TemplateScope } from '../../src/expressions/scope.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { onAbort } from '../../src/lib/async/abort.ts';
import { createModeFinder } from '../../src/nodes/template-mode.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { FileStore } from '../../src/ports/files.ts';
import type { Orchestration } from '../../src/ports/orchestration.ts';
import type { Attempt, AttemptResult } from '../../src/ports/runner.ts';
import type { FileRow } from '../../src/ports/store/files.ts';
import type { OAuthTokens } from '../../src/ports/oauth-tokens.ts';
import { parseAllowedHosts } from '../../src/runner/allowed-hosts.ts';
import { createNodeRunner } from '../../src/runner/node-runner.ts';
import type { Resolve } from '../../src/runner/dns-resolver.ts';
import type { LoadedSecret } from '../../src/runner/attempt-secrets.ts';
import { realClock } from './servers/http-server.ts';

const runners: { close(): Promise<void> }[] = [];

export async function closeRunners(): Promise<void> {
  await Promise.all(runners.splice(0).map((runner) => runner.close()));
}

/** For an attempt that must not be deferred. */
export async function settleAttempt(running: AttemptResult | Promise<AttemptResult>): Promise<Outcome> {
  const result = await running;
  if (result.kind === 'deferred') throw new Error('The attempt was deferred');
  return result;
}

/** For tests of everything else. */
const noSandbox = { run: () => Promise.reject(new Error('A test reached the sandbox')) };

export const noTokens: OAuthTokens = {
  ofConnection: () => Promise.reject(new Error('A test reached connected accounts')),
  ofGrant: () => Promise.reject(new Error('A test reached connected accounts')),
};

/** A runner with real sockets. Files and secrets are in memory. */
export function makeRunner(
  options: {
    secrets?: Record<string, LoadedSecret>;
    allowedHosts?: string;
    maxFileSize?: number;
    files?: FileStore;
    /** Replaces parts of the access to other executions and to people, which a test must not reach. */
    orchestration?: Partial<Orchestration>;
    tokens?: OAuthTokens;
    resolve?: Resolve;
    clock?: Clock;
  } = {},
) {
  const contents = new Map<string, Uint8Array>();
  const rows = new Map<string, FileRow>();
  const asked: [string, readonly string[]][] = [];
  const errors: unknown[] = [];
  let count = 0;
  const files: FileStore = {
    put(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      contents.set(hash, bytes);
      return Promise.resolve(hash);
    },
    async write(chunks) {
      const pieces: Uint8Array[] = [];
      for await (const chunk of chunks) pieces.push(chunk);
      const bytes = Buffer.concat(pieces);
      return { hash: await files.put(bytes), size: bytes.length };
    },
    open(hash, { start, end } = { start: 0, end: Infinity }) {
      const bytes = contents.get(hash);
      return Promise.resolve(bytes === undefined ? null : Readable.from([bytes.subarray(start, end)]));
    },
    get: (hash) => Promise.resolve(contents.get(hash) ?? null),
    remove: () => Promise.resolve(),
  };
  const runner = createNodeRunner({
    clock: options.clock ?? realClock,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    ids: { next: (kind) => `${kind}_${++count}` },
    secretsFor(ownerId, names) {
      asked.push([ownerId, names]);
      const found = names.flatMap((name): [string, LoadedSecret][] => {
        const secret = options.secrets?.[name];
        return secret === undefined ? [] : [[name, secret]];
      });
      return Promise.resolve(new Map(found));
    },
    files: options.files ?? files,
    fileRows: {
      saveFile: (row) => Promise.resolve(void rows.set(row.id, row)),
      file: (ownerId, id) => {
        const row = rows.get(id);
        return Promise.resolve(row?.ownerId === ownerId ? row : null);
      },
    },
    executions: { get: () => Promise.resolve(null) },
    threads: { read: () => Promise.resolve([]) },
    vectors: {
      upsert: () => Promise.reject(new Error('A test reached vectors')),
      query: () => Promise.reject(new Error('A test reached vectors')),
      removeDocuments: () => Promise.reject(new Error('A test reached vectors')),
    },
    sandbox: noSandbox,
    packs: { run: () => Promise.reject(new Error('A test reached a pack')) },
    orchestration: { ...noFlow, ...options.orchestration },
    tokens: options.tokens ?? noTokens,
    allowedHosts: parseAllowedHosts(options.allowedHosts ?? '127.0.0.1'),
    maxFileSize: options.maxFileSize ?? 1024 ** 3,
    onError: (_attempt, error) => errors.push(error),
  });
  runners.push(runner);
  return { runner, asked, errors, rows, contents };
}

/** The properties of an attempt that a test can set. */
export type AttemptSample = Partial<Attempt> & { signal?: () => AbortSignal };

/** An attempt as the engine passes it to the runner, with the engine's templates. */
export function createAttempt(
  type: NodeType,
  config: JsonObject,
  { signal, ...more }: AttemptSample = {},
): Attempt {
  const mode = createModeFinder(type.templates);
  const compiled = compileConfig(config, {
    skip: (field) => mode(field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')),
  });
  if (compiled.errors.length > 0) throw new Error(JSON.stringify(compiled.errors));
  const input = more.input === undefined ? { a: 1 } : more.input;
  let scope: TemplateScope = { input, now: 0 };
  return {
    ownerId: 'usr_1',
    executionId: 'ex_1',
    workflowId: 'wf_1',
    nodeId: type.type,
    path: type.type,
    attempt: 1,
    interruptions: 0,
    type,
    deliveries: [],
    resumed: null,
    isConnected: () => false,
    idempotencyKey: 'key-of-this-run',
    traceContext: null,
    fixedConfig: null,
    secretReads: compiled.secretReads,
    configure: (secrets) => {
      scope = { input, now: realClock.now(), secrets: (name) => secrets?.get(name) };
      return compiled.evaluate(scope);
    },
    evaluate: (template, extra) => evaluateDeferred(template, { ...scope, ...extra }),
    timeout: type.timeoutFor?.(config) ?? type.timeout,
    onAbort: (listener) => (signal === undefined ? () => {} : onAbort(signal(), listener)),
    log() {},
    ...more,
    input,
  };
}

const outside = () => Promise.reject(new Error('A test reached another execution'));
const noFlow: Orchestration = {
  startChild: outside,
  child: outside,
  stopChild: outside,
  signal: outside,
  ask: outside,
  countNotice: outside,
  hasMessage: outside,
  recordMessage: outside,
  endQuestion: outside,
  resumeUrl: () => '',
  notify() {},
};
