import path from 'node:path';
import { readSecretKey } from '../auth/secret-key.ts';
import { EMAIL_PATTERN, PASSWORD_MAX, PASSWORD_MIN } from '../contract/requests/accounts.ts';
import { readProxyUrl } from '../lib/network/proxy-url.ts';
import {
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
  readSingleOrigin,
  readSize,
  readText,
  readTimeZone,
  readUnproxied,
} from '../lib/text/parse-setting.ts';
import { setting, type Setting } from './setting.ts';
import { tracingSettings } from './tracing-settings.ts';

const logLevelNames = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevelName = (typeof logLevelNames)[number];

const roles = ['all', 'api', 'worker'] as const;
/** What a process does. */
export type ProcessRole = (typeof roles)[number];

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
    takes:
      'an http or https origin without a path, such as https://weft.example.com; Weft needs a host name of its own, not a path prefix',
    meaning:
      'The origin that users and callers see, in links and webhook addresses. A path is refused. Without it: made of `HOST` and `PORT`. See [reverse proxies](../deployment.md#reverse-proxies).',
    read: readSingleOrigin,
  }),
  WEFT_WEBHOOK_URL: setting({
    fallback: null,
    takes: 'an http or https origin with a host name of its own, such as https://hooks.example.net',
    meaning:
      'The origin of webhooks, of test addresses and of addresses to resume by. They are then answered only on this host, which answers nothing else. Without it: the same as everything else. See [operations](../operations.md#webhooks-on-an-origin-of-their-own).',
    read: readSingleOrigin,
  }),
  WEFT_DATA_DIR: setting({
    fallback: './.weft',
    takes: 'the path of a folder; it is made when it is missing',
    meaning: 'Everything that Weft keeps: database, key, binary data. With `DATABASE_URL` nothing.',
    read: (text) => (text.includes('\0') ? null : path.resolve(text)),
  }),
  DATABASE_URL: setting({
    fallback: null,
    takes:
      'a PostgreSQL address, such as postgres://user:password@host:5432/database, with sslmode=verify-full for TLS',
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
    read: readOneOf(roles),
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
  ...tracingSettings,
  WEFT_LOG_LEVEL: setting({
    fallback: 'info',
    takes: logLevelNames.join(', '),
    meaning: 'How much it logs; `debug` has a line for every request.',
    read: readOneOf(logLevelNames),
  }),
} as const;

export type SettingName = keyof typeof settings;
/** What a setting is once it is read. */
export type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer T> ? T : never;
