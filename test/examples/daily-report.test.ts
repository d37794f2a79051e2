import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../support/time/clock.ts';
import { startInProcess, type InProcess } from '../support/in-process.ts';
import { createTempFolder, waitUntil } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { install } from './example.ts';

// A Friday in Berlin, in winter.
const clock = createTestClock(Date.parse('2026-01-09T12:00:00Z'));
const folder = createTempFolder();
let weft: InProcess;
let shop: Upstream;

beforeAll(async () => {
  shop = await startUpstream(({ path }) => (path.startsWith('/figures') ? { body: { orders: 12, revenue: 345.678 } } : {}));
  weft = await startInProcess({ dataDir: folder.path, clock });
});
afterAll(async () => {
  await weft.service.stop();
  await shop.close();
  folder.remove();
});

type Workflow = { triggers: { next_run_at: string; last_error: string | null }[] };

test('fires once at the displayed time, and continues on the next weekday', async () => {
  let api = await weft.login();
  const id = await install(api, 'daily-report', { SHOP_URL: shop.url, SHOP_TOKEN: 'shop-token', CHAT_URL: `${shop.url}/chat` });
  const before = (await api('GET', `/workflows/${id}`)).body as Workflow;
  // Six o'clock in Berlin on the next weekday, Monday.
  expect(before.triggers[0]?.next_run_at).toBe('2026-01-12T05:00:00.000Z');

  await clock.advance(Date.parse('2026-01-12T05:00:00Z') - clock.now());
  api = await weft.login();
  await waitUntil(
    async () => {
      await clock.advance(10);
      return (await api('GET', `/workflows/${id}/executions?status=completed`)).body as { executions: unknown[] };
    },
    ({ executions }) => executions.length === 1,
  );
  const [figures, chat] = shop.received;
  expect(figures).toMatchObject({ method: 'GET', path: '/figures?until=2026-01-12T05%3A00%3A00.000Z' });
  expect(figures?.headers.authorization).toBe('Bearer shop-token');
  expect(chat).toMatchObject({ path: '/chat', body: { text: '12 orders, 345.68 EUR until 2026-01-12T05:00:00.000Z' } });
  const after = (await api('GET', `/workflows/${id}`)).body as Workflow;
  expect(after.triggers[0]).toMatchObject({ next_run_at: '2026-01-13T05:00:00.000Z', last_error: null });
});

test('a manual run reports until now, or until the specified time', async () => {
  const api = await weft.login();
  const { workflows } = (await api('GET', '/workflows')).body as { workflows: { id: string }[] };
  const run = async (input: object): Promise<void> => {
    const started = await api('POST', `/workflows/${workflows[0]?.id}/execute`, { body: { input } });
    const { id } = started.body as { id: string };
    await waitUntil(
      async () => {
        await clock.advance(10);
        return (await api('GET', `/executions/${id}`)).body as { status: string };
      },
      ({ status }) => status === 'completed',
    );
  };
  const at = clock.now();
  await run({});
  const [figures, chat] = shop.received.slice(-2);
  const asked = new URL(figures!.path, shop.url).searchParams.get('until')!;
  expect(Date.parse(asked)).toBeGreaterThanOrEqual(at);
  expect(Date.parse(asked)).toBeLessThanOrEqual(clock.now());
  // The same time, although the clock has advanced.
  expect(chat?.body).toEqual({ text: `12 orders, 345.68 EUR until ${asked}` });
  await run({ scheduled_at: '2026-01-10T05:00:00.000Z' });
  expect(shop.received.at(-1)?.body).toEqual({ text: '12 orders, 345.68 EUR until 2026-01-10T05:00:00.000Z' });
});

test('a service that missed ticks while it was down runs once', async () => {
  await weft.service.stop();
  // Wednesday: the ticks of Tuesday and Wednesday were missed.
  await clock.advance(Date.parse('2026-01-14T09:30:00Z') - clock.now());
  const before = shop.received.length;
  weft = await startInProcess({ dataDir: folder.path, clock });
  const api = await weft.login();
  const list = await waitUntil(
    async () => {
      await clock.advance(10);
      return (await api('GET', '/executions')).body as { executions: { status: string; trigger: object }[] };
    },
    ({ executions }) => executions.length === 4 && executions.every(({ status }) => status === 'completed'),
  );
  expect(list.executions[0]?.trigger).toMatchObject({ type: 'schedule', scheduled_at: '2026-01-14T05:00:00.000Z' });
  expect(shop.received.length - before).toBe(2);
});
