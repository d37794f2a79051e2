import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError, readSetting, refuseUnknown, requireSetting, type Environment } from './environment.ts';
import { settings, type LogLevelName, type ProcessRole, type SettingName } from './settings.ts';
import type { SubscriptionPlan } from '../contract/principal.ts';
import { checkDatabaseTls } from '../lib/network/database-tls.ts';
import { databaseName } from '../lib/text/parse-setting.ts';
import { listUnsupportedTracingVariables, readTracing, type TracingConfig } from './tracing.ts';

/** Everything that the environment decides. */
export type Config = {
  /** Of the package. */
  readonly version: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Without a slash at its end. Null: `addressOf` the host and port that it listens on. */
  readonly publicUrl: string | null;
  /** The origin of webhooks, without a slash at its end. Null: that of everything else. */
  readonly webhookUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: the one in the data folder. */
  readonly database: { readonly url: string; readonly connections: number } | null;
  /** Null: no other process works on the same store. */
  readonly redisUrl: string | null;
  /** Null: no spans are exported. */
  readonly tracing: TracingConfig | null;
  /** `OTEL_` variables that are set and have no effect. */
  readonly unsupportedTracingVariables: readonly string[];
  readonly role: ProcessRole;
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

/**
 * Reads the configuration. An empty variable is as if it were not set.
 * @throws {ConfigError} naming the first variable that is wrong, what it got and what it takes.
 */
export function loadConfig(env: Environment): Config {
  refuseUnknown(env);
  const read = <Name extends SettingName>(name: Name) => readSetting(env, name);
  const need = <Name extends SettingName>(name: Name) => requireSetting(env, name);
  const role = need('WEFT_ROLE');
  const redisUrl = read('REDIS_URL');
  const publicUrl = read('WEFT_PUBLIC_URL');
  const url = readDatabase(env);
  const secretKey = read('WEFT_SECRET_KEY');
  if (url !== null && secretKey === null)
    throw new ConfigError(
      `WEFT_SECRET_KEY is not set, but DATABASE_URL is; it takes ${settings.WEFT_SECRET_KEY.takes}, the same for all processes of this database.`,
    );
  const connections = need('WEFT_DATABASE_CONNECTIONS');
  requireScale(role, { redisUrl, hasDatabase: url !== null, hasPublicUrl: publicUrl !== null });
  return {
    version: packageJson.version,
    host: need('HOST'),
    port: need('PORT'),
    publicUrl,
    webhookUrl: readWebhookUrl(env, publicUrl ?? addressOf(need('HOST'), need('PORT'))),
    dataDir: need('WEFT_DATA_DIR'),
    admin: readAdmin(env),
    database: url === null ? null : { url, connections },
    redisUrl,
    role,
    tracing: readTracing(env),
    unsupportedTracingVariables: listUnsupportedTracingVariables(env),
    concurrency: need('WEFT_CONCURRENCY'),
    secretKey,
    rateLimits: {
      standard: need('WEFT_RATE_LIMIT_STANDARD').limit,
      pro: need('WEFT_RATE_LIMIT_PRO').limit,
      enterprise: need('WEFT_RATE_LIMIT_ENTERPRISE').limit,
    },
    webhookRateLimit: need('WEFT_WEBHOOK_RATE_LIMIT').limit,
    trustProxy: read('WEFT_TRUST_PROXY') ?? [],
    corsOrigins: read('WEFT_CORS_ORIGINS') ?? [],
    timezone: need('WEFT_TIMEZONE'),
    retention: need('WEFT_RETENTION'),
    allowedHosts: read('WEFT_ALLOWED_HOSTS') ?? [],
    proxy: readProxySetting(env),
    maxFileSize: need('WEFT_MAX_FILE_SIZE'),
    logLevel: need('WEFT_LOG_LEVEL'),
    nodesDir: read('WEFT_NODES_DIR'),
    npmRegistry: need('WEFT_NPM_REGISTRY').url,
    graphqlIntrospection: need('WEFT_GRAPHQL_INTROSPECTION') === 'on',
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

function readAdmin(env: Environment): Config['admin'] {
  const email = readSetting(env, 'WEFT_ADMIN_EMAIL');
  const password = readSetting(env, 'WEFT_ADMIN_PASSWORD');
  if (email !== null && password !== null) return { email, password };
  if (email === null && password === null) return null;
  const [missing, present] =
    email === null
      ? ['WEFT_ADMIN_EMAIL', 'WEFT_ADMIN_PASSWORD']
      : ['WEFT_ADMIN_PASSWORD', 'WEFT_ADMIN_EMAIL'];
  throw new ConfigError(`${missing} is not set, but ${present} is; set both or neither.`);
}

function readDatabase(env: Environment): string | null {
  const url = readSetting(env, 'DATABASE_URL');
  if (url === null) return null;
  const parsed = new URL(url);
  const mode = env['PGSSLMODE'] ?? '';
  // The library would read it by itself, also where it switches the check of certificates off.
  if (mode !== '' && !parsed.searchParams.has('sslmode') && !parsed.searchParams.has('ssl'))
    parsed.searchParams.set('sslmode', mode);
  const fault = checkDatabaseTls(parsed.href);
  if (fault !== null) throw new ConfigError(`DATABASE_URL: ${fault}.`);
  return parsed.search === new URL(url).search ? url : parsed.href;
}

function readProxySetting(env: Environment): Config['proxy'] {
  const url = readSetting(env, 'WEFT_HTTP_PROXY');
  const except = readSetting(env, 'WEFT_NO_PROXY');
  if (url !== null) return { url, except: except ?? [] };
  if (except === null) return null;
  throw new ConfigError('WEFT_NO_PROXY is set, but WEFT_HTTP_PROXY is not; set both, or neither.');
}

/** Scripts are kept apart by origin, but cookies by host name alone. */
function readWebhookUrl(env: Environment, publicUrl: string): string | null {
  const url = readSetting(env, 'WEFT_WEBHOOK_URL');
  if (url === null || new URL(url).hostname !== new URL(publicUrl).hostname) return url;
  throw new ConfigError(
    `WEFT_WEBHOOK_URL got ${JSON.stringify(url)}, which has the host name of ${publicUrl}; it needs one of its own.`,
  );
}

function readMetrics(env: Environment): Config['metrics'] {
  const token = readSetting(env, 'WEFT_METRICS_TOKEN');
  if (readSetting(env, 'WEFT_METRICS') === 'on') return { token };
  if (token === null) return null;
  throw new ConfigError(
    'WEFT_METRICS_TOKEN is set, but WEFT_METRICS is off; set WEFT_METRICS to on, or no token.',
  );
}

/** Which settings make sense only with others. */
function requireScale(
  role: ProcessRole,
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
