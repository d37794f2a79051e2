import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../../support/service.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { mapNode } from '../definitions.ts';

/*
 * A polling trigger whose URL returns a feed. Claims, crashes and limits are those of every polling trigger:
 * polling.test.ts.
 */

const MINUTE_MS = 60_000;
const clock = createTestClock(Date.parse('2026-05-01T00:00:00Z'));
const folder = createTempFolder();
let weft: InProcess;
let api: Call;
let upstream: Upstream;
let respond: () => { status?: number; headers?: Record<string, string>; body?: unknown };

beforeAll(async () => {
  upstream = await startUpstream(() => respond());
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
});
afterAll(async () => {
  await weft.service.stop();
  await upstream.close();
  folder.remove();
});

/** A JSON Feed, because the upstream responds with JSON. */
const createFeed = (...entries: [id: string, title: string][]) => ({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'T',
  items: entries.map(([id, title]) => ({ id, title, content_text: title })),
});

type Shown = { triggers: { next_run_at: string | null; last_error: string | null }[] };
type Started = { input: { item: { title: string }; key: string } };

test('each new entry of a feed starts one execution', async () => {
  respond = () => ({ body: createFeed(['1', 'a'], ['2', 'b']) });
  const config = { triggerType: 'polling', url: `${upstream.url}/feed`, interval: '1m', format: 'feed' };
  const definition = {
    nodes: [{ id: 'poll', type: 'trigger', config }, mapNode('copy', 'item.title', 'title')],
    connections: [{ from: 'poll', to: 'copy' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const trigger = async () => ((await api('GET', `/workflows/${id}`)).body as Shown).triggers[0]!;
  /** Waits until `count` polls have arrived and the last one has ended: its claim was for ten seconds. */
  const polled = async (count: number): Promise<void> => {
    await waitUntil(
      () => Promise.resolve(upstream.received.length),
      (found) => found >= count,
    );
    await waitUntil(
      async () => Date.parse((await trigger()).next_run_at ?? '') - clock.now(),
      (ms) => ms > 10_000,
    );
  };
  const started = async (): Promise<string[]> => {
    const { executions } = (await api('GET', `/workflows/${id}/executions?limit=100`)).body as {
      executions: { id: string }[];
    };
    const details = await Promise.all(executions.map((one) => api('GET', `/executions/${one.id}`)));
    return details
      .map(({ body }) => (body as Started).input)
      .map(({ key, item }) => `${key} ${item.title}`)
      .toSorted();
  };

  await polled(1);
  expect(await started()).toEqual([]);
  // A changed entry is not new.
  respond = () => ({ body: createFeed(['3', 'c'], ['1', 'changed'], ['2', 'b']), headers: { etag: '"3"' } });
  await clock.advance(MINUTE_MS);
  await polled(2);
  expect(await started()).toEqual(['3 c']);
  respond = () => ({ status: 304 });
  await clock.advance(MINUTE_MS);
  await polled(3);
  expect(upstream.received[2]!.headers).toMatchObject({
    'if-none-match': '"3"',
    accept: expect.stringContaining('application/rss+xml') as string,
  });
  expect(await trigger()).toMatchObject({ last_error: null });
  respond = () => ({ body: '<p>moved</p>' });
  await clock.advance(MINUTE_MS);
  await polled(4);
  expect((await trigger()).last_error).toMatch(/^url: must return a feed, and the response of \S+ is no RSS/);
  expect(await started()).toEqual(['3 c']);
});

test('a feed has no path of items', async () => {
  const config = {
    triggerType: 'polling',
    url: `${upstream.url}/feed`,
    interval: '1m',
    format: 'feed',
    items: 'data',
  };
  const definition = { nodes: [{ id: 'poll', type: 'trigger', config }], connections: [] };
  const made = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
  expect([made.status, made.text]).toEqual([400, expect.stringContaining('must not be set for a feed')]);
});
