import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { redisProgram, startRedis, type RedisServer } from '../support/servers/redis-server.ts';
import {
  findPostgresPrograms,
  startPostgres,
  type PostgresServer,
} from '../support/servers/postgres-wire-server.ts';
import {
  loopbackCertificate as certificate,
  loopbackKey as key,
} from '../support/servers/tls-certificates.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';

/**
 * Servers with a certificate that no usual authority signed: only a private authority that a setting names
 * makes them trusted.
 */
const programs = findPostgresPrograms();
const folder = createTempFolder();
const caFile = path.join(folder.path, 'ca.pem');
const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

type Https = { server: Server; url: string; requests: string[]; refused: () => number };
async function httpsServer(): Promise<Https> {
  const requests: string[] = [];
  let refused = 0;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.on('tlsClientError', () => refused++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}`, requests, refused: () => refused };
}

let upstream: Https;
let collector: Https;
let mails: TestMailServer;
let startTls: TestMailServer;
let postgres: PostgresServer | null = null;
let redis: RedisServer | null = null;
const started = new Set<SpawnedService>();

beforeAll(async () => {
  writeFileSync(caFile, certificate);
  upstream = await httpsServer();
  collector = await httpsServer();
  mails = await startMailServer({ secure: true, cert: certificate, key });
  startTls = await startMailServer({ cert: certificate, key, disabledCommands: [] });
  if (programs !== null) postgres = await startPostgres(programs, { certificate, key, isDurable: true });
  if (redisProgram !== null) redis = await startRedis({ certificate, key });
}, 60_000);
afterAll(async () => {
  for (const service of started) await service.kill9();
  for (const { server } of [upstream, collector]) {
    server.closeAllConnections();
    server.close();
  }
  await mails.close();
  await startTls.close();
  await postgres?.close();
  await redis?.remove();
  folder.remove();
});

let count = 0;
async function start(env: Record<string, string>): Promise<SpawnedService> {
  const service = await spawnService({ dataDir: path.join(folder.path, `data-${++count}`), env });
  started.add(service);
  return service;
}

/** The result of one node that calls a server over TLS. */
async function run(service: SpawnedService, type: string, config: object, secret?: string) {
  const api = await service.login();
  if (secret !== undefined)
    expect((await api('PUT', '/secrets/TARGET', { body: { value: secret } })).status).toBe(200);
  const nodes = [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    { id: 'node', type, config },
  ];
  const definition = { nodes, connections: [{ from: 'start', to: 'node' }] };
  const saved = await api('POST', '/workflows', { body: { name: 'w', definition } });
  const { id } = saved.body as { id: string };
  const reply = await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
  expect(reply.status, reply.text).toBe(201);
  return reply.body as { status: string; error: { type: string; message: string } | null };
}

const credentials = '{{ secrets.TARGET }}';
const mail = {
  service: 'smtp',
  operation: 'send',
  credentials,
  template: { from: 'a@example.com', to: 'b@example.com', text: 'x' },
};
const targets: [string, () => Parameters<typeof run> extends [unknown, ...infer R] ? R : never][] = [
  ['HTTPS', () => ['http_request', { url: `${upstream.url}/` }]],
  ['SMTP over TLS', () => ['email', mail, `smtps://127.0.0.1:${mails.port}`]],
  ['SMTP with STARTTLS', () => ['email', mail, `smtp://127.0.0.1:${startTls.port}?tls=required`]],
  ...(programs === null
    ? []
    : [
        [
          'PostgreSQL',
          () => [
            'postgres',
            { operation: 'query', credentials, query: 'SELECT 1' },
            `${postgres?.url}?sslmode=require`,
          ],
        ] satisfies [string, () => [string, object, string]],
      ]),
];

describe('nodes and traces', () => {
  test('refuse an unknown certificate although NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    const service = await start({ ...unchecked, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(service.logs()).toContain(
      'NODE_TLS_REJECT_UNAUTHORIZED has no effect: TLS certificates are always verified.',
    );
    for (const [what, target] of targets)
      expect(await run(service, ...target()), what).toMatchObject({
        status: 'failed',
        error: { type: 'network' },
      });
    expect(upstream.requests).toEqual([]);
    expect([mails.received, startTls.received]).toEqual([[], []]);
    await waitUntil(
      () => Promise.resolve(collector.refused()),
      (refused) => refused > 0,
    );
    expect(collector.requests).toEqual([]);
  });

  test('accept a private authority of NODE_EXTRA_CA_CERTS', async () => {
    const service = await start({
      ...unchecked,
      NODE_EXTRA_CA_CERTS: caFile,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    for (const [what, target] of targets)
      expect(await run(service, ...target()), what).toMatchObject({ status: 'completed', error: null });
    await waitUntil(
      () => Promise.resolve(collector.requests.length),
      (n) => n > 0,
    );
  });

  test('accept the authority of OTEL_EXPORTER_OTLP_CERTIFICATE for traces alone', async () => {
    collector.requests.length = 0;
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_CERTIFICATE: caFile,
    });
    const [[, http]] = targets as [(typeof targets)[number]];
    expect(await run(service, ...http())).toMatchObject({ status: 'failed', error: { type: 'network' } });
    await waitUntil(
      () => Promise.resolve(collector.requests.length),
      (n) => n > 0,
    );
  });

  test('a file of OTEL_EXPORTER_OTLP_CERTIFICATE that cannot be read stops the start', async () => {
    const missing = path.join(folder.path, 'missing.pem');
    await expect(start({ OTEL_EXPORTER_OTLP_CERTIFICATE: missing })).rejects.toThrow(
      /OTEL_EXPORTER_OTLP_CERTIFICATE names the file .*missing\.pem, which cannot be read/,
    );
  });
});

describe.skipIf(programs === null)('the store on PostgreSQL', () => {
  const common = { WEFT_SECRET_KEY: randomBytes(32).toString('base64') };
  const url = (query: string) => `${postgres?.url}${query}`;

  test.each(['?sslmode=require', '?sslmode=prefer', '?sslmode=verify-full', '?ssl=true'])(
    '%s refuses an unknown certificate',
    async (query) => {
      const env = { ...common, ...unchecked, DATABASE_URL: url(query) };
      await expect(start(env)).rejects.toThrow(/self-signed certificate/);
    },
  );

  test.each([
    [{ DATABASE_URL: '?sslmode=no-verify' }, /DATABASE_URL: sslmode=no-verify is not supported/],
    [{ DATABASE_URL: '', PGSSLMODE: 'no-verify' }, /DATABASE_URL: sslmode=no-verify is not supported/],
    [{ DATABASE_URL: '?sslmode=require&uselibpqcompat=true' }, /uselibpqcompat is not supported/],
    [
      { DATABASE_URL: '?sslmode=on' },
      /sslmode must be one of disable, prefer, require, verify-ca, verify-full/,
    ],
    [
      { DATABASE_URL: '?sslmode=require&sslrootcert=/missing.pem' },
      /names the file \/missing\.pem for TLS, which cannot be read/,
    ],
  ])('%j stops the start', async ({ DATABASE_URL, ...more }, message) => {
    await expect(start({ ...common, ...more, DATABASE_URL: url(DATABASE_URL) })).rejects.toThrow(message);
  });

  test('is encrypted with the authority of sslrootcert', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`;
    const service = await start({ ...common, ...unchecked, DATABASE_URL: url(query) });
    expect((await service.call('GET', '/health')).status).toBe(200);
    const rows = await postgres?.sql(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'weft %'",
    );
    expect(rows?.length).toBeGreaterThan(0);
    expect(rows?.every(({ ssl }) => ssl === true)).toBe(true);
    await service.stop();
  });

  test('is encrypted with PGSSLMODE and the authority of NODE_EXTRA_CA_CERTS', async () => {
    const service = await start({
      ...common,
      DATABASE_URL: url(''),
      PGSSLMODE: 'verify-full',
      NODE_EXTRA_CA_CERTS: caFile,
    });
    await service.stop();
  });

  describe.skipIf(redisProgram === null)('with Redis', () => {
    const env = () => ({
      ...common,
      DATABASE_URL: url(`?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`),
      REDIS_URL: redis?.tlsUrl ?? '',
    });

    test('refuses an unknown certificate', async () => {
      await expect(start({ ...env(), ...unchecked })).rejects.toThrow(
        /The certificate of Redis cannot be trusted: self-signed certificate/,
      );
    });

    test('accepts a private authority of NODE_EXTRA_CA_CERTS', async () => {
      const service = await start({ ...env(), ...unchecked, NODE_EXTRA_CA_CERTS: caFile });
      expect(String(await redis?.command('CLIENT', 'LIST'))).toMatch(/name=\S*:out/);
      const stop = { outcome: 'completed', output: { ok: true } };
      expect(await run(service, 'stop', stop)).toMatchObject({ status: 'completed' });
      await service.stop();
    });

    test('accepts no tls parameter', async () => {
      const address = env();
      await expect(start({ ...address, REDIS_URL: `${address.REDIS_URL}?tls=x` })).rejects.toThrow(
        /REDIS_URL is invalid/,
      );
    });
  });
});
