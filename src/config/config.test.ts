import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatServerUrl, loadConfig, formatDataLocation } from './config.ts';
import { ConfigError, type Environment } from './environment.ts';
import { formatSettingsReference } from './settings-page.ts';
import { settings } from './settings.ts';

function refusal(env: Environment): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error(`taken: ${JSON.stringify(env)}`);
}

describe('loadConfig', () => {
  test('returns the defaults', () => {
    expect(loadConfig({})).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      webhookUrl: null,
      dataDir: path.resolve('.weft'),
      database: null,
      redisUrl: null,
      tracing: null,
      unsupportedTracingVariables: [],
      role: 'all',
      concurrency: 2_000,
      admin: null,
      secretKey: null,
      rateLimits: { standard: 1000, pro: 10_000, enterprise: 1_000_000 },
      webhookRateLimit: null,
      trustProxy: [],
      corsOrigins: [],
      timezone: 'UTC',
      deletedWorkflowRetention: 30 * 86_400_000,
      retention: 14 * 86_400_000,
      statisticsRetention: 400 * 86_400_000,
      auditRetention: 400 * 86_400_000,
      allowedHosts: [],
      proxy: null,
      maxFileSize: 2 * 1024 ** 3,
      logLevel: 'info',
      nodesDir: null,
      files: null,
      npmRegistry: 'https://registry.npmjs.org',
      clientDocuments: true,
      graphqlIntrospection: true,
      metrics: null,
      modelPrices: {},
    });
  });

  test('webhooks require a separate host name', () => {
    const own = {
      WEFT_WEBHOOK_URL: 'https://hooks.example.net/',
      WEFT_PUBLIC_URL: 'https://weft.example.com',
    };
    expect(loadConfig(own).webhookUrl).toBe('https://hooks.example.net');
    expect(loadConfig({ WEFT_WEBHOOK_URL: 'http://localhost:8080' }).webhookUrl).toBe(
      'http://localhost:8080',
    );
    for (const env of [
      { WEFT_WEBHOOK_URL: 'https://weft.example.com', WEFT_PUBLIC_URL: 'https://weft.example.com' },
      { WEFT_WEBHOOK_URL: 'https://weft.example.com:8443', WEFT_PUBLIC_URL: 'https://WEFT.example.com' },
      { WEFT_WEBHOOK_URL: 'http://127.0.0.1:9000' },
    ])
      expect(refusal(env)).toMatch(/^WEFT_WEBHOOK_URL is .* must have a different host name\.$/);
    for (const url of [
      '*',
      'hooks.example.net',
      'https://hooks.example.net/path',
      'https://a:b@hooks.example',
    ])
      expect(refusal({ WEFT_WEBHOOK_URL: url })).toContain('it must be an http or https origin');
  });

  test('reads the proxy and its exceptions', () => {
    const env = { WEFT_HTTP_PROXY: 'http://u:p@10.0.0.1:3128', WEFT_NO_PROXY: '.corp.example, 10.0.0.0/8' };
    expect(loadConfig(env).proxy).toEqual({
      url: 'http://u:p@10.0.0.1:3128',
      except: ['.corp.example', '10.0.0.0/8'],
    });
    for (const url of ['socks5://proxy', 'proxy:3128', 'http://proxy/path'])
      expect(() => loadConfig({ WEFT_HTTP_PROXY: url })).toThrow(
        /^WEFT_HTTP_PROXY is invalid \(\d+ characters\)/,
      );
    expect(() => loadConfig({ WEFT_NO_PROXY: 'a.example' })).toThrow(/set both, or neither/);
    expect(loadConfig({ HTTP_PROXY: 'http://elsewhere', HTTPS_PROXY: 'http://elsewhere' }).proxy).toBeNull();
  });

  test('reads all settings', () => {
    const config = loadConfig({
      PORT: '0',
      HOST: '::1',
      WEFT_PUBLIC_URL: 'https://weft.example.com/',
      WEFT_DATA_DIR: '/var/lib/weft',
      WEFT_ROLE: 'all',
      WEFT_ADMIN_EMAIL: 'root@example.com',
      WEFT_ADMIN_PASSWORD: 'correct horse',
      WEFT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      WEFT_RATE_LIMIT_STANDARD: 'unlimited',
      WEFT_RATE_LIMIT_PRO: '5',
      WEFT_RATE_LIMIT_ENTERPRISE: '6',
      WEFT_WEBHOOK_RATE_LIMIT: '60',
      WEFT_TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::1',
      WEFT_CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      WEFT_TIMEZONE: 'Europe/Berlin',
      WEFT_RETENTION: '1.5h',
      WEFT_DELETED_WORKFLOW_RETENTION: '0',
      WEFT_STATISTICS_RETENTION: '31d',
      WEFT_ALLOWED_HOSTS:
        '127.0.0.1:9000, 10.0.0.0/8, Internal.Example, [::1]:80, fd00::/8, 10.1.0.0/16:8080',
      WEFT_LOG_LEVEL: 'debug',
      OTHER: 'left alone',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '::1',
      publicUrl: 'https://weft.example.com',
      dataDir: '/var/lib/weft',
      admin: { email: 'root@example.com', password: 'correct horse' },
      rateLimits: { standard: null, pro: 5, enterprise: 6 },
      webhookRateLimit: 60,
      trustProxy: ['loopback', '10.0.0.0/8', 'fd00::1'],
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      retention: 5_400_000,
      deletedWorkflowRetention: 0,
      allowedHosts: [
        '127.0.0.1:9000',
        '10.0.0.0/8',
        'internal.example',
        '[::1]:80',
        'fd00::/8',
        '10.1.0.0/16:8080',
      ],
    });
    expect(config.secretKey).toEqual(Buffer.alloc(32, 7));
  });

  test('an empty variable counts as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', WEFT_SECRET_KEY: ' ' }).port).toBe(8080);
  });

  const wrong: [keyof typeof settings, string][] = [
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['HOST', 'http://x'],
    ['HOST', '127.0.0.256'],
    ['WEFT_PUBLIC_URL', 'weft.example.com'],
    ['WEFT_PUBLIC_URL', 'ftp://x'],
    ['WEFT_PUBLIC_URL', 'https://u:p@x'],
    ['WEFT_PUBLIC_URL', 'https://x/?a'],
    ['WEFT_PUBLIC_URL', 'https://x/weft'],
    ['WEFT_PUBLIC_URL', '*'],
    ['WEFT_NO_PROXY', 'a b'],
    ['WEFT_NO_PROXY', '.'],
    ['WEFT_MAX_FILE_SIZE', '2'],
    ['WEFT_MAX_FILE_SIZE', '0mb'],
    ['WEFT_MAX_FILE_SIZE', '1001gb'],
    ['WEFT_ROLE', 'boss'],
    ['WEFT_CONCURRENCY', '0'],
    ['WEFT_ADMIN_EMAIL', 'nobody'],
    ['WEFT_RATE_LIMIT_STANDARD', '0'],
    ['WEFT_RATE_LIMIT_PRO', '1e3'],
    ['WEFT_RATE_LIMIT_ENTERPRISE', 'none'],
    ['WEFT_WEBHOOK_RATE_LIMIT', '-5'],
    ['WEFT_TRUST_PROXY', 'true'],
    ['WEFT_TRUST_PROXY', '10.0.0.0/33'],
    ['WEFT_CORS_ORIGINS', 'https://a.example/path'],
    ['WEFT_CORS_ORIGINS', 'https://a.example,,'],
    ['WEFT_TIMEZONE', 'Europe/Atlantis'],
    ['WEFT_RETENTION', '14'],
    ['WEFT_RETENTION', '0d'],
    ['WEFT_RETENTION', '367d'],
    ['WEFT_DELETED_WORKFLOW_RETENTION', '30'],
    ['WEFT_DELETED_WORKFLOW_RETENTION', '367d'],
    ['WEFT_STATISTICS_RETENTION', '30d'],
    ['WEFT_STATISTICS_RETENTION', '3661d'],
    ['WEFT_STATISTICS_RETENTION', '1000h'],
    ['WEFT_ALLOWED_HOSTS', '10.0.0.0/40'],
    ['WEFT_ALLOWED_HOSTS', 'a b'],
    ['WEFT_ALLOWED_HOSTS', 'localhost:0'],
    ['WEFT_ALLOWED_HOSTS', '127.1'],
    ['WEFT_LOG_LEVEL', 'loud'],
  ];
  test.each(wrong)(
    '%s=%s is rejected with one line that names the setting, its value and what is accepted',
    (name, value) => {
      const message = refusal({ [name]: value });
      expect(message).toContain(`${name} is ${JSON.stringify(value)}; it must be ${settings[name].takes}`);
      expect(message).not.toContain('\n');
    },
  );

  test('rejects a secret setting without printing its value', () => {
    expect(refusal({ WEFT_SECRET_KEY: 'c2hvcnQ=' })).toMatch(
      /^WEFT_SECRET_KEY is invalid \(8 characters\); it must be 32 bytes/,
    );
    const message = refusal({ WEFT_ADMIN_EMAIL: 'a@b', WEFT_ADMIN_PASSWORD: 'hunter2' });
    expect(message).toMatch(/^WEFT_ADMIN_PASSWORD is invalid \(7 characters\)/);
    expect(message).not.toContain('hunter2');
  });

  test('several processes require PostgreSQL, Redis and a public URL', () => {
    const redis = { REDIS_URL: 'rediss://u:hidden@x:7/1' };
    const postgres = {
      DATABASE_URL: 'postgres://u:pw@db/weft',
      WEFT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    expect(refusal({ REDIS_URL: 'http://u:hidden@x' })).toMatch(/^REDIS_URL is invalid \(\d+ characters\)/);
    expect(refusal(redis)).toMatch(
      /^REDIS_URL is set, but DATABASE_URL is not; .*: set DATABASE_URL, or unset REDIS_URL\.$/,
    );
    for (const role of ['api', 'worker'])
      expect(refusal({ ...postgres, WEFT_ROLE: role })).toMatch(
        new RegExp(`^WEFT_ROLE is ${role}, but REDIS_URL is not set; `),
      );
    expect(refusal({ ...postgres, ...redis, WEFT_ROLE: 'worker' })).toMatch(
      /^WEFT_PUBLIC_URL is not set, but /,
    );
    expect(loadConfig({ ...postgres, ...redis })).toMatchObject({
      redisUrl: redis.REDIS_URL,
      role: 'all',
      concurrency: 2_000,
    });
    const worker = {
      WEFT_ROLE: 'worker',
      WEFT_PUBLIC_URL: 'https://weft.example.com',
      WEFT_CONCURRENCY: '7',
    };
    expect(loadConfig({ ...postgres, ...redis, ...worker })).toMatchObject({
      role: 'worker',
      concurrency: 7,
    });
    expect(loadConfig({})).toMatchObject({ redisUrl: null, role: 'all' });
  });

  test('PostgreSQL requires the key; the error does not contain the password', () => {
    const key = { WEFT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    const url = 'postgres://u:pw@db/weft';
    expect(loadConfig({ DATABASE_URL: url, ...key }).database).toEqual({ url, connections: 10 });
    expect(loadConfig({}).database).toBeNull();
    expect(formatDataLocation(loadConfig({ DATABASE_URL: url, ...key }))).toBe('PostgreSQL, db:5432/weft');
    expect(refusal({ DATABASE_URL: url })).toMatch(
      /^WEFT_SECRET_KEY is not set, but DATABASE_URL is; it must be/,
    );
    for (const wrong of ['mysql://u:pw@db/weft', 'postgres://u:pw@db', 'postgres:///weft', 'db/pw']) {
      const message = refusal({ DATABASE_URL: wrong, ...key });
      expect(message).toMatch(/^DATABASE_URL is invalid \(\d+ characters\); it must be a PostgreSQL URL/);
      expect(message).not.toContain('pw@');
    }
    const socket = 'postgres:///weft?user=weft&host=/run/postgresql';
    expect(formatDataLocation({ database: { url: socket, connections: 6 }, dataDir: '' })).toBe(
      'PostgreSQL, /run/postgresql/weft',
    );
  });

  test('rejects an administrator without email or password', () => {
    expect(refusal({ WEFT_ADMIN_EMAIL: 'a@b' })).toContain(
      'WEFT_ADMIN_PASSWORD is not set, but WEFT_ADMIN_EMAIL is',
    );
    expect(refusal({ WEFT_ADMIN_PASSWORD: 'long enough' })).toContain('WEFT_ADMIN_EMAIL is not set');
  });

  test('rejects a token while metrics are off, and accepts it while they are on', () => {
    const token = 'sixteen-letters-';
    expect(refusal({ WEFT_METRICS_TOKEN: token })).toBe(
      'WEFT_METRICS_TOKEN is set, but WEFT_METRICS is off; set WEFT_METRICS to on, or unset the token.',
    );
    const message = refusal({ WEFT_METRICS: 'on', WEFT_METRICS_TOKEN: 'short one' });
    expect(message).toMatch(/^WEFT_METRICS_TOKEN is invalid \(9 characters\)/);
    expect(loadConfig({}).metrics).toBeNull();
    expect(loadConfig({ WEFT_METRICS: 'on' }).metrics).toEqual({ token: null });
    expect(loadConfig({ WEFT_METRICS: 'on', WEFT_METRICS_TOKEN: token }).metrics).toEqual({ token });
  });

  test('rejects an unknown WEFT_ variable and suggests the closest name', () => {
    expect(refusal({ WEFT_RETENTON: '1d' })).toBe(
      'WEFT_RETENTON is not a setting; did you mean WEFT_RETENTION?',
    );
    expect(refusal({ weft_data_dir: 'x' })).toContain('did you mean WEFT_DATA_DIR?');
    expect(refusal({ WEFT_METRICS_EVERYWHERE: '1' })).toContain('it must be one of WEFT_PUBLIC_URL, ');
  });
});

test('formatServerUrl returns a URL that a browser can open', () => {
  expect(formatServerUrl('0.0.0.0', 8080)).toBe('http://localhost:8080');
  expect(formatServerUrl('::1', 1)).toBe('http://[::1]:1');
});

test('docs/reference/config.md is up to date; regenerate it with: npm test -- src/config/config.test.ts -u', async () => {
  await expect(formatSettingsReference()).toMatchFileSnapshot('../../docs/reference/config.md');
});
