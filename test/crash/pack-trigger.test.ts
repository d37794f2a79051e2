import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packFixture } from '../support/packs/npm-pack.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { loopbackCertificate, loopbackKey } from '../support/servers/tls-certificates.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

const folder = createTempFolder();
const authority = path.join(folder.path, 'authority.pem');
const PAGE_SIZE = 100;
/** Kills while executions start: a long run has many, with fewer new items before each. */
const KILLS = Number(process.env['CRASH_POLL_KILLS'] ?? 4);
const BATCH_SIZE = KILLS > 4 ? 20 : 300;
let upstream: Server;
let address = '';
let service: SpawnedService;
let call: Call;
/** Of the fake service, newest first. */
let items: { id: number }[] = [];
let requests: string[] = [];
let status = 200;
/** Not null: responses wait here. */
let held: ServerResponse[] | null = null;

beforeAll(async () => {
  writeFileSync(authority, loopbackCertificate);
  upstream = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    requests.push(request.headers.authorization ?? '');
    response.statusCode = status;
    if (held !== null) held.push(response);
    else response.end(JSON.stringify(items));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await start();
  const installed = await call('POST', '/packs', {
    body: { archive: packFixture('demo').toString('base64') },
  });
  expect(installed.status, installed.text).toBe(201);
  await call('PUT', '/secrets/DEMO', { body: { value: 'token-of-the-demo', hosts: ['127.0.0.1'] } });
});
afterAll(async () => {
  await service.kill9();
  upstream.closeAllConnections();
  upstream.close();
  folder.remove();
});

async function start(): Promise<void> {
  service = await spawnService({ dataDir: folder.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  call = await service.login();
}

const toDefinition = (more: object) => ({
  nodes: [
    {
      id: 'found',
      type: 'npm.demo.trigger',
      config: {
        event: 'new_item',
        address,
        authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
        interval: '1s',
        maxItems: 1_000,
        ...more,
      },
    },
  ],
  connections: [],
});

async function create(more: object = {}): Promise<string> {
  const body = { name: 'Poll', status: 'active', definition: toDefinition(more) };
  const created = await call('POST', '/workflows', { body });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

async function count(workflow: string): Promise<number> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
  return (body as { pagination: { total: number } }).pagination.total;
}

async function startedItems(workflow: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; ; page++) {
    const reply = await call('GET', `/workflows/${workflow}/executions?limit=${PAGE_SIZE}&page=${page}`);
    const { executions } = reply.body as { executions: { id: string }[] };
    const details = executions.map(async ({ id }) => (await call('GET', `/executions/${id}`)).body);
    for (const one of await Promise.all(details))
      ids.push((one as { output: { item: { id: number } } }).output.item.id);
    if (executions.length < PAGE_SIZE) return ids.toSorted((a, b) => a - b);
  }
}

type Trigger = { type: string; next_run_at: string | null; last_error: string | null };
async function readTrigger(workflow: string): Promise<Trigger> {
  const { body } = await call('GET', `/workflows/${workflow}`);
  return (body as { triggers: [Trigger] }).triggers[0];
}

const untilRequested = (n: number) =>
  waitUntil(
    () => Promise.resolve(requests.length),
    (length) => length >= n,
    20_000,
  );
const addItems = (to: number): void => {
  for (let id = (items[0]?.id ?? 0) + 1; id <= to; id++) items.unshift({ id });
};

test('refuses a configuration that the trigger does not have', async () => {
  const body = { name: 'Poll', status: 'active' };
  for (const [more, field] of [
    [{ event: 'unknown_event' }, 'config.event'],
    [{ interval: '1ms' }, 'config.interval'],
    [{ address: 5 }, 'config.address'],
    [{ colour: 'red' }, 'config.colour'],
  ] as const) {
    const refused = await call('POST', '/workflows', { body: { ...body, definition: toDefinition(more) } });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.text).toContain(field);
  }
});

test(
  'killed at each point: every item starts exactly one execution',
  async () => {
    const random = createSeededRandom(chooseSeed('CRASH_SEED')).next;
    addItems(3);
    // While the trigger is enabled.
    held = [];
    requests = [];
    const workflow = await create();
    await untilRequested(1);
    await service.kill9();
    held = null;
    await start();
    await untilRequested(3);
    // While it polls.
    held = [];
    addItems(3 + BATCH_SIZE);
    await waitUntil(
      () => Promise.resolve(held?.length ?? 0),
      (n) => n > 0,
      20_000,
    );
    await service.kill9();
    held = null;
    // While executions start, and between the last one and the change of the state.
    const reached: number[] = [];
    requests = [];
    await start();
    for (let kill = 1; kill <= KILLS; kill++) {
      const former = reached.at(-1) ?? 0;
      // Every other time, some executions have started.
      if (kill % 2 === 0)
        await waitUntil(
          () => count(workflow),
          (n) => n > former,
          30_000,
        );
      else await untilRequested(1);
      await new Promise((resolve) => setTimeout(resolve, random() * 20));
      await service.kill9();
      addItems(3 + BATCH_SIZE * (kill + 1));
      requests = [];
      await start();
      reached.push(await count(workflow));
    }
    await waitUntil(
      () => count(workflow),
      (n) => n >= BATCH_SIZE * (KILLS + 1),
      60_000,
    );
    const before = requests.length;
    await untilRequested(before + 3);
    // The items that existed when the trigger was enabled start nothing.
    const expected = Array.from({ length: BATCH_SIZE * (KILLS + 1) }, (_, i) => i + 4);
    expect(await startedItems(workflow)).toEqual(expected);
    expect(requests.every((one) => one === 'Bearer token-of-the-demo')).toBe(true);
    console.log(`pack trigger: executions on disk after each kill: ${reached.join(', ')}`);
  },
  180_000 + KILLS * 20_000,
);

test('shows a failure at the trigger, continues afterwards, and keeps the pack', async () => {
  status = 503;
  requests = [];
  const workflow = await create();
  const failed = await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error !== null,
    20_000,
  );
  expect(failed).toMatchObject({ type: 'polling', last_error: 'The service responded with 503' });
  status = 200;
  await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error === null,
    30_000,
  );
  addItems(items.length + 1);
  await waitUntil(
    () => count(workflow),
    (n) => n === 1,
    20_000,
  );
  const refused = await call('DELETE', '/packs/demo');
  expect(refused.body).toMatchObject({ error: { code: 'CONFLICT' } });
}, 90_000);
