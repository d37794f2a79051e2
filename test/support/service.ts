import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assertConforms } from './openapi/assert-openapi.ts';
import { findWeftProgram } from './program.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** ms after which a start without an address in its output counts as failed. */
const START_TIMEOUT_MS = 45_000;

export type ApiResponse = { status: number; headers: Headers; text: string; body: unknown };
export type Call = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string>; raw?: string | Uint8Array },
) => Promise<ApiResponse>;

/** A service as a separate process. */
export type SpawnedService = {
  /** Ends with /v1. */
  readonly url: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Its output so far. */
  logs(): string;
  /** The password that the first start printed, or that was set. */
  readonly password: string;
  /** Logs in as the first administrator. The returned call sends the token. */
  login(): Promise<Call>;
  /** Calls without a credential. */
  call: Call;
  kill9(): Promise<void>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
};

export const adminEmail = 'admin@example.com';
export const adminPassword = 'correct horse battery staple';

/** A temporary folder that `remove` deletes. */
export function createTempFolder(): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-test-'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs `weft <args>` until it ends. */
export async function runWeft(
  args: string[],
  env: Record<string, string>,
  input?: string,
  /** Aborting it interrupts the command, like Ctrl-C. */
  signal?: AbortSignal,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [findWeftProgram(), ...args], {
    env: environment(env),
    cwd: root,
  });
  signal?.addEventListener('abort', () => child.kill('SIGINT'));
  let stdout = '';
  let stderr = '';
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(input ?? '');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(WEFT_|PORT$|HOST$|DATABASE_URL$|REDIS_URL$|NODE_OPTIONS$|VITEST)/.test(name),
    ),
  );
  return { NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/weft'), ...clean, ...env };
}

/** Starts the service on a free port. Rejects with its output when it does not start. */
export async function spawnService(options: {
  dataDir: string;
  env?: Record<string, string>;
  nodeArgs?: string[];
  /** The entry file. Default: the file of the command. */
  program?: string;
  /** Whether responses must match the OpenAPI document of this build. Default: true. */
  isDocumented?: boolean;
  /** Its working directory. Default: that of the tests. */
  cwd?: string;
  /** Destination of standard error. Default: `logs`. */
  stderr?: number;
}): Promise<SpawnedService> {
  const { dataDir } = options;
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), options.program ?? findWeftProgram(), 'start'],
    {
      env: environment({
        PORT: '0',
        WEFT_DATA_DIR: dataDir,
        WEFT_ADMIN_EMAIL: adminEmail,
        WEFT_ADMIN_PASSWORD: adminPassword,
        WEFT_ALLOWED_HOSTS: '127.0.0.1',
        WEFT_LOG_LEVEL: 'warn',
        ...options.env,
      }),
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      stdio: ['ignore', 'pipe', options.stderr ?? 'pipe'],
    },
  );
  let printed = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      // No other code refers to it.
      child.kill('SIGKILL');
      reject(new Error(`The service did not start in time:\n${printed}`));
    }, START_TIMEOUT_MS);
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const found = /is ready at (\S+)/.exec(printed);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found[1]!);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`The service ended with ${code}:\n${printed}`));
    });
  });
  const { isDocumented = true } = options;
  const call = caller(url, {}, isDocumented);
  return {
    url,
    dataDir,
    child,
    logs: () => printed,
    password: /with the password (\S+)/.exec(printed)?.[1] ?? adminPassword,
    call,
    async login() {
      const reply = await call('POST', '/auth/login', {
        body: { email: options.env?.['WEFT_ADMIN_EMAIL'] ?? adminEmail, password: adminPassword },
      });
      if (reply.status !== 200) throw new Error(`The login failed: ${reply.text}`);
      const authorization = `Bearer ${(reply.body as { token: string }).token}`;
      return caller(url, { authorization }, isDocumented);
    },
    async kill9() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** Calls a service with JSON bodies. Throws when a response differs from the OpenAPI document. */
export function caller(url: string, headers: Record<string, string> = {}, isDocumented = true): Call {
  return async (method, where, options = {}) => {
    const hasBody = options.body !== undefined || options.raw !== undefined;
    const response = await fetch(`${url}${where}`, {
      method,
      headers: {
        ...(hasBody && options.raw === undefined ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...options.headers,
      },
      ...(hasBody
        ? { body: options.raw === undefined ? JSON.stringify(options.body) : (options.raw as string) }
        : {}),
      redirect: 'manual',
    });
    const text = await response.text();
    if (isDocumented)
      assertConforms({
        method,
        path: where,
        status: response.status,
        header: (name) => response.headers.get(name),
        text,
      });
    let body: unknown = null;
    try {
      body = JSON.parse(text);
    } catch {
      // Not every response is JSON.
    }
    return { status: response.status, headers: response.headers, text, body };
  };
}

/** Polls until `ready` returns true, for at most `ms`. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  ready: (value: T) => boolean,
  ms = 30_000,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await ask();
    if (ready(value)) return value;
    if (performance.now() > end)
      throw new Error(`The condition was not met within ${ms} ms: ${JSON.stringify(value).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
