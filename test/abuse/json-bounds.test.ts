import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, temporaryFolder, type Call, type SpawnedService } from '../harness/service.ts';

/** JSON of many small values is refused before it is parsed; large data of ordinary form is accepted. */
const folder = temporaryFolder();
let weft: SpawnedService;
let api: Call;

const many = (count: number): string => `[${'{},'.repeat(count - 1)}{}]`;
const rows = JSON.stringify(
  Array.from({ length: 100_000 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 10 }, (_value, at) => [`f${at}`, row + at])),
  ),
);
const post = (path: string, raw: string) =>
  weft.call('POST', path, { raw, headers: { 'content-type': 'application/json' } });

const answers: Record<string, string> = {
  '/many': many(800_000),
  '/deep': '['.repeat(2_000_000),
  '/rows': rows,
};
const upstream = createServer((request, response) => {
  response.setHeader('content-type', 'application/json').end(answers[request.url ?? '']);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  const trigger = {
    id: 't',
    type: 'trigger',
    config: { triggerType: 'webhook', endpoint: 'open', method: 'POST', authentication: 'none' },
  };
  const definition = { nodes: [trigger], connections: [] };
  expect(
    (await api('POST', '/workflows', { body: { name: 'w', status: 'active', definition } })).status,
  ).toBe(201);
});
afterAll(async () => {
  await weft.stop();
  upstream.close();
  folder.remove();
});

test.each(['/auth/login', '/auth/refresh'])('%s takes 16 KiB', async (path) => {
  const answer = await post(path, `{"email":"a","x":${many(400_000)}}`);
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: 16_384 } } },
  ]);
});

test('an unknown resume address is answered before its body is parsed', async () => {
  expect((await post('/resume/x', '{"broken')).status).toBe(404);
});

test.each([
  ['values', many(1_000_000), /has more than 1500000 values/],
  ['levels', '['.repeat(15_000_000), /is nested deeper than 64 levels/],
  ['names', `{${Array.from({ length: 100_001 }, (_, at) => `"k${at}":1`).join()}}`, /more than 100000 names/],
])('a webhook with too many %s is refused', async (_what, raw, issue) => {
  const answer = await post('/webhooks/open', raw);
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: { code: 'VALIDATION_ERROR', details: { field: 'body', issue: expect.stringMatching(issue) } } },
  ]);
});

test.each([
  ['one text of 15 MB', `"${'x'.repeat(15_000_000)}"`],
  ['100,000 rows of ten fields', rows],
])('a webhook with %s is accepted', async (_what, raw) => {
  expect((await post('/webhooks/open', raw)).status).toBe(200);
});

test.each([
  ['/many', 'failed', 'limit'],
  ['/deep', 'failed', 'limit'],
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
