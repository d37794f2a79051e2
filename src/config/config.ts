import packageJson from '../../package.json' with { type: 'json' };
import {
  ConfigError,
  readSetting,
  rejectUnknownSettings,
  requireSetting,
  type Environment,
} from './environment.ts';
import { settings, type LogLevelName, type ProcessRole, type SettingName } from './settings.ts';
import type { ModelPrices } from '../contract/ai/models.ts';
import type { SubscriptionPlan } from '../contract/principal.ts';
import { checkDatabaseTls } from '../lib/network/database-tls.ts';
import type { BucketFolder } from '../lib/network/bucket-url.ts';
import { readDatabaseName } from '../lib/text/parse-setting.ts';
import { listUnsupportedTracingVariables, readTracing, type TracingConfig } from './tracing.ts';

/** Keys to a bucket. */
type BucketKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** The configuration, read from environment variables. */
export type Config = {
  /** The version of the package. */
  readonly version: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a trailing slash. Null: derived from the host and port that the service listens on. */
  readonly publicUrl: string | null;
  /** The origin of webhooks, without a trailing slash. Null: the same as that of the API. */
  readonly webhookUrl: string | null;
  /** An absolute path. */
  readonly dataDir: string;
  /** Null: SQLite in the data folder. */
  readonly database: { readonly url: string; readonly connections: number } | null;
  /** The bucket of files of executions, and the keys to it. Null: they are stored with the database. */
  readonly files: { readonly folder: BucketFolder; readonly keys: BucketKeys } | null;
  /** Null: no other process uses the same store. */
  readonly redisUrl: string | null;
  /** Null: no spans are exported. */
  readonly tracing: TracingConfig | null;
  /** `OTEL_` variables that are set and have no effect. */
  readonly unsupportedTracingVariables: readonly string[];
  readonly role: ProcessRole;
  /** Concurrent executions. */
  readonly concurrency: number;
  readonly admin: { readonly email: string; readonly password: string } | null;
  /** Null: the key file in the data folder. */
  readonly secretKey: Uint8Array | null;
  /** Requests per hour; null: unlimited. */
  readonly rateLimits: Readonly<Record<SubscriptionPlan, number | null>>;
  /** Calls per minute of one workflow's webhooks; null: unlimited. */
  readonly webhookRateLimit: number | null;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly timezone: string;
  /** How long ended executions are retained, in ms. */
  readonly retention: number;
  /** How long a deleted workflow can be restored, ms; 0: not at all. */
  readonly deletedWorkflowRetention: number;
  /** Retention of statistics, ms. */
  readonly statisticsRetention: number;
  /** Retention of audit events, ms. */
  readonly auditRetention: number;
  /** By provider and model. */
  readonly modelPrices: ModelPrices;
  /** Addresses, CIDR ranges and host names in lower case, each with or without `:port`. */
  readonly allowedHosts: readonly string[];
  /** The folder of trusted nodes, as an absolute path. Null: none. */
  readonly nodesDir: string | null;
  /** The npm registry, without a trailing slash. Null: custom nodes cannot use packages. */
  readonly npmRegistry: string | null;
  /** The proxy for HTTP requests, with the hosts that are called without it. Null: none. */
  readonly proxy: { readonly url: string; readonly except: readonly string[] } | null;
  /** Bytes of one file that a node downloads. */
  readonly maxFileSize: number;
  readonly logLevel: LogLevelName;
  /** Whether OAuth clients can have the URL of a metadata document as their ID. */
  readonly clientDocuments: boolean;
  /** Whether GraphQL introspection is enabled. */
  readonly graphqlIntrospection: boolean;
  /** Null: metrics are disabled. `token`: the Bearer token of `GET /metrics`; null: none is required. */
  readonly metrics: { readonly token: string | null } | null;
};

/**
 * Reads the configuration. An empty variable counts as not set.
 * @throws {ConfigError} naming the first invalid variable, its value and what is accepted.
 */
export function loadConfig(env: Environment): Config {
  rejectUnknownSettings(env);
  const read = <Name extends SettingName>(name: Name) => readSetting(env, name);
  const need = <Name extends SettingName>(name: Name) => requireSetting(env, name);
  const role = need('WEFT_ROLE');
  const redisUrl = read('REDIS_URL');
  const publicUrl = read('WEFT_PUBLIC_URL');
  const url = readDatabase(env);
  const secretKey = read('WEFT_SECRET_KEY');
  if (url !== null && secretKey === null)
    throw new ConfigError(
      `WEFT_SECRET_KEY is not set, but DATABASE_URL is; it must be ${settings.WEFT_SECRET_KEY.takes}, the same for all processes of this database.`,
    );
  const connections = need('WEFT_DATABASE_CONNECTIONS');
  checkScalingSettings(role, { redisUrl, hasDatabase: url !== null, hasPublicUrl: publicUrl !== null });
  return {
    version: packageJson.version,
    host: need('HOST'),
    port: need('PORT'),
    publicUrl,
    webhookUrl: readWebhookUrl(env, publicUrl ?? formatServerUrl(need('HOST'), need('PORT'))),
    dataDir: need('WEFT_DATA_DIR'),
    admin: readAdmin(env),
    database: url === null ? null : { url, connections },
    files: readFiles(env),
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
    deletedWorkflowRetention: need('WEFT_DELETED_WORKFLOW_RETENTION'),
    statisticsRetention: need('WEFT_STATISTICS_RETENTION'),
    modelPrices: need('WEFT_MODEL_PRICES'),
    auditRetention: need('WEFT_AUDIT_RETENTION'),
    allowedHosts: read('WEFT_ALLOWED_HOSTS') ?? [],
    proxy: readProxySetting(env),
    maxFileSize: need('WEFT_MAX_FILE_SIZE'),
    logLevel: need('WEFT_LOG_LEVEL'),
    nodesDir: read('WEFT_NODES_DIR'),
    npmRegistry: need('WEFT_NPM_REGISTRY').url,
    clientDocuments: need('WEFT_OAUTH_CLIENT_DOCUMENTS') === 'on',
    graphqlIntrospection: need('WEFT_GRAPHQL_INTROSPECTION') === 'on',
    metrics: readMetrics(env),
  };
}

/** The storage location, to print: the URL of the database without its password, or the data folder. */
export function formatDataLocation({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database === null ? dataDir : readDatabaseName(database.url);
}

/** The URL of a server as a browser on this machine would open it: `http://127.0.0.1:8080`. */
export function formatServerUrl(host: string, port: number): string {
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
  // The library would read the variable itself, even when it disables the certificate check.
  if (mode !== '' && !parsed.searchParams.has('sslmode') && !parsed.searchParams.has('ssl'))
    parsed.searchParams.set('sslmode', mode);
  const error = checkDatabaseTls(parsed.href);
  if (error !== null) throw new ConfigError(`DATABASE_URL: ${error}.`);
  return parsed.search === new URL(url).search ? url : parsed.href;
}

/** Keys without `WEFT_FILES_URL` are for other programs, and are not read. */
function readFiles(env: Environment): Config['files'] {
  const folder = readSetting(env, 'WEFT_FILES_URL');
  if (folder === null) return null;
  const accessKeyId = readSetting(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = readSetting(env, 'AWS_SECRET_ACCESS_KEY');
  const sessionToken = readSetting(env, 'AWS_SESSION_TOKEN');
  if (accessKeyId === null || secretAccessKey === null)
    throw new ConfigError(
      `${accessKeyId === null ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY'} is not set, but WEFT_FILES_URL is; set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  return {
    folder,
    keys: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
  };
}

function readProxySetting(env: Environment): Config['proxy'] {
  const url = readSetting(env, 'WEFT_HTTP_PROXY');
  const except = readSetting(env, 'WEFT_NO_PROXY');
  if (url !== null) return { url, except: except ?? [] };
  if (except === null) return null;
  throw new ConfigError('WEFT_NO_PROXY is set, but WEFT_HTTP_PROXY is not; set both, or neither.');
}

/** Browsers separate scripts by origin, but cookies only by host name. */
function readWebhookUrl(env: Environment, publicUrl: string): string | null {
  const url = readSetting(env, 'WEFT_WEBHOOK_URL');
  if (url === null || new URL(url).hostname !== new URL(publicUrl).hostname) return url;
  throw new ConfigError(
    `WEFT_WEBHOOK_URL is ${JSON.stringify(url)}, which has the host name of ${publicUrl}; it must have a different host name.`,
  );
}

function readMetrics(env: Environment): Config['metrics'] {
  const token = readSetting(env, 'WEFT_METRICS_TOKEN');
  if (readSetting(env, 'WEFT_METRICS') === 'on') return { token };
  if (token === null) return null;
  throw new ConfigError(
    'WEFT_METRICS_TOKEN is set, but WEFT_METRICS is off; set WEFT_METRICS to on, or unset the token.',
  );
}

/** Checks settings that require others. */
function checkScalingSettings(
  role: ProcessRole,
  {
    redisUrl,
    hasDatabase,
    hasPublicUrl,
  }: { redisUrl: string | null; hasDatabase: boolean; hasPublicUrl: boolean },
): void {
  if (redisUrl !== null && !hasDatabase)
    throw new ConfigError(
      'REDIS_URL is set, but DATABASE_URL is not; Redis only carries messages between processes that share a PostgreSQL database: set DATABASE_URL, or unset REDIS_URL.',
    );
  if (role === 'all') return;
  if (redisUrl === null)
    throw new ConfigError(
      `WEFT_ROLE is ${role}, but REDIS_URL is not set; a process with this role requires other processes, which it reaches by DATABASE_URL and REDIS_URL.`,
    );
  if (role === 'worker' && !hasPublicUrl)
    throw new ConfigError(
      'WEFT_PUBLIC_URL is not set, but WEFT_ROLE is worker; a worker creates URLs that callers use, and cannot derive them from its own address.',
    );
}
