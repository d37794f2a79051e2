import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../support/time/clock.ts';
import { startInProcess, type InProcess } from '../support/in-process.ts';
import { createTempFolder, waitUntil } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { install } from './example.ts';

const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
const folder = createTempFolder();
const MINUTE_MS = 60_000;
let weft: InProcess;
let shop: Upstream;

beforeAll(async () => {
  shop = await startUpstream(({ path }) => (path === '/carts/c%201' ? { body: { status: 'open' } } : { body: { status: 'paid' } }));
  weft = await startInProcess({ dataDir: folder.path, clock });
});
afterAll(async () => {
  await weft.service.stop();
  await shop.close();
  folder.remove();
});

type List = { executions: { id: string; status: string; output?: unknown }[] };

test('waits twenty minutes across a restart, then reminds only customers with an open cart', async () => {
  let api = await weft.login();
  await install(api, 'reminder', { SHOP_WEBHOOK_KEY: 'signing key of the shop', SHOP_URL: shop.url });
  for (const cart of ['c%201', 'c2']) {
    const response = await weft.call('POST', `/webhooks/carts/${cart}/left`, { body: { email: 'ada@example.com' }, headers: { 'x-api-key': 'signing key of the shop' } });
    expect(response.status).toBe(200);
  }
  const settled = async (status: string, count: number): Promise<List> =>
    waitUntil(
      async () => {
        await clock.advance(10);
        return (await api('GET', `/executions?status=${status}`)).body as List;
      },
      ({ executions }) => executions.length === count,
    );
  await settled('waiting', 2);
  await clock.advance(10 * MINUTE_MS);
  expect(shop.received.length).toBe(0);

  await weft.service.stop();
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
  await clock.advance(9 * MINUTE_MS);
  await settled('waiting', 2);
  expect(shop.received.length).toBe(0);

  await clock.advance(MINUTE_MS + 1_000);
  const { executions } = await settled('completed', 2);
  expect(shop.received.filter(({ method }) => method === 'GET').map(({ path }) => path).sort()).toEqual(['/carts/c%201', '/carts/c2']);
  const reminders = shop.received.filter(({ path }) => path === '/reminders');
  expect(reminders.map(({ body }) => body)).toEqual([{ cart: 'c 1', email: 'ada@example.com' }]);
  const outputs = await Promise.all(executions.map(async ({ id }) => ((await api('GET', `/executions/${id}`)).body as { output: unknown }).output));
  expect(outputs).toContainEqual({ reminded: false });
});
