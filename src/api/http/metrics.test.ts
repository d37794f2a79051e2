import { afterEach, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { createUnauthorizedError } from '../../auth/authenticate.ts';
import { WeftError } from '../../contract/errors.ts';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import { createMetrics } from '../../services/observability/metrics.ts';
import { parseExposition, findValue } from '../../../test/support/metrics-text.ts';
import { createUnstoredRateLimit } from '../../../test/support/rate-limit.ts';
import { createAdmission } from './admission.ts';
import { createLog } from './log.ts';
import type { Route } from '../rest/route.ts';
import { createServer, drainServer } from './server.ts';

const TOKEN = 'a-token-of-some-length';
const clock = new ManualClock();
const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await drainServer(app, clock, 100);
});

const routes: Route[] = [
  {
    operation: 'getThing',
    method: 'GET',
    path: '/things/{id}',
    status: 200,
    scope: 'public',
    summary: 's',
    response: Type.Unknown(),
    handle: ({ params }) => {
      if (params['id'] === 'full') throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity' });
      return { id: params['id'] };
    },
  },
];

function server(token: string | null, isOn = true): FastifyInstance {
  const metrics = createMetrics({
    version: '1',
    nodeTypes: [],
    clock,
    engine: () => ({
      active: 0,
      queued: 0,
      pendingWrites: 0,
      sweeps: 0,
      leasesLost: 0,
      snapshotsUsed: 0,
      replayedEvents: 0,
      isLeader: true,
    }),
    others: null,
    connections: null,
    executions: {
      statusCounts: () =>
        Promise.resolve({ queued: 0, running: 0, waiting: 0, completed: 0, failed: 0, stopped: 0 }),
      nextTimer: () => Promise.resolve(null),
    },
    report: () => {},
  });
  const app = createServer({
    config: { version: '1', corsOrigins: [], trustProxy: [] },
    admission: createAdmission(
      () => {
        throw createUnauthorizedError('No.');
      },
      createUnstoredRateLimit({ standard: 1, pro: 1, enterprise: null }, clock),
      { read: () => undefined },
    ),
    routes,
    log: createLog('silent'),
    clock,
    ids: { next: (kind) => `${kind}_1` },
    ...(isOn ? { metrics: { metrics, token } } : {}),
    webhooks: (scope) => {
      scope.post('/webhooks/*', (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(418);
        reply.raw.end();
      });
    },
  });
  open.push(app);
  return app;
}

async function read(app: FastifyInstance, headers: Record<string, string> = {}) {
  clock.advance(1_000);
  const response = await app.inject({ url: '/metrics', headers });
  return { status: response.statusCode, headers: response.headers, text: response.body };
}

test('requests are counted by route pattern, method and status', async () => {
  const app = server(null);
  for (const id of ['a', 'b', 'c']) await app.inject(`/v1/things/${id}`);
  await app.inject('/v1/things/full');
  await app.inject('/v1/nowhere/usr_1');
  await app.inject({ method: 'POST', url: '/v1/webhooks/secret-path?token=x' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  const { status, headers, text } = await read(app);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  const samples = parseExposition(text);
  const http = 'weft_http_requests_total';
  const thing = { method: 'GET', route: '/v1/things/:id' };
  expect(findValue(samples, http, { ...thing, status: '200' })).toBe(3);
  expect(findValue(samples, http, { ...thing, status: '429' })).toBe(1);
  expect(findValue(samples, http, { route: 'none', status: '404' })).toBe(1);
  expect(findValue(samples, http, { route: '/v1/webhooks/*', status: '4xx' })).toBe(1);
  expect(findValue(samples, 'weft_webhook_responses_total', { status: '4xx' })).toBe(1);
  expect(findValue(samples, 'weft_rate_limited_requests_total', { reason: 'capacity' })).toBe(1);
  expect(text).not.toMatch(/secret-path|usr_1|token=/);
});

test('with a token, requests without it are rejected', async () => {
  const app = server(TOKEN);
  for (const headers of [
    {},
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: 'Bearer x' },
    { authorization: `Basic ${TOKEN}` },
    { 'x-api-key': TOKEN },
  ]) {
    const response = await read(app, headers);
    expect([headers, response.status]).toEqual([headers, 401]);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="weft"');
    expect(response.text).not.toContain('weft_');
  }
  expect((await read(app, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
});

test('without metrics the path does not exist', async () => {
  const app = server(null, false);
  const response = await read(app);
  expect([response.status, JSON.parse(response.text).error.code]).toEqual([404, 'NOT_FOUND']);
});
