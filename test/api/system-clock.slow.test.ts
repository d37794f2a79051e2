import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { install as installExample } from '../examples/example.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream } from '../support/upstream.ts';
import { install as installTemplate } from '../templates/template.ts';
import { greeting } from './definitions.ts';

/* Time-dependent behavior of the built program with the system clock; see also test/in-process.test.ts. */
const DAY_MS = 86_400_000;
/** Executions are deleted once a minute. */
const DELETION_WAIT_MS = 90_000;
/** Belongs to first-data.db.gz (test/end-to-end/upgrade.test.ts) and has never protected anything else. */
const FIRST_KEY = '1ehkZDt5d1aqpSbJ6iLGg3yCT5WYV/HR2Uni6gnGruw=';

type List = { executions: { id: string; status: string; trigger: { type: string } }[] };
type Workflow = { triggers: { next_run_at: string | null; last_error: string | null }[] };

let folder: ReturnType<typeof createTempFolder>;
let weft: SpawnedService | null = null;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(async () => {
  await weft?.stop();
  weft = null;
  folder.remove();
});

async function start(): Promise<{ service: SpawnedService; api: Call }> {
  weft = await spawnService({ dataDir: folder.path });
  return { service: weft, api: await weft.login() };
}

const list = async (api: Call): Promise<List['executions']> =>
  ((await api('GET', '/executions')).body as List).executions;

test('the data of the first version is migrated', async () => {
  mkdirSync(folder.path, { recursive: true });
  const packed = readFileSync(path.join(import.meta.dirname, '../end-to-end/first-data.db.gz'));
  writeFileSync(path.join(folder.path, 'weft.db'), gunzipSync(packed), { mode: 0o600 });
  writeFileSync(path.join(folder.path, 'secret.key'), `${FIRST_KEY}\n`, { mode: 0o600 });
  const { service, api } = await start();
  // Whether their time is over depends on the date.
  for (const { status } of await list(api)) expect(['waiting', 'running', 'completed']).toContain(status);
  expect((await api('GET', '/secrets')).body).toMatchObject({ secrets: [{ name: 'SHOP' }] });
  const hook = await service.call('POST', '/webhooks/remind', { body: { name: 'Lin' } });
  expect(hook.status, hook.text).toBeLessThan(300);
  expect(await list(api)).toHaveLength(3);
});

test('a schedule fires at its interval', async () => {
  const { api } = await start();
  const definition = {
    nodes: [{ id: 't', type: 'trigger', config: { triggerType: 'schedule', interval: '1s' } }],
    connections: [],
  };
  const body = { name: 'Every second', status: 'active', definition };
  expect((await api('POST', '/workflows', { body })).status).toBe(201);
  const ran = await waitUntil(
    () => list(api),
    (found) => found.filter(({ status }) => status === 'completed').length >= 3,
  );
  expect(new Set(ran.map(({ trigger }) => trigger.type))).toEqual(new Set(['schedule']));
});

test('an ended execution is deleted when its retention is over', async () => {
  let { service, api } = await start();
  const ids: string[] = [];
  for (const retention of ['1d', '14d']) {
    const body = { name: retention, definition: greeting, settings: { retention } };
    const { id } = (await api('POST', '/workflows', { body })).body as { id: string };
    const ran = await api('POST', `/workflows/${id}/execute`, {
      body: { input: { name: 'Ada' }, wait: '20s' },
    });
    ids.push((ran.body as { id: string }).id);
  }
  await service.stop();
  const database = new Database(path.join(folder.path, 'weft.db'));
  database.prepare('UPDATE executions SET expires_at = expires_at - ?').run(2 * DAY_MS);
  database.close();
  ({ service, api } = await start());
  const left = await waitUntil(
    () => list(api),
    (found) => found.length < 2,
    DELETION_WAIT_MS,
  );
  expect(left.map(({ id }) => id)).toEqual(ids.slice(1));
});

test('the examples and templates with a clock are activated, and show when they run', async () => {
  const { api } = await start();
  const upstream = await startUpstream(() => ({ status: 200, body: {} }));
  const secret = 'a token of a known caller';
  const address = `${upstream.url}/chat`;
  const timed = [
    await installExample(api, 'daily-report', {
      SHOP_URL: upstream.url,
      SHOP_TOKEN: secret,
      CHAT_URL: address,
    }),
    await installTemplate(
      api,
      'uptime-check',
      { url: upstream.url, interval: '1h' },
      { CHAT_WEBHOOK_URL: address },
    ),
  ];
  await installExample(api, 'reminder', { SHOP_WEBHOOK_KEY: secret });
  for (const id of timed) {
    const { triggers } = (await api('GET', `/workflows/${id}`)).body as Workflow;
    expect(Date.parse(triggers[0]?.next_run_at ?? '')).toBeGreaterThan(Date.now());
    expect(triggers[0]?.last_error ?? null).toBeNull();
  }
  const cart = await weft!.call('POST', '/webhooks/carts/c1/left', {
    body: { email: 'ada@example.com' },
    headers: { 'x-api-key': secret },
  });
  expect(cart.status, cart.text).toBe(200);
  await waitUntil(
    () => list(api),
    (found) => found.some(({ status }) => status === 'waiting'),
  );
  await upstream.close();
});
