import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';

/* JSON of many small values or names is rejected before parsing; large ordinary data is accepted. */
const folder = createTempFolder();
const callerToken = 'a token of a known caller';
let weft: SpawnedService;
let api: Call;

const many = (count: number): string => `[${'{},'.repeat(count - 1)}{}]`;
/** Objects of ten fields with the same names. */
const buildRows = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, row) =>
      Object.fromEntries(Array.from({ length: 10 }, (_value, at) => [`f${at}`, row + at])),
    ),
  );
/** Objects of 100 fields, with names that no other object has. */
const buildWideJson = (count: number): string => {
  const object = (_: unknown, at: number): string =>
    `{${Array.from({ length: 100 }, (_field, name) => `"k${at}_${name}":1`).join()}}`;
  return `[${Array.from({ length: count / 100 }, object).join()}]`;
};
const post = (path: string, raw: string) =>
  weft.call('POST', path, {
    raw,
    headers: {
      'content-type': 'application/json',
      ...(path === '/webhooks/verified' && { authorization: `Bearer ${callerToken}` }),
    },
  });
/** The service's CPU time in ms. Unlike elapsed time, it does not depend on other programs. */
const cpuTime = (): number => {
  const fields = readFileSync(`/proc/${weft.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const responses: Record<string, string> = {
  '/many': many(800_000),
  '/deep': '['.repeat(2_000_000),
  '/names': buildWideJson(1_000_000),
  '/rows': buildRows(100_000),
};
const upstream = createServer((request, response) => {
  response.setHeader('content-type', 'application/json').end(responses[request.url ?? '']);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/CALLER', { body: { value: callerToken } });
  for (const [endpoint, config] of Object.entries({
    open: { authentication: 'none' },
    verified: { authentication: 'bearer', secret: 'CALLER' },
  })) {
    const trigger = { triggerType: 'webhook', endpoint, method: 'POST', ...config };
    const definition = { nodes: [{ id: 't', type: 'trigger', config: trigger }], connections: [] };
    const made = await api('POST', '/workflows', { body: { name: endpoint, status: 'active', definition } });
    expect(made.status, made.text).toBe(201);
  }
});
afterAll(async () => {
  await weft.stop();
  upstream.close();
  folder.remove();
});

test.each(['/auth/login', '/auth/refresh'])('%s accepts 16 KiB', async (path) => {
  const reply = await post(path, `{"email":"a","x":${many(400_000)}}`);
  expect([reply.status, reply.body]).toMatchObject([
    400,
    { error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: 16_384 } } },
  ]);
});

test('an unknown resume URL is rejected before its body is parsed', async () => {
  expect((await post('/resume/x', '{"broken')).status).toBe(404);
});

test.each([
  ['open', 'values', many(130_000), 'has more than 250000 values'],
  ['open', 'names', buildWideJson(10_100), 'has more than 10000 different names'],
  ['open', 'levels', '['.repeat(15_000_000), 'is nested deeper than 64 levels'],
  ['verified', 'values', many(1_000_000), 'has more than 1500000 values'],
  ['verified', 'names', buildWideJson(1_000_000), 'has more than 100000 different names'],
])('the webhook "%s" refuses too many %s', async (endpoint, _what, raw, issue) => {
  const reply = await post(`/webhooks/${endpoint}`, raw);
  expect([reply.status, reply.body]).toMatchObject([
    400,
    { error: { code: 'VALIDATION_ERROR', details: { field: 'body', issue } } },
  ]);
});

test.each([
  ['open', 'one text of 15 MB', `"${'x'.repeat(15_000_000)}"`],
  ['open', '22,000 rows of ten fields', buildRows(22_000)],
  ['verified', '100,000 rows of ten fields', buildRows(100_000)],
])('the webhook "%s" accepts %s', async (endpoint, _what, raw) => {
  expect((await post(`/webhooks/${endpoint}`, raw)).status).toBe(200);
});

test.skipIf(process.platform !== 'linux')(
  'any request of an anonymous caller takes little processor time',
  async () => {
    for (const raw of [
      many(120_000),
      buildWideJson(9_900),
      buildRows(22_000),
      buildWideJson(1_000_000),
      many(5_000_000),
    ]) {
      const before = cpuTime();
      await post('/webhooks/open', raw);
      expect(cpuTime() - before, raw.slice(0, 40)).toBeLessThan(1_000);
    }
  },
);

test.each([
  ['/many', 'failed', 'limit'],
  ['/deep', 'failed', 'limit'],
  ['/names', 'failed', 'limit'],
  ['/rows', 'completed', undefined],
])('http_request that is answered by %s: %s', async (path, status, type) => {
  const node = {
    id: 'h',
    type: 'http_request',
    config: { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}${path}` },
  };
  const definition = { nodes: [node], connections: [] };
  const made = await api('POST', '/workflows', { body: { name: 'h', definition } });
  const { id } = made.body as { id: string };
  const ran = (await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } })).body as {
    status: string;
    error?: { type: string };
  };
  expect([ran.status, ran.error?.type]).toEqual([status, type]);
});
