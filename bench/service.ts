// The built service as a separate process on a new data folder, called through REST.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startChild, freePort, waitForResponse, type Child } from './children.ts';

const EMAIL = 'bench@localhost.test';
const PASSWORD = 'a-long-benchmark-password-1';
const START_LIMIT_MS = 20_000;

export const projectRoot: string = path.resolve(import.meta.dirname, '..');

export type Rest = <T>(method: string, path: string, body?: unknown) => Promise<T>;

export type Service = {
  readonly child: Child;
  /** `http://127.0.0.1:port/v1` */
  readonly base: string;
  readonly dataDir: string;
  readonly rest: Rest;
  /** For requests that do not use `rest`. */
  readonly authorization: () => string;
  /** Drains and ends the process. The data folder remains. */
  readonly stop: () => Promise<void>;
  /** Ends the process and removes the data folder. */
  readonly remove: () => Promise<void>;
};

export function createDataDir(): string {
  return mkdtempSync('/tmp/weft-bench-');
}

export function createEnvironment(port: number, dataDir: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    HOST: '127.0.0.1',
    WEFT_DATA_DIR: dataDir,
    WEFT_ADMIN_EMAIL: EMAIL,
    WEFT_ADMIN_PASSWORD: PASSWORD,
    WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
    WEFT_WEBHOOK_RATE_LIMIT: 'unlimited',
    WEFT_ALLOWED_HOSTS: '127.0.0.1',
  };
}

/** Stores all data in PostgreSQL. */
export function createDatabaseSettings(url: string): Record<string, string> {
  return { DATABASE_URL: url, WEFT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
}

async function ask<T>(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(90_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 600)}`);
  return JSON.parse(text) as T;
}

/** Logs in with the password of the benchmark. */
export async function logIn(
  base: string,
  email: string = EMAIL,
): Promise<Pick<Service, 'rest' | 'authorization'>> {
  const { token } = await ask<{ token: string }>(
    `${base}/auth/login`,
    'POST',
    {},
    { email, password: PASSWORD },
  );
  const authorization = `Bearer ${token}`;
  return {
    rest: (method, at, body) => ask(`${base}${at}`, method, { authorization }, body),
    authorization: () => authorization,
  };
}

/** Creates another user. */
export async function createUser({ base, rest }: Pick<Service, 'base' | 'rest'>): Promise<Rest> {
  const email = 'second@localhost.test';
  await rest('POST', '/users', { email, password: PASSWORD });
  return (await logIn(base, email)).rest;
}

/** Starts the built service. The caller must call `remove`. `nodeArgs` are options of Node. */
export async function startService(
  dataDir: string = createDataDir(),
  nodeArgs: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/v1`;
  const entry = path.join(projectRoot, 'scripts', 'weft.cjs');
  // The same option as in `npm start`.
  const child = startChild(process.execPath, ['--max-semi-space-size=8', ...nodeArgs, entry, 'start'], {
    ...createEnvironment(port, dataDir),
    ...settings,
  });
  await waitForResponse(child, `${base}/health`, START_LIMIT_MS, 200);
  const stop = () => child.stop(15_000);
  return {
    child,
    base,
    dataDir,
    ...(await logIn(base)),
    stop,
    remove: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
