import path from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { readSecretKey } from './auth/secret-key.ts';
import {
  databaseName,
  readAllowedHost,
  readDatabaseUrl,
  readHost,
  readInteger,
  readLimit,
  readList,
  readOneOf,
  readOrigin,
  readPositiveDuration,
  readProxy,
  readRedisUrl,
  readRegistry,
  readSize,
  readText,
  readTimeZone,
  readUnproxied,
  readUrl,
} from './lib/setting-values.ts';
import { readProxyUrl } from './lib/proxy-url.ts';
import { EMAIL_PATTERN, PASSWORD_MAX, PASSWORD_MIN } from './contract/schemas-people.ts';
import type { SubscriptionPlan } from './contract/principal.ts';

const logLevelNames = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevelName = (typeof logLevelNames)[number];

/** Everything that the environment decides. */
export type Config = {
  /** Of the package. */
  readonly version: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Without a slash at its end. Null: `addressOf` the host and port that it listens on. */
  readonly publicUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: the one in the data folder. */
  readonly database: { readonly url: string; readonly connections: number } | null;
  /** Null: no other process works on the same store. */
  readonly redisUrl: string | null;
  /** Without a slash at its end. Null: nothing is traced. */
  readonly traceEndpoint: string | null;
  readonly role: 'all' | 'api' | 'worker';
  /** Executions at work at once. */
  readonly concurrency: number;
  readonly admin: { readonly email: string; readonly password: string } | null;
  /** Null: the one in the data folder. */
  readonly secretKey: Uint8Array | null;
  /** Requests an hour; null is unlimited. */
  readonly rateLimits: Readonly<Record<SubscriptionPlan, number | null>>;
  /** Calls of one workflow's webhooks a minute; null is unlimited. */
  readonly webhookRateLimit: number | null;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly timezone: string;
  /** ms. */
  readonly retention: number;
  /** Addresses, CIDR ranges and host names in lower case, each with or without `:port`. */
  readonly allowedHosts: readonly string[];
  /** Of trusted nodes, absolute. Null: there are none. */
  readonly nodesDir: string | null;
  /** The npm registry, without a slash at its end. Null: there are no packages. */
  readonly npmRegistry: string | null;
  /** What requests over HTTP go through, with the hosts that are called without it. Null: nothing. */
  readonly proxy: { readonly url: string; readonly except: readonly string[] } | null;
  /** Bytes of one file that a node fetches. */
  readonly maxFileSize: number;
  readonly logLevel: LogLevelName;
  /** Whether GraphQL tells its schema. */
  readonly graphqlIntrospection: boolean;
  /** Null: nothing is measured. `token`: what `GET /metrics` needs as Bearer; null is nothing. */
  readonly metrics: { readonly token: string | null } | null;
};

/** A setting that is wrong; the message is one line for the person who set it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Setting<T> = {
  /** As the person would write it; null: none. */
  readonly fallback: string | null;
  readonly takes: string;
  readonly meaning: string;
  /** Null when the text is wrong. */
  readonly read: (text: string) => T | null;
  /** True: its value is never shown. */
  readonly isSecret?: boolean;
};

function setting<T>(one: Setting<T>): Setting<T> {
  return one;
}

const countOrUnlimited = 'a whole number from 1, or unlimited';

/** Every setting: the reference page is printed from this table. */
export const settings = {
  PORT: setting({
    fallback: '8080',
    takes: 'a port from 0 to 65535 (0: any free one)',
    meaning: 'The port it listens on.',
    read: readInteger(0, 65_535),
  }),
  HOST: setting({
    fallback: '127.0.0.1',
    takes: 'an IP address or a host name',
    meaning: 'The address it listens on; `0.0.0.0` and `::` are all of this machine.',
    read: readHost,
  }),
  WEFT_PUBLIC_URL: setting({
    fallback: null,
    takes: 'an http or https address without query, such as https://weft.example.com',
    meaning:
      'The address that users and callers see, in links and webhook addresses. Without it: made of `HOST` and `PORT`.',
    read: readUrl,
  }),
  WEFT_DATA_DIR: setting({
    fallback: './.weft',
    takes: 'the path of a folder; it is made when it is missing',
    meaning: 'Everything that Weft keeps: database, key, binary data. With `DATABASE_URL` nothing.',
    read: (text) => (text.includes('\0') ? null : path.resolve(text)),
  }),
  DATABASE_URL: setting({
    fallback: null,
    takes: 'a PostgreSQL address, such as postgres://user:password@host:5432/database',
    meaning:
      'Keeps everything in PostgreSQL (15 or newer) instead of the data folder. It needs `WEFT_SECRET_KEY`. See [operations](../operations.md).',
    read: readDatabaseUrl,
    isSecret: true,
  }),
  WEFT_DATABASE_CONNECTIONS: setting({
    fallback: '10',
    takes: 'a whole number from 6 to 1000',
    meaning: 'Connections to PostgreSQL that this process opens at most.',
    read: readInteger(6, 1_000),
  }),
  REDIS_URL: setting({
    fallback: null,
    takes: 'a Redis or Valkey address, such as redis://user:password@host:6379/0, or rediss:// for TLS',
    meaning:
      'Lets several processes work on one `DATABASE_URL`, which it needs: wake-ups, events and shared limits go through it. The same for all of them. See [operations](../operations.md).',
    read: readRedisUrl,
    isSecret: true,
  }),
  WEFT_ROLE: setting({
    fallback: 'all',
    takes: 'all, api or worker; api and worker need REDIS_URL',
    meaning:
      'What this process does: `api` serves callers and runs no nodes, `worker` runs nodes and answers only for its health and metrics, `all` does both.',
    read: readOneOf(['all', 'api', 'worker']),
  }),
  WEFT_CONCURRENCY: setting({
    fallback: '2000',
    takes: 'a whole number from 1 to 10000',
    meaning: 'Executions that this process works on at once; more wait, for it or for another one.',
    read: readInteger(1, 10_000),
  }),
  WEFT_ADMIN_EMAIL: setting({
    fallback: null,
    takes: 'an email address, together with WEFT_ADMIN_PASSWORD',
    meaning:
      'The first administrator, made at the first start when there is no user. Without it: `admin@localhost` with a random password that is printed once.',
    read: (text) => (text.length <= 254 && new RegExp(EMAIL_PATTERN).test(text) ? text : null),
  }),
  WEFT_ADMIN_PASSWORD: setting({
    fallback: null,
    takes: `${PASSWORD_MIN} to ${PASSWORD_MAX} characters, together with WEFT_ADMIN_EMAIL`,
    meaning: "The first administrator's password. Later changes of it have no effect.",
    read: readText(PASSWORD_MIN, PASSWORD_MAX),
    isSecret: true,
  }),
  WEFT_SECRET_KEY: setting({
    fallback: null,
    takes: '32 bytes in base64 (openssl rand -base64 32)',
    meaning:
      'Encrypts stored secrets and signs tokens. With `DATABASE_URL` it is needed. Without it: `secret.key` in the data folder, made at the first start with mode 0600.',
    read: readSecretKey,
    isSecret: true,
  }),
  WEFT_RATE_LIMIT_STANDARD: setting({
    fallback: '1000',
    takes: countOrUnlimited,
    meaning: 'Requests an hour of a user on the plan standard.',
    read: readLimit,
  }),
  WEFT_RATE_LIMIT_PRO: setting({
    fallback: '10000',
    takes: countOrUnlimited,
    meaning: 'Requests an hour of a user on the plan pro.',
    read: readLimit,
  }),
  WEFT_RATE_LIMIT_ENTERPRISE: setting({
    fallback: '1000000',
    takes: countOrUnlimited,
    meaning: 'Requests an hour of a user on the plan enterprise.',
    read: readLimit,
  }),
  WEFT_WEBHOOK_RATE_LIMIT: setting({
    fallback: 'unlimited',
    takes: countOrUnlimited,
    meaning: 'Calls a minute that the webhooks of one workflow take; more are answered with 429.',
    read: readLimit,
  }),
  WEFT_TRUST_PROXY: setting({
    fallback: null,
    takes: 'IP addresses and CIDR ranges, or loopback, linklocal, uniquelocal, separated by commas',
    meaning: 'Proxies whose `X-Forwarded-*` headers are believed.',
    read: readList(readProxy),
  }),
  WEFT_CORS_ORIGINS: setting({
    fallback: null,
    takes: 'origins such as https://app.example.com, separated by commas, or *',
    meaning: 'Origins whose pages may call the API from a browser.',
    read: readList(readOrigin),
  }),
  WEFT_TIMEZONE: setting({
    fallback: 'UTC',
    takes: 'an IANA time zone such as Europe/Berlin',
    meaning: 'For schedules that name none.',
    read: readTimeZone,
  }),
  WEFT_RETENTION: setting({
    fallback: '14d',
    takes: 'a duration with a unit, up to 366d: 12h, 14d',
    meaning: 'How long ended executions stay, unless the workflow says otherwise.',
    read: readPositiveDuration,
  }),
  WEFT_ALLOWED_HOSTS: setting({
    fallback: null,
    takes: 'IP addresses, CIDR ranges and host names, each with or without :port, separated by commas',
    meaning:
      'Private or loopback addresses that nodes may call. Every other private, loopback, link-local or metadata address is refused.',
    read: readList(readAllowedHost),
  }),
  WEFT_NODES_DIR: setting({
    fallback: null,
    takes: 'the path of a folder with files *.node.js, *.node.mjs or *.node.ts',
    meaning:
      'Trusted nodes of your own, loaded at the start into the service itself: they can do what the service can. See [custom nodes](../custom-nodes.md#trusted-nodes).',
    read: (text) => (text.includes('\0') ? null : path.resolve(text)),
  }),
  WEFT_NPM_REGISTRY: setting({
    fallback: 'https://registry.npmjs.org',
    takes: 'an https address without query (http for a loopback address), or off',
    meaning:
      'Where the packages of custom nodes are fetched from, once, when a version is registered. It needs no entry in `WEFT_ALLOWED_HOSTS` unless its address is private. `off`: custom nodes have no packages.',
    read: readRegistry,
  }),
  WEFT_HTTP_PROXY: setting({
    fallback: null,
    takes: 'http:// or https://, a host, and perhaps user:password@ before it and :port behind it',
    meaning:
      'A proxy for every HTTP request of nodes and connectors; it may have any address, and has to refuse what nodes must not reach. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are not read.',
    read: (text) => (readProxyUrl(text) === null ? null : text),
    isSecret: true,
  }),
  WEFT_NO_PROXY: setting({
    fallback: null,
    takes:
      'host names, .suffixes of them, IP addresses and CIDR ranges, each but a suffix with or without :port, separated by commas, together with WEFT_HTTP_PROXY',
    meaning:
      'What is called without the proxy. Ranges count for addresses in a URL, not for what a name leads to.',
    read: readList(readUnproxied),
  }),
  WEFT_MAX_FILE_SIZE: setting({
    fallback: '2gb',
    takes: 'a number of bytes with a unit, up to 1000gb: 500mb, 2gb (1 mb is 1024 kb)',
    meaning:
      'The largest file that a node may fetch; a larger answer fails as `limit`, and nothing of it is kept.',
    read: readSize,
  }),
  WEFT_GRAPHQL_INTROSPECTION: setting({
    fallback: 'on',
    takes: 'on or off',
    meaning:
      'Whether GraphQL tells its schema to who asks for it. `/v1/schema.graphql` is public either way: it is the same for every Weft.',
    read: readOneOf(['on', 'off']),
  }),
  WEFT_METRICS: setting({
    fallback: 'off',
    takes: 'on or off',
    meaning:
      'Whether `GET /metrics` (beside `/v1`) shows figures for Prometheus. Without `WEFT_METRICS_TOKEN` everybody who reaches the port may read them.',
    read: readOneOf(['on', 'off']),
  }),
  WEFT_METRICS_TOKEN: setting({
    fallback: null,
    takes: '16 to 200 characters without spaces, together with WEFT_METRICS=on',
    meaning: 'What `GET /metrics` needs as `Authorization: Bearer`.',
    read: (text) => (/^\S{16,200}$/.test(text) ? text : null),
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    fallback: null,
    takes: 'an http or https address without query, such as http://127.0.0.1:4318',
    meaning:
      'An OpenTelemetry collector that is told of webhooks, executions, attempts of nodes and their outgoing requests, which carry `traceparent`. Without it nothing is traced.',
    read: readUrl,
  }),
  WEFT_LOG_LEVEL: setting({
    fallback: 'info',
    takes: logLevelNames.join(', '),
    meaning: 'How much it logs; `debug` has a line for every request.',
    read: readOneOf(logLevelNames),
  }),
} as const;

/**
 * Reads the configuration. An empty variable is as if it were not set.
 * @throws {ConfigError} naming the first variable that is wrong, what it got and what it takes. A `WEFT_` variable that is no
 * setting is refused too: a typing error must not start a service with a default.
 */
export function loadConfig(env: Environment): Config {
  refuseUnknown(env);
  const read = <T>(name: keyof typeof settings, one: Setting<T>): T | null => readSetting(env, name, one);
  const need = <T>(name: keyof typeof settings, one: Setting<T>): T => {
    const value = read(name, one);
    if (value === null) throw new ConfigError(`${name} is not set; it takes ${one.takes}.`);
    return value;
  };
  const role = need('WEFT_ROLE', settings.WEFT_ROLE) as Config['role'];
  const redisUrl = read('REDIS_URL', settings.REDIS_URL);
  const publicUrl = read('WEFT_PUBLIC_URL', settings.WEFT_PUBLIC_URL);
  const url = read('DATABASE_URL', settings.DATABASE_URL);
  const secretKey = read('WEFT_SECRET_KEY', settings.WEFT_SECRET_KEY);
  if (url !== null && secretKey === null)
    throw new ConfigError(
      `WEFT_SECRET_KEY is not set, but DATABASE_URL is; it takes ${settings.WEFT_SECRET_KEY.takes}, the same for all processes of this database.`,
    );
  const connections = need('WEFT_DATABASE_CONNECTIONS', settings.WEFT_DATABASE_CONNECTIONS);
  requireScale(role, { redisUrl, hasDatabase: url !== null, hasPublicUrl: publicUrl !== null });
  return {
    version: packageJson.version,
    host: need('HOST', settings.HOST),
    port: need('PORT', settings.PORT),
    publicUrl,
    dataDir: need('WEFT_DATA_DIR', settings.WEFT_DATA_DIR),
    admin: readAdmin(env),
    database: url === null ? null : { url, connections },
    redisUrl,
    role,
    traceEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT', settings.OTEL_EXPORTER_OTLP_ENDPOINT),
    concurrency: need('WEFT_CONCURRENCY', settings.WEFT_CONCURRENCY),
    secretKey,
    rateLimits: {
      standard: need('WEFT_RATE_LIMIT_STANDARD', settings.WEFT_RATE_LIMIT_STANDARD).limit,
      pro: need('WEFT_RATE_LIMIT_PRO', settings.WEFT_RATE_LIMIT_PRO).limit,
      enterprise: need('WEFT_RATE_LIMIT_ENTERPRISE', settings.WEFT_RATE_LIMIT_ENTERPRISE).limit,
    },
    webhookRateLimit: need('WEFT_WEBHOOK_RATE_LIMIT', settings.WEFT_WEBHOOK_RATE_LIMIT).limit,
    trustProxy: read('WEFT_TRUST_PROXY', settings.WEFT_TRUST_PROXY) ?? [],
    corsOrigins: read('WEFT_CORS_ORIGINS', settings.WEFT_CORS_ORIGINS) ?? [],
    timezone: need('WEFT_TIMEZONE', settings.WEFT_TIMEZONE),
    retention: need('WEFT_RETENTION', settings.WEFT_RETENTION),
    allowedHosts: read('WEFT_ALLOWED_HOSTS', settings.WEFT_ALLOWED_HOSTS) ?? [],
    proxy: readProxySetting(env),
    maxFileSize: need('WEFT_MAX_FILE_SIZE', settings.WEFT_MAX_FILE_SIZE),
    logLevel: need('WEFT_LOG_LEVEL', settings.WEFT_LOG_LEVEL),
    nodesDir: read('WEFT_NODES_DIR', settings.WEFT_NODES_DIR),
    npmRegistry: need('WEFT_NPM_REGISTRY', settings.WEFT_NPM_REGISTRY).url,
    graphqlIntrospection: need('WEFT_GRAPHQL_INTROSPECTION', settings.WEFT_GRAPHQL_INTROSPECTION) === 'on',
    metrics: readMetrics(env),
  };
}

/** Where everything is kept, for people: a database without its password. */
export function placeOfData({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database === null ? dataDir : databaseName(database.url);
}

/** The address of a server as one would open it on this machine: `http://127.0.0.1:8080`. */
export function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function readSetting<T>(env: Environment, name: string, one: Setting<T>): T | null {
  const given = env[name]?.trim();
  const text = given === undefined || given === '' ? one.fallback : given;
  if (text === null) return null;
  const value = one.read(text);
  if (value !== null) return value;
  const got = one.isSecret === true ? `${text.length} characters that it cannot use` : JSON.stringify(text);
  throw new ConfigError(`${name} got ${got}; it takes ${one.takes}.`);
}

function readAdmin(env: Environment): Config['admin'] {
  const email = readSetting(env, 'WEFT_ADMIN_EMAIL', settings.WEFT_ADMIN_EMAIL);
  const password = readSetting(env, 'WEFT_ADMIN_PASSWORD', settings.WEFT_ADMIN_PASSWORD);
  if (email !== null && password !== null) return { email, password };
  if (email === null && password === null) return null;
  const [missing, present] =
    email === null
      ? ['WEFT_ADMIN_EMAIL', 'WEFT_ADMIN_PASSWORD']
      : ['WEFT_ADMIN_PASSWORD', 'WEFT_ADMIN_EMAIL'];
  throw new ConfigError(`${missing} is not set, but ${present} is; set both or neither.`);
}

function readProxySetting(env: Environment): Config['proxy'] {
  const url = readSetting(env, 'WEFT_HTTP_PROXY', settings.WEFT_HTTP_PROXY);
  const except = readSetting(env, 'WEFT_NO_PROXY', settings.WEFT_NO_PROXY);
  if (url !== null) return { url, except: except ?? [] };
  if (except === null) return null;
  throw new ConfigError('WEFT_NO_PROXY is set, but WEFT_HTTP_PROXY is not; set both, or neither.');
}

function readMetrics(env: Environment): Config['metrics'] {
  const token = readSetting(env, 'WEFT_METRICS_TOKEN', settings.WEFT_METRICS_TOKEN);
  if (readSetting(env, 'WEFT_METRICS', settings.WEFT_METRICS) === 'on') return { token };
  if (token === null) return null;
  throw new ConfigError(
    'WEFT_METRICS_TOKEN is set, but WEFT_METRICS is off; set WEFT_METRICS to on, or no token.',
  );
}

/** Which settings make sense only with others. */
function requireScale(
  role: Config['role'],
  {
    redisUrl,
    hasDatabase,
    hasPublicUrl,
  }: { redisUrl: string | null; hasDatabase: boolean; hasPublicUrl: boolean },
): void {
  if (redisUrl !== null && !hasDatabase)
    throw new ConfigError(
      'REDIS_URL is set, but DATABASE_URL is not; Redis only carries messages between processes on one PostgreSQL: set DATABASE_URL, or unset REDIS_URL.',
    );
  if (role === 'all') return;
  if (redisUrl === null)
    throw new ConfigError(
      `WEFT_ROLE is ${role}, but REDIS_URL is not set; a process with one role needs others, and DATABASE_URL and REDIS_URL to find them.`,
    );
  if (role === 'worker' && !hasPublicUrl)
    throw new ConfigError(
      'WEFT_PUBLIC_URL is not set, but WEFT_ROLE is worker; a worker writes addresses that callers use, and is none of them itself.',
    );
}

/** What the commands that ask a service read; it says nothing to the service itself. */
const ofTheCommand: readonly string[] = [
  'WEFT_URL',
  'WEFT_API_KEY',
  'WEFT_TOKEN',
  'WEFT_PASSWORD',
  'WEFT_PROFILE',
];

function refuseUnknown(env: Environment): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.toUpperCase().startsWith('WEFT_') || Object.hasOwn(settings, name)) continue;
    if (ofTheCommand.includes(name)) continue;
    const known = Object.keys(settings).filter((one) => one.startsWith('WEFT_'));
    const [nearest] = known
      .map((one) => ({ one, far: distance(name.toUpperCase(), one) }))
      .sort((a, b) => a.far - b.far);
    const hint =
      nearest !== undefined && nearest.far <= 5
        ? `did you mean ${nearest.one}?`
        : `it takes one of ${known.join(', ')}.`;
    throw new ConfigError(`${name} is not a setting; ${hint}`);
  }
}

/** How many characters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The reference page of the settings, in Markdown. */
export function settingsPage(): string {
  const lines = Object.entries<Setting<unknown>>(settings).map(([name, { fallback, takes, meaning }]) => {
    const shown = fallback === null ? 'none' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${takes} | ${meaning} |`;
  });
  return `# Settings

Settings are environment variables, read once at the start. A wrong one, and a variable that begins with \`WEFT_\` and is no
setting, stops the start with one line that names it. An empty variable is as if it were not set. What the
[command](../cli.md) reads (${ofTheCommand.map((name) => `\`${name}\``).join(', ')}) is let through.

| variable | default | takes | meaning |
|---|---|---|---|
${lines.join('\n')}

<!-- Printed from src/config.ts; \`npx vitest run src/config.test.ts -u\` writes it anew. -->
`;
}
