import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../../support/upstream.ts';
import { mapNode } from '../definitions.ts';

const MINUTE_MS = 60_000;
const clock = createTestClock(Date.parse('2026-05-01T00:00:00Z'));
const folder = createTempFolder();
let weft: InProcess;
let api: Call;

type Reply = ReturnType<Parameters<typeof startUpstream>[0] & {}>;
let reply: (request: ReceivedRequest) => Reply;
let upstream: Upstream;
let current: string;

beforeAll(async () => {
  upstream = await startUpstream((request) => reply(request));
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
});
afterAll(async () => {
  await weft.service.stop();
  await upstream.close();
  folder.remove();
});
beforeEach(() => {
  reply = () => ({ body: [] });
  upstream.received.length = 0;
});
afterEach(() => api('DELETE', `/workflows/${current}`));

type Started = { id: string; input: { item: unknown; key: string; polled_at: string } };
type Workflow = {
  id: string;
  status: string;
  triggers: { type: string; next_run_at: string | null; last_error: string | null }[];
};

const definition = (config: object) => ({
  nodes: [
    {
      id: 'poll',
      type: 'trigger',
      config: { triggerType: 'polling', url: `${upstream.url}/list`, interval: '1m', key: 'id', ...config },
    },
    mapNode('copy', 'key', 'seen'),
  ],
  connections: [{ from: 'poll', to: 'copy' }],
});
async function activate(config: object = {}): Promise<string> {
  const body = { name: 'x', definition: definition(config), status: 'active' };
  const result = await api('POST', '/workflows', { body });
  expect(result.status, result.text).toBe(201);
  current = (result.body as Workflow).id;
  return current;
}
async function put(body: object): Promise<void> {
  const result = await api('PUT', `/workflows/${current}`, { body });
  expect(result.status, result.text).toBe(200);
}
async function trigger(): Promise<Workflow['triggers'][number]> {
  return ((await api('GET', `/workflows/${current}`)).body as Workflow).triggers[0]!;
}
const waits = async (): Promise<number> => Date.parse((await trigger()).next_run_at ?? '') - clock.now();
/** Waits until `count` polls have arrived and the last one has ended: its claim was for ten seconds. */
async function polled(count: number): Promise<void> {
  await waitUntil(
    () => Promise.resolve(upstream.received.length),
    (n) => n >= count,
  );
  await waitUntil(waits, (ms) => ms > 10_000);
  expect(upstream.received).toHaveLength(count);
}
/** The started executions, oldest first. */
async function started(): Promise<Started[]> {
  const { executions } = (await api('GET', `/workflows/${current}/executions?limit=100`)).body as {
    executions: { id: string }[];
  };
  const details = executions.map(async ({ id }) => (await api('GET', `/executions/${id}`)).body as Started);
  return (await Promise.all(details)).toReversed();
}
const keys = async (): Promise<string[]> => (await started()).map(({ input }) => input.key).toSorted();
const items = (...ids: (number | string)[]): Reply => ({ body: ids.map((id) => ({ id })) });

test('existing items are ignored; each new item starts one execution', async () => {
  reply = () => items(1, 2);
  await activate();
  await polled(1);
  expect(await keys()).toEqual([]);
  reply = () => items(3, 2, 4, 3);
  await clock.advance(MINUTE_MS);
  await polled(2);
  expect(await keys()).toEqual(['3', '4']);
  const [first] = await started();
  expect(first!.input).toEqual({ item: { id: 3 }, key: '3', polled_at: '2026-05-01T00:01:00.000Z' });
  const shown = (await api('GET', `/executions/${first!.id}`)).body;
  expect(shown).toMatchObject({
    trigger: { type: 'polling', node_id: 'poll', polled_at: '2026-05-01T00:01:00.000Z' },
    status: 'completed',
    output: { seen: '3' },
  });
  // An item that returns to the list was already seen.
  reply = () => items(1);
  await clock.advance(MINUTE_MS);
  await polled(3);
  expect(await keys()).toEqual(['3', '4']);
  expect(await trigger()).toMatchObject({ type: 'polling', last_error: null });
});

test('first: take starts existing items, at most maxItems at a time', async () => {
  reply = () => ({ ...items(1, 2, 3, 4, 5), headers: { etag: '"all"' } });
  await activate({ first: 'take', maxItems: 2 });
  await polled(1);
  expect(await keys()).toEqual(['1', '2']);
  await clock.advance(MINUTE_MS);
  await polled(2);
  await clock.advance(MINUTE_MS);
  await polled(3);
  expect(await keys()).toEqual(['1', '2', '3', '4', '5']);
  // Nothing was asked with the validator as long as anything was left.
  expect(upstream.received.map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  reply = ({ headers }) => (headers['if-none-match'] === '"all"' ? { status: 304 } : { status: 500 });
  await clock.advance(MINUTE_MS);
  await polled(4);
  expect(await trigger()).toMatchObject({ last_error: null });
  expect(await keys()).toHaveLength(5);
});

test('ETag and Last-Modified are sent back; a 304 changes nothing', async () => {
  const modified = 'Fri, 01 May 2026 00:00:00 GMT';
  reply = ({ headers }) =>
    headers['if-modified-since'] === modified && headers['if-none-match'] === 'W/"1"'
      ? { status: 304 }
      : { ...items(1), headers: { etag: 'W/"1"', 'last-modified': modified } };
  await activate();
  await polled(1);
  await clock.advance(MINUTE_MS);
  await polled(2);
  await clock.advance(MINUTE_MS);
  await polled(3);
  expect(upstream.received[2]!.headers).toMatchObject({
    'if-none-match': 'W/"1"',
    'if-modified-since': modified,
  });
  reply = () => items(1, 2);
  await clock.advance(MINUTE_MS);
  await polled(4);
  expect(await keys()).toEqual(['2']);
});

test('the request is made as by http_request, with secrets, and the list lies at a path', async () => {
  await api('PUT', '/secrets/SHOP', { body: { value: 'shop-token-1' } });
  reply = () => ({ body: { data: { orders: [{ n: 1, v: 'a' }] } } });
  await activate({
    method: 'POST',
    query: { since: 'x y', tag: ['a', 'b'] },
    headers: { 'x-shop': '{{ secrets.SHOP }}' },
    authentication: { type: 'basic', username: 'u', password: '{{ secrets.SHOP }}' },
    body: { token: '{{ secrets.SHOP }}', flow: '{{ workflow.id }}' },
    items: 'data.orders',
    key: '{{ item.n }}-{{ v }}',
    first: 'take',
  });
  await polled(1);
  expect(await keys()).toEqual(['1-a']);
  const [request] = upstream.received;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/list?since=x+y&tag=a&tag=b',
    body: { token: 'shop-token-1', flow: current },
  });
  expect(request!.headers).toMatchObject({
    'x-shop': 'shop-token-1',
    authorization: `Basic ${Buffer.from('u:shop-token-1').toString('base64')}`,
    accept: 'application/json',
  });
});

test('without a key an item that changed is a new one', async () => {
  reply = () => ({ body: [{ id: 1, v: 1 }, 'text', 7] });
  await activate({ key: undefined });
  await polled(1);
  reply = () => ({ body: [{ v: 1, id: 1 }, 'text', 8, { id: 1, v: 2 }] });
  await clock.advance(MINUTE_MS);
  await polled(2);
  const found = (await started()).map(({ input }) => input.item);
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining([8, { id: 1, v: 2 }]));
});

test('failures back off, notify once, and end with the next response', async () => {
  reply = () => items(1);
  await activate();
  await polled(1);
  reply = () => ({ status: 503, body: { why: 'down' } });
  const pauses: number[] = [];
  for (let failed = 1; failed <= 5; failed++) {
    await clock.advance(await waits());
    await polled(1 + failed);
    pauses.push((await waits()) / 1_000);
  }
  // 10, 20, 40, 80, 160 s, and then the next of the regular times.
  expect(pauses).toEqual([60, 60, 60, 120, 180]);
  const { last_error } = await trigger();
  expect(last_error).toBe(`GET ${upstream.url}/list responded with 503`);
  expect(await keys()).toEqual([]);
  reply = () => items(2, 1);
  await clock.advance(180_000);
  await polled(7);
  expect(await trigger()).toMatchObject({ last_error: null });
  expect(await waits()).toBe(60_000);
  expect(await keys()).toEqual(['2']);
});

test('a response that is not JSON is a failure', async () => {
  const page = createServer((_request, response) => response.end('<html></html>'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/page?key=1`;
  await activate({ url });
  const { last_error } = await waitUntil(trigger, (shown) => shown.last_error !== null);
  expect(last_error).toBe(`url: must return JSON, and ${url.replace('?key=1', '')} did not`);
  page.closeAllConnections();
  page.close();
});

test.each<[string, object, Reply, RegExp]>([
  ['no list', {}, { body: { data: [] } }, /items: must be the path of a list/],
  ['no list at the path', { items: 'a.b' }, { body: { a: 1 } }, /items: must be the path of a list/],
  [
    'an item without a key',
    {},
    { body: [{ id: 1 }, { name: 'x' }] },
    /^The item at position 1 of the list, counted from 0, has no key\.$/,
  ],
  ['a key that the template cannot make', { key: '{{ item.a.b }}' }, { body: [{}] }, /key: .*a/],
  ['a key that is too long', {}, { body: [{ id: 'x'.repeat(1_001) }] }, /longer than 1000 characters/],
  [
    'too many items',
    {},
    { body: Array.from({ length: 10_001 }, (_, id) => ({ id })) },
    /must be a list of at most 10000/,
  ],
  [
    'a redirect to nowhere allowed',
    {},
    { status: 302, headers: { location: 'http://10.0.0.1/' } },
    /10\.0\.0\.1/,
  ],
  ['an error', {}, { status: 404 }, /responded with 404/],
])('%s is a failure that starts nothing', async (_name, config, result, why) => {
  reply = () => result;
  await activate({ first: 'take', ...config });
  const { last_error } = await waitUntil(trigger, (shown) => shown.last_error !== null);
  expect(last_error).toMatch(why);
  expect(await keys()).toEqual([]);
});

test('Retry-After is followed', async () => {
  reply = () => ({ status: 429, headers: { 'retry-after': '600' } });
  await activate();
  const { next_run_at } = await waitUntil(trigger, (shown) => shown.last_error !== null);
  expect(Date.parse(next_run_at!) - clock.now()).toBeGreaterThanOrEqual(600_000);
});

test('seen items survive pausing and other changes; another list starts from the beginning', async () => {
  reply = () => items(1);
  await activate();
  await polled(1);
  await put({ status: 'inactive' });
  reply = () => items(1, 2);
  await clock.advance(5 * MINUTE_MS);
  expect(upstream.received).toHaveLength(1);
  await put({ status: 'active' });
  await polled(2);
  expect(await keys()).toEqual(['2']);
  // The time of polling is not the list.
  reply = () => items(1, 2, 3);
  await put({ definition: definition({ interval: '2m' }) });
  await polled(3);
  expect(await keys()).toEqual(['2', '3']);
  reply = () => items(1, 2, 3, 4);
  await put({ definition: definition({ url: `${upstream.url}/other` }) });
  await polled(4);
  expect(await keys()).toEqual(['2', '3']);
});

test('polls never overlap: the next waits for a slow response', async () => {
  let open = 0;
  let most = 0;
  reply = () => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => (open -= 1), 300);
    return { ...items(1), after: 300 };
  };
  await activate({ interval: '1s', timeout: '5m' });
  await waitUntil(
    async () => {
      await clock.advance(1_000);
      return upstream.received.length;
    },
    (n) => n >= 4,
  );
  expect(most).toBe(1);
});

test('a change of the workflow while a poll is under way: nothing of the old one starts', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  reply = () => ({ ...items(1), held });
  await activate({ first: 'take' });
  await waitUntil(
    () => Promise.resolve(upstream.received.length),
    (n) => n === 1,
  );
  await put({ status: 'inactive' });
  release();
  // Long enough for an unwanted start.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await keys()).toEqual([]);
});

test('a key that reads a secret is refused', async () => {
  const body = { name: 'x', status: 'active', definition: definition({ key: '{{ secrets.SHOP }}' }) };
  const result = await api('POST', '/workflows', { body });
  expect(result.status).toBe(400);
  expect(result.text).toContain('definition.nodes[0].config.key');
});
