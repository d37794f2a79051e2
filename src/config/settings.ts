import path from 'node:path';
import { readSecretKey } from '../auth/secret-key.ts';
import { EMAIL_PATTERN, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../contract/requests/accounts.ts';
import { readBucketUrl } from '../lib/network/bucket-url.ts';
import { readProxyUrl } from '../lib/network/proxy-url.ts';
import {
  readAllowedHost,
  readDatabaseUrl,
  readDurationOrZero,
  readHost,
  readInteger,
  readLimit,
  readList,
  readDays,
  createChoiceParser,
  readOrigin,
  readPositiveDuration,
  readProxy,
  readRedisUrl,
  readRegistry,
  readSingleOrigin,
  readSize,
  readText,
  readTimeZone,
  readUnproxied,
} from '../lib/text/parse-setting.ts';
import { readModelPrices } from './model-prices.ts';
import { defineSetting, type Setting } from './setting.ts';
import { tracingSettings } from './tracing-settings.ts';

const logLevelNames = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevelName = (typeof logLevelNames)[number];

const roles = ['all', 'api', 'worker'] as const;
/** The role of a process. */
export type ProcessRole = (typeof roles)[number];

const COUNT_OR_UNLIMITED = 'a whole number from 1, or unlimited';

/** All settings. The reference page is generated from this table. */
export const settings = {
  PORT: defineSetting({
    fallback: '8080',
    takes: 'a port from 0 to 65535 (0: any free port)',
    meaning: 'The port that the service listens on.',
    read: readInteger(0, 65_535),
  }),
  HOST: defineSetting({
    fallback: '127.0.0.1',
    takes: 'an IP address or a host name',
    meaning:
      'The address that the service listens on; `0.0.0.0` and `::` stand for all addresses of this machine.',
    read: readHost,
  }),
  WEFT_PUBLIC_URL: defineSetting({
    fallback: null,
    takes:
      'an http or https origin without a path, such as https://weft.example.com; Weft needs a host name of its own, not a path prefix',
    meaning:
      'The origin that users and callers see, in links and webhook URLs. A path is rejected. Default: derived from `HOST` and `PORT`. See [reverse proxies](../deployment.md#reverse-proxies).',
    read: readSingleOrigin,
  }),
  WEFT_WEBHOOK_URL: defineSetting({
    fallback: null,
    takes: 'an http or https origin with a host name of its own, such as https://hooks.example.net',
    meaning:
      'The origin of webhook, test and resume URLs. They are then served only on this host, which serves nothing else. Default: the same origin as the API. See [operations](../operations.md#webhooks-on-an-origin-of-their-own).',
    read: readSingleOrigin,
  }),
  WEFT_DATA_DIR: defineSetting({
    fallback: './.weft',
    takes: 'the path of a folder; it is created when it does not exist',
    meaning: 'The folder for the database, the key and binary data. Not used with `DATABASE_URL`.',
    read: (text) => (text.includes('\0') ? null : path.resolve(text)),
  }),
  DATABASE_URL: defineSetting({
    fallback: null,
    takes:
      'a PostgreSQL URL, such as postgres://user:password@host:5432/database, with sslmode=verify-full for TLS',
    meaning:
      'Stores all data in PostgreSQL (15 or newer) instead of the data folder. Requires `WEFT_SECRET_KEY`. See [operations](../operations.md).',
    read: readDatabaseUrl,
    isSecret: true,
  }),
  WEFT_DATABASE_CONNECTIONS: defineSetting({
    fallback: '10',
    takes: 'a whole number from 6 to 1000',
    meaning: 'The maximum number of connections to PostgreSQL that this process opens.',
    read: readInteger(6, 1_000),
  }),
  WEFT_FILES_URL: defineSetting({
    fallback: null,
    takes:
      's3://bucket/prefix, optionally with the parameters region, endpoint and path_style, such as s3://weft-files/production?region=eu-central-1 or s3://weft-files?endpoint=https://minio.example.com',
    meaning:
      'Stores files of executions in a bucket of Amazon S3 or a compatible service instead of the data folder or the database. Must be the same for all processes. See [operations](../operations.md#files-in-a-bucket).',
    read: readBucketUrl,
  }),
  AWS_ACCESS_KEY_ID: defineSetting({
    fallback: null,
    takes: 'letters, digits and . + = @ _ -',
    meaning: 'The access key for `WEFT_FILES_URL`, which requires it.',
    read: (text) => (/^[\w.+=@-]{1,200}$/.test(text) ? text : null),
  }),
  AWS_SECRET_ACCESS_KEY: defineSetting({
    fallback: null,
    takes: '1 to 1000 characters',
    meaning: 'The secret of the access key.',
    read: readText(1, 1_000),
    isSecret: true,
  }),
  AWS_SESSION_TOKEN: defineSetting({
    fallback: null,
    takes: '1 to 10000 characters without spaces',
    meaning:
      'The session token of temporary credentials. It is read at the start, so the service must be restarted before they expire.',
    read: (text) => (/^[\x21-\x7e]{1,10000}$/.test(text) ? text : null),
    isSecret: true,
  }),
  REDIS_URL: defineSetting({
    fallback: null,
    takes: 'a Redis or Valkey URL, such as redis://user:password@host:6379/0, or rediss:// for TLS',
    meaning:
      'Lets several processes share one `DATABASE_URL`, which is required: Redis carries wake-ups, events and shared limits. Must be the same for all processes. See [operations](../operations.md).',
    read: readRedisUrl,
    isSecret: true,
  }),
  WEFT_ROLE: defineSetting({
    fallback: 'all',
    takes: 'all, api or worker; api and worker require REDIS_URL',
    meaning:
      'The role of this process: `api` serves the API and runs no nodes, `worker` runs nodes and serves only health and metrics, `all` does both.',
    read: createChoiceParser(roles),
  }),
  WEFT_CONCURRENCY: defineSetting({
    fallback: '2000',
    takes: 'a whole number from 1 to 10000',
    meaning:
      'The number of executions that this process runs concurrently; further ones are queued for this or another process.',
    read: readInteger(1, 10_000),
  }),
  WEFT_ADMIN_EMAIL: defineSetting({
    fallback: null,
    takes: 'an email address, together with WEFT_ADMIN_PASSWORD',
    meaning:
      'The first administrator, created on the first start when there are no users. Default: `admin@localhost` with a random password that is printed once.',
    read: (text) => (text.length <= 254 && new RegExp(EMAIL_PATTERN).test(text) ? text : null),
  }),
  WEFT_ADMIN_PASSWORD: defineSetting({
    fallback: null,
    takes: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, together with WEFT_ADMIN_EMAIL`,
    meaning: "The first administrator's password. Later changes of it have no effect.",
    read: readText(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH),
    isSecret: true,
  }),
  WEFT_SECRET_KEY: defineSetting({
    fallback: null,
    takes: '32 bytes in base64 (openssl rand -base64 32)',
    meaning:
      'Encrypts stored secrets and signs tokens. Required with `DATABASE_URL`. Default: `secret.key` in the data folder, created on the first start with mode 0600.',
    read: readSecretKey,
    isSecret: true,
  }),
  WEFT_RATE_LIMIT_STANDARD: defineSetting({
    fallback: '1000',
    takes: COUNT_OR_UNLIMITED,
    meaning: 'Requests per hour of a user on the plan standard.',
    read: readLimit,
  }),
  WEFT_RATE_LIMIT_PRO: defineSetting({
    fallback: '10000',
    takes: COUNT_OR_UNLIMITED,
    meaning: 'Requests per hour of a user on the plan pro.',
    read: readLimit,
  }),
  WEFT_RATE_LIMIT_ENTERPRISE: defineSetting({
    fallback: '1000000',
    takes: COUNT_OR_UNLIMITED,
    meaning: 'Requests per hour of a user on the plan enterprise.',
    read: readLimit,
  }),
  WEFT_WEBHOOK_RATE_LIMIT: defineSetting({
    fallback: 'unlimited',
    takes: COUNT_OR_UNLIMITED,
    meaning: 'Calls per minute to the webhooks of one workflow; further calls are rejected with 429.',
    read: readLimit,
  }),
  WEFT_TRUST_PROXY: defineSetting({
    fallback: null,
    takes: 'IP addresses and CIDR ranges, or loopback, linklocal, uniquelocal, separated by commas',
    meaning: 'Proxies whose `X-Forwarded-*` headers are trusted.',
    read: readList(readProxy),
  }),
  WEFT_CORS_ORIGINS: defineSetting({
    fallback: null,
    takes: 'origins such as https://app.example.com, separated by commas, or *',
    meaning: 'Origins of pages that may call the API from a browser (CORS).',
    read: readList(readOrigin),
  }),
  WEFT_TIMEZONE: defineSetting({
    fallback: 'UTC',
    takes: 'an IANA time zone such as Europe/Berlin',
    meaning: 'The time zone of schedules that do not set one.',
    read: readTimeZone,
  }),
  WEFT_RETENTION: defineSetting({
    fallback: '14d',
    takes: 'a duration with a unit, up to 366d: 12h, 14d',
    meaning: 'How long ended executions are retained, unless the workflow sets it.',
    read: readPositiveDuration,
  }),
  WEFT_DELETED_WORKFLOW_RETENTION: defineSetting({
    fallback: '30d',
    takes: 'a duration with a unit, up to 366d: 12h, 30d; or 0',
    meaning:
      'How long a deleted workflow can be restored, without its executions. `0`: a workflow is deleted permanently at once. Applies to later deletions.',
    read: readDurationOrZero,
  }),
  WEFT_STATISTICS_RETENTION: defineSetting({
    fallback: '400d',
    takes: 'a number of days from 31d to 3660d, such as 400d',
    meaning:
      'How long the statistics of executions are retained: by hour for 30 days, then by day. They remain when the executions are deleted.',
    read: readDays(31, 3_660),
  }),
  WEFT_MODEL_PRICES: defineSetting({
    fallback: '{}',
    takes:
      'JSON, or the path of a file with it: {"openai/gpt-5*": {"input": 1.25, "cached_input": 0.125, "output": 10}}',
    meaning:
      'The prices of language models, in US dollars for a million tokens, by provider and model. A key may end with `*`; the longest key that matches applies. Calls of models without a price have no cost. See [agents](../agents.md#cost).',
    read: readModelPrices,
  }),
  WEFT_AUDIT_RETENTION: defineSetting({
    fallback: '400d',
    takes: 'a number of days from 1d to 3660d, such as 400d',
    meaning: 'How long events of the [audit log](../audit.md) are retained.',
    read: readDays(1, 3_660),
  }),
  WEFT_ALLOWED_HOSTS: defineSetting({
    fallback: null,
    takes: 'IP addresses, CIDR ranges and host names, each with or without :port, separated by commas',
    meaning:
      'Private or loopback addresses that nodes may call. All other private, loopback, link-local and metadata addresses are blocked.',
    read: readList(readAllowedHost),
  }),
  WEFT_NODES_DIR: defineSetting({
    fallback: null,
    takes: 'the path of a folder with files *.node.js, *.node.mjs or *.node.ts',
    meaning:
      'Your own trusted nodes, loaded into the service process on start, with all its permissions. See [custom nodes](../custom-nodes.md#trusted-nodes).',
    read: (text) => (text.includes('\0') ? null : path.resolve(text)),
  }),
  WEFT_NPM_REGISTRY: defineSetting({
    fallback: 'https://registry.npmjs.org',
    takes: 'an https URL without a query (http for a loopback address), or off',
    meaning:
      'The registry for packages of custom nodes and for packs, which are downloaded once, when a version is registered or installed. Requires an entry in `WEFT_ALLOWED_HOSTS` only if its address is private. `off`: nothing is downloaded.',
    read: readRegistry,
  }),
  WEFT_HTTP_PROXY: defineSetting({
    fallback: null,
    takes: 'an http or https URL with a host, and optionally user:password and a port',
    meaning:
      'A proxy for all HTTP requests of nodes and connectors. It may have any address, and must block destinations that nodes must not reach. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are not read.',
    read: (text) => (readProxyUrl(text) === null ? null : text),
    isSecret: true,
  }),
  WEFT_NO_PROXY: defineSetting({
    fallback: null,
    takes:
      'host names, .suffixes, IP addresses and CIDR ranges, each except a suffix with or without :port, separated by commas, together with WEFT_HTTP_PROXY',
    meaning:
      'Hosts that are called without the proxy. Ranges match IP addresses in a URL, not resolved host names.',
    read: readList(readUnproxied),
  }),
  WEFT_MAX_FILE_SIZE: defineSetting({
    fallback: '2gb',
    takes: 'a size with a unit, up to 1000gb: 500mb, 2gb (1 mb is 1024 kb)',
    meaning:
      'The largest file that a node may download; a larger response fails with `limit` and is not stored.',
    read: readSize,
  }),
  WEFT_OAUTH_CLIENT_DOCUMENTS: defineSetting({
    fallback: 'on',
    takes: 'on or off',
    meaning:
      'Whether the URL of a [metadata document](../oauth.md#metadata-documents) is accepted as the ID of an OAuth client. `off`, such as for a service without access to the internet: clients register instead.',
    read: createChoiceParser(['on', 'off']),
  }),
  WEFT_GRAPHQL_INTROSPECTION: defineSetting({
    fallback: 'on',
    takes: 'on or off',
    meaning:
      'Whether GraphQL introspection is enabled. `/v1/schema.graphql` is always public, because it is the same for every installation.',
    read: createChoiceParser(['on', 'off']),
  }),
  WEFT_METRICS: defineSetting({
    fallback: 'off',
    takes: 'on or off',
    meaning:
      'Whether `GET /metrics` (outside `/v1`) serves metrics for Prometheus. Without `WEFT_METRICS_TOKEN`, any client that can reach the port can read them.',
    read: createChoiceParser(['on', 'off']),
  }),
  WEFT_METRICS_TOKEN: defineSetting({
    fallback: null,
    takes: '16 to 200 characters without spaces, together with WEFT_METRICS=on',
    meaning: 'The token that `GET /metrics` requires as `Authorization: Bearer`.',
    read: (text) => (/^\S{16,200}$/.test(text) ? text : null),
    isSecret: true,
  }),
  ...tracingSettings,
  WEFT_LOG_LEVEL: defineSetting({
    fallback: 'info',
    takes: logLevelNames.join(', '),
    meaning: 'The log level; `debug` logs every request.',
    read: createChoiceParser(logLevelNames),
  }),
} as const;

export type SettingName = keyof typeof settings;
/** The type of a parsed setting. */
export type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer T> ? T : never;
