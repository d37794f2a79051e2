import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  APP_SECRET,
  PUBLIC_URL,
  sendAppEvent,
  type AppEvent,
  type AppEventOptions,
} from '../../support/packs/app-events.ts';
import { openHookService, type HookService } from '../../support/packs/hook-service.ts';
import { packFixture } from '../../support/packs/npm-pack.ts';
import { loopbackCertificate } from '../../support/servers/tls-certificates.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/* A pack whose service sends the events of all accounts to one address. */

const folder = createTempFolder();
const authority = path.join(folder.path, 'authority.pem');
let upstream: HookService;
let service: SpawnedService;
let call: Call;
const created: string[] = [];

beforeAll(async () => {
  writeFileSync(authority, loopbackCertificate);
  upstream = await openHookService();
  await start();
  await install();
  await call('PUT', '/secrets/DEMO', { body: { value: 'token-of-the-demo', hosts: ['127.0.0.1'] } });
});
afterAll(async () => {
  await service.kill9();
  upstream.close();
  folder.remove();
});
beforeEach(async () => {
  for (const workflow of created.splice(0)) await call('DELETE', `/workflows/${workflow}`);
  upstream.requests.length = 0;
  upstream.held.length = 0;
  upstream.holds.clear();
  upstream.account = 'acme';
});

async function start(env: Record<string, string> = { WEFT_PUBLIC_URL: PUBLIC_URL }): Promise<void> {
  service = await spawnService({ dataDir: folder.path, env: { NODE_EXTRA_CA_CERTS: authority, ...env } });
  call = await service.login();
}

async function install(): Promise<void> {
  const installed = await call('POST', '/packs', {
    body: { archive: packFixture('demo').toString('base64') },
  });
  expect(installed.status, installed.text).toBe(201);
}

async function create(more: object = {}): Promise<string> {
  const config = {
    event: 'account_changed',
    address: upstream.address,
    authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
    ...more,
  };
  const definition = { nodes: [{ id: 'found', type: 'npm.demo.trigger', config }], connections: [] };
  const reply = await call('POST', '/workflows', { body: { name: 'Receive', status: 'active', definition } });
  expect(reply.status, reply.text).toBe(201);
  const { id } = reply.body as { id: string };
  created.push(id);
  return id;
}

/** Returns the address at this process. */
async function setUp(): Promise<string> {
  const reply = await call('PUT', '/packs/demo/app', { body: { signing_secret: APP_SECRET } });
  expect(reply.status, reply.text).toBe(200);
  const { url } = reply.body as { url: string };
  expect(url).toMatch(/^https:\/\/weft\.example\.com\/v1\/pack-webhooks\/[A-Za-z0-9_-]{32}$/);
  return url;
}

const send = (url: string, event: AppEvent, options?: AppEventOptions): Promise<Response> =>
  sendAppEvent(service.url, url, event, options);
const sendItem = (url: string, id: number, account = 'acme') =>
  send(url, { event: 'changed', account, items: [{ id }] });

type Trigger = { url?: string; last_error: string | null };
async function readTrigger(workflow: string): Promise<Trigger> {
  const { body } = await call('GET', `/workflows/${workflow}`);
  return (body as { triggers: [Trigger] }).triggers[0];
}
async function listIds(workflow: string): Promise<number[]> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=100`);
  const details = (body as { executions: { id: string }[] }).executions.map(
    async ({ id }) =>
      (await call('GET', `/executions/${id}`)).body as { output: { item: { id: number } } | null },
  );
  return (await Promise.all(details))
    .flatMap(({ output }) => (output === null ? [] : [output.item.id]))
    .toSorted((a, b) => a - b);
}
/** Of the execution that started last. */
async function readNewestId(workflow: string): Promise<number | undefined> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
  const [newest] = (body as { executions: { id: string }[] }).executions;
  if (newest === undefined) return undefined;
  const detail = await call('GET', `/executions/${newest.id}`);
  return (detail.body as { output: { item: { id: number } } | null }).output?.item.id;
}
async function count(workflow: string): Promise<number> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
  return (body as { pagination: { total: number } }).pagination.total;
}
const untilUpstream = (wanted: () => boolean) =>
  waitUntil(
    () => Promise.resolve(wanted()),
    (isTrue) => isTrue,
    30_000,
  );
/** The trigger listens once the call that enabled it is stored: then its first event arrives. */
async function untilListening(workflow: string, url: string, id: number, account = 'acme'): Promise<void> {
  await waitUntil(
    async () => {
      expect((await sendItem(url, id, account)).status).toBe(200);
      return listIds(workflow);
    },
    (ids) => ids.includes(id),
    30_000,
  );
}
const setStatus = (workflow: string, status: 'active' | 'inactive') =>
  call('PUT', `/workflows/${workflow}`, { body: { status } });

test('is set up by an administrator, and keeps its address', async () => {
  expect((await call('GET', '/packs/demo/app')).status).toBe(404);
  expect((await call('DELETE', '/packs/demo/app')).status).toBe(404);
  const missing = await create();
  const waiting = await waitUntil(
    () => readTrigger(missing),
    ({ last_error: error }) => error !== null,
  );
  expect(waiting.last_error).toContain('an administrator must enter its signing secret');
  const url = await setUp();
  expect(await setUp()).toBe(url);
  const shown = await call('GET', '/packs/demo/app');
  expect(shown.body).toMatchObject({ pack: 'demo', url });
  expect(shown.text).not.toContain(APP_SECRET);
  for (const [body, field] of [
    [{}, 'signing_secret'],
    [{ signing_secret: '' }, 'signing_secret'],
    [{ signing_secret: 'a', url: 'b' }, 'url'],
  ] as const) {
    const refused = await call('PUT', '/packs/demo/app', { body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(field)]);
  }
  expect((await call('PUT', '/packs/none/app', { body: { signing_secret: 'a' } })).status).toBe(404);
  const { body } = await call('GET', '/audit-events?limit=20');
  expect(JSON.stringify(body)).toContain('pack.app_updated');
  expect(JSON.stringify(body)).not.toContain(APP_SECRET);
  for (const name of readdirSync(folder.path).filter((one) => one.includes('weft.db')))
    expect(readFileSync(path.join(folder.path, name)).includes(APP_SECRET)).toBe(false);
});

test('an event starts each workflow that listens to its account, once', async () => {
  const url = await setUp();
  const [first, second] = [await create(), await create()];
  const other = await create({ account: 'other' });
  await untilListening(first, url, 1);
  await untilListening(second, url, 2);
  await waitUntil(
    async () => {
      await sendItem(url, 3, 'other');
      return listIds(other);
    },
    (ids) => ids.length > 0,
  );
  expect((await sendItem(url, 4)).status).toBe(200);
  // A service repeats a delivery with the same body. The query and most headers are not signed.
  const again = { event: 'changed', account: 'acme', items: [{ id: 4 }] };
  expect((await send(url, again, { headers: { 'webhook-id': 'x' } })).status).toBe(200);
  expect((await send(url, again, { query: '?again' })).status).toBe(200);
  expect((await send(url, { event: 'unknown', account: 'acme', items: [{ id: 5 }] })).status).toBe(200);
  expect((await send(url, { event: 'removed', account: 'acme', items: [{ id: 6 }] })).status).toBe(200);
  for (const workflow of [first, second]) {
    const ids = await waitUntil(
      () => listIds(workflow),
      (found) => found.includes(6),
    );
    expect(ids.filter((id) => id > 2)).toEqual([4, 6]);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await readTrigger(workflow)).url).toBeUndefined();
  }
  expect(await listIds(other)).toEqual([3]);
});

test('refuses what is not signed or too old, and returns the reply of the pack', async () => {
  const url = await setUp();
  const sent = { event: 'changed', account: 'acme', items: [{ id: 1 }] };
  expect((await send(url, sent, { headers: { 'x-demo-signature': 'forged' } })).status).toBe(401);
  // The package throws.
  expect((await send(url, sent, { headers: { 'x-demo-throws': 'yes' } })).status).toBe(401);
  const old = String(Math.floor(Date.now() / 1000) - 400);
  expect((await send(url, sent, { headers: { 'x-slack-request-timestamp': old } })).status).toBe(401);
  expect((await send(url, sent, { headers: { 'x-slack-request-timestamp': 'soon' } })).status).toBe(401);
  const now = String(Math.floor(Date.now() / 1000));
  expect((await send(url, sent, { headers: { 'x-slack-request-timestamp': now } })).status).toBe(200);
  const reply = await send(url, { challenge: 'abc' });
  expect([reply.status, await reply.text(), reply.headers.get('x-demo')]).toEqual([200, 'abc', 'yes']);
  expect((await send(url, { fail: 'It is broken' })).status).toBe(500);
  expect((await send(`${url}x`, sent)).status).toBe(404);
  // The limit of packs, and that of all webhooks.
  for (const size of [1_100_000, 5_000_000]) {
    const large = await send(url, { ...sent, fail: 'x'.repeat(size) });
    expect([large.status, await large.text()]).toEqual([400, expect.stringContaining('PAYLOAD_TOO_LARGE')]);
  }
  const replaced = await call('PUT', '/packs/demo/app', { body: { signing_secret: 'another-secret' } });
  expect([replaced.status, replaced.body]).toMatchObject([200, { url }]);
  expect((await send(url, sent)).status).toBe(401);
  expect((await send(url, sent, { secret: 'another-secret' })).status).toBe(200);
});

test('killed between the acknowledgement and the start, and while events arrive: each starts once', async () => {
  const url = await setUp();
  const workflow = await create({ ask: true });
  await untilListening(workflow, url, 0);
  expect(await listIds(workflow)).toEqual([0]);
  upstream.holds.add('GET ask');
  const acknowledged = [0];
  for (let id = 1; id <= 20; id++) {
    expect((await sendItem(url, id)).status).toBe(200);
    acknowledged.push(id);
  }
  await untilUpstream(() => upstream.held.length === 1);
  await service.kill9();
  upstream.holds.clear();
  let next = 21;
  for (let kill = 0; kill < 2; kill++) {
    await start();
    const senders = Array.from({ length: 3 }, async () => {
      for (let n = 0; n < 10; n++) {
        const id = next++;
        const reply = await sendItem(url, id).catch(() => null);
        if (reply === null) return;
        if (reply.status === 200) acknowledged.push(id);
      }
    });
    await waitUntil(
      () => count(workflow),
      (n) => n > 5 * (kill + 1),
      30_000,
    );
    await service.kill9();
    await Promise.all(senders);
  }
  await start();
  const last = next;
  expect((await sendItem(url, last)).status).toBe(200);
  await waitUntil(
    () => readNewestId(workflow),
    (id) => id === last,
    60_000,
  );
  const ids = await listIds(workflow);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
}, 180_000);

test('a deactivated workflow stops listening, and the app and the pack are removed after it', async () => {
  const url = await setUp();
  const workflow = await create({ account: 'mine' });
  await untilListening(workflow, url, 1, 'mine');
  const refused = await call('DELETE', '/packs/demo/app');
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('1 active trigger')]);
  expect((await setStatus(workflow, 'inactive')).status).toBe(200);
  // The pack got no address of its own.
  const disabled = (): number => upstream.requests.filter((one) => one === 'GET /disabled/mine/none').length;
  await untilUpstream(() => disabled() === 1);
  expect((await sendItem(url, 2, 'mine')).status).toBe(200);
  expect((await setStatus(workflow, 'active')).status).toBe(200);
  await untilListening(workflow, url, 3, 'mine');
  expect(await listIds(workflow)).toEqual([1, 3]);
  await setStatus(workflow, 'inactive');
  expect((await call('DELETE', '/packs/demo/app')).status).toBe(200);
  expect((await sendItem(url, 4, 'mine')).status).toBe(404);
  await setUp();
  await untilUpstream(() => disabled() === 2);
  for (const id of created.splice(0)) await call('DELETE', `/workflows/${id}?permanent=true`);
  await waitUntil(
    () => call('DELETE', '/packs/demo'),
    ({ status }) => status === 200,
  );
  await install();
  // Another package may get the name.
  expect((await call('GET', '/packs/demo/app')).status).toBe(404);
}, 60_000);

test('needs a public URL, and a pack whose service sends events of apps', async () => {
  await setUp();
  await service.kill9();
  await start({});
  for (const method of ['GET', 'PUT'] as const) {
    const body = method === 'PUT' ? { signing_secret: APP_SECRET } : undefined;
    const refused = await call(method, '/packs/demo/app', body === undefined ? {} : { body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('WEFT_PUBLIC_URL')]);
  }
  const document = JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Store', version: '1.0.0' },
    servers: [{ url: 'https://store.example.com' }],
    paths: { '/pets': { get: { responses: {} } } },
  });
  expect((await call('POST', '/packs', { body: { document } })).status).toBe(201);
  const none = await call('PUT', '/packs/store/app', { body: { signing_secret: APP_SECRET } });
  expect([none.status, none.text]).toEqual([400, expect.stringContaining('no trigger that receives')]);
});
