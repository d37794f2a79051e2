import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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

const PUBLIC_URL = 'https://weft.example.com';
const PAGE_SIZE = 100;
const folder = createTempFolder();
const authority = path.join(folder.path, 'authority.pem');
let upstream: HookService;
let service: SpawnedService;
let call: Call;
/** Workflows of the test. */
const created: string[] = [];

beforeAll(async () => {
  writeFileSync(authority, loopbackCertificate);
  upstream = await openHookService();
  await start();
  const installed = await call('POST', '/packs', {
    body: { archive: packFixture('demo').toString('base64') },
  });
  expect(installed.status, installed.text).toBe(201);
  await call('PUT', '/secrets/DEMO', { body: { value: 'token-of-the-demo', hosts: ['127.0.0.1'] } });
});
afterAll(async () => {
  await service.kill9();
  upstream.close();
  folder.remove();
});
beforeEach(async () => {
  for (const workflow of created.splice(0)) await call('DELETE', `/workflows/${workflow}`);
  upstream.hooks.clear();
  upstream.requests.length = 0;
  upstream.held.length = 0;
  upstream.statuses = {};
  upstream.holds.clear();
  upstream.verify = () => Promise.resolve();
});

async function start(env: Record<string, string> = { WEFT_PUBLIC_URL: PUBLIC_URL }): Promise<void> {
  service = await spawnService({
    dataDir: folder.path,
    env: { NODE_EXTRA_CA_CERTS: authority, WEFT_WEBHOOK_RATE_LIMIT: 'unlimited', ...env },
  });
  call = await service.login();
}

const toDefinition = (more: object) => ({
  nodes: [
    {
      id: 'found',
      type: 'npm.demo.trigger',
      config: {
        event: 'item_changed',
        address: upstream.address,
        authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
        ...more,
      },
    },
  ],
  connections: [],
});

async function create(more: object = {}): Promise<string> {
  const body = { name: 'Receive', status: 'active', definition: toDefinition(more) };
  const reply = await call('POST', '/workflows', { body });
  expect(reply.status, reply.text).toBe(201);
  const { id } = reply.body as { id: string };
  created.push(id);
  return id;
}

async function setStatus(workflow: string, status: 'active' | 'inactive'): Promise<void> {
  const changed = await call('PUT', `/workflows/${workflow}`, { body: { status } });
  expect(changed.status, changed.text).toBe(200);
}

type Trigger = { type: string; url?: string; last_error: string | null };
async function readTrigger(workflow: string): Promise<Trigger> {
  const { body } = await call('GET', `/workflows/${workflow}`);
  return (body as { triggers: [Trigger] }).triggers[0];
}

type Output = {
  item: { id: number; n: number; sender?: string; same: boolean };
  key: string;
  received_at: string;
};
async function startedOutputs(workflow: string): Promise<Output[]> {
  const outputs: Output[] = [];
  for (let page = 1; ; page++) {
    const reply = await call('GET', `/workflows/${workflow}/executions?limit=${PAGE_SIZE}&page=${page}`);
    const { executions } = reply.body as { executions: { id: string }[] };
    const details = executions.map(async ({ id }) => (await call('GET', `/executions/${id}`)).body);
    for (const one of await Promise.all(details)) outputs.push((one as { output: Output }).output);
    if (executions.length < PAGE_SIZE) return outputs;
  }
}
const startedIds = async (workflow: string): Promise<number[]> =>
  (await startedOutputs(workflow)).map(({ item }) => item.id).toSorted((a, b) => a - b);
/** Of the execution that started last. */
async function newestId(workflow: string): Promise<number | undefined> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
  const [newest] = (body as { executions: { id: string }[] }).executions;
  if (newest === undefined) return undefined;
  const detail = await call('GET', `/executions/${newest.id}`);
  return (detail.body as { output: Output | null }).output?.item.id;
}
async function count(workflow: string): Promise<number> {
  const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
  return (body as { pagination: { total: number } }).pagination.total;
}

/** Sends to the address that a service knows, at this process. */
async function send(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  expect(url.startsWith(`${PUBLIC_URL}/v1/pack-webhooks/`)).toBe(true);
  return fetch(url.replace(`${PUBLIC_URL}/v1`, service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sender': 'demo', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
const onlyHook = (): string => {
  expect(upstream.hooks.size).toBe(1);
  return [...upstream.hooks.values()][0]!.url;
};
const untilUpstream = (wanted: () => boolean, ms = 30_000) =>
  waitUntil(
    () => Promise.resolve(wanted()),
    (isTrue) => isTrue,
    ms,
  );
/** Until the service knows the address, which is also shown. */
async function untilEnabled(workflow: string): Promise<string> {
  await untilUpstream(() => upstream.hooks.size === 1);
  const { url } = await waitUntil(
    () => readTrigger(workflow),
    (trigger) => trigger.url !== undefined,
  );
  return url!;
}

test('refuses what a trigger that receives requests does not have', async () => {
  for (const [more, field] of [
    [{ interval: '5m' }, 'config.interval'],
    [{ maxItems: 5 }, 'config.maxItems'],
    [{ event: 'unknown_event' }, 'config.event'],
    [{ address: 5 }, 'config.address'],
  ] as const) {
    const body = { name: 'Receive', status: 'active', definition: toDefinition(more) };
    const refused = await call('POST', '/workflows', { body });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.text).toContain(field);
  }
});

test('needs a public URL', async () => {
  await service.kill9();
  await start({});
  const body = { name: 'Receive', status: 'active', definition: toDefinition({}) };
  const refused = await call('POST', '/workflows', { body });
  expect(refused.status, refused.text).toBe(400);
  expect(refused.text).toContain('WEFT_PUBLIC_URL');
  expect((await call('POST', '/workflows', { body: { ...body, status: 'draft' } })).status).toBe(201);
  await service.kill9();
  await start();
});

test('registers an address, starts an execution for each item of a request, and removes the address', async () => {
  const workflow = await create({ kind: 'big' });
  const shown = await untilEnabled(workflow);
  const url = onlyHook();
  expect(url).toBe(shown);
  expect([...upstream.hooks.values()][0]?.kind).toBe('big');
  expect(await readTrigger(workflow)).toMatchObject({ type: 'webhook', last_error: null });
  const reply = await send(url, { items: [{ id: 1 }, { id: 2 }, { id: 2 }] }, { 'webhook-id': 'a' });
  expect([reply.status, await reply.json()]).toEqual([200, { received: true }]);
  await waitUntil(
    () => count(workflow),
    (n) => n === 3,
  );
  const [first] = await startedOutputs(workflow);
  expect(first?.item).toMatchObject({ n: 1, sender: 'demo', same: true });
  expect(Date.parse(first!.received_at)).toBeGreaterThan(0);
  // A delivery that the sender repeats starts nothing; what the trigger keeps has changed, so its items
  // differ only if `n` does.
  expect((await send(url, { items: [] })).status).toBe(200);
  expect((await send(url, 'no JSON')).status).toBe(400);
  expect((await send(`${url}x`, {})).status).toBe(404);
  await setStatus(workflow, 'inactive');
  await untilUpstream(() => upstream.hooks.size === 0);
  expect((await send(url, { items: [{ id: 9 }] })).status).toBe(404);
  expect(await count(workflow)).toBe(3);
  // The address of a registration that was removed is used again.
  await setStatus(workflow, 'active');
  await untilUpstream(() => upstream.hooks.size === 1);
  expect(onlyHook()).toBe(url);
  expect(upstream.authorizations).toEqual(new Set(['Bearer token-of-the-demo']));
});

test('a key starts one execution for each value, over several requests', async () => {
  const workflow = await create({ key: 'id' });
  const url = await untilEnabled(workflow);
  for (const ids of [[1, 2], [2, 3], [3]]) await send(url, { items: ids.map((id) => ({ id })) });
  await send(url, { items: [{ id: 4 }] });
  await waitUntil(
    () => startedIds(workflow),
    (ids) => ids.includes(4),
  );
  expect(await startedIds(workflow)).toEqual([1, 2, 3, 4]);
});

test('answers the handshake of a service while it registers', async () => {
  const responses: [number, string, string | null, string | null][] = [];
  upstream.verify = async (url) => {
    const response = await fetch(`${url.replace(`${PUBLIC_URL}/v1`, service.url)}?challenge=abc`);
    const { headers } = response;
    responses.push([
      response.status,
      await response.text(),
      headers.get('x-demo'),
      headers.get('set-cookie'),
    ]);
  };
  const workflow = await create();
  const url = await untilEnabled(workflow);
  await untilUpstream(() => responses.length > 0);
  expect(responses).toEqual([[202, 'abc 6', 'yes', null]]);
  const failed = await fetch(`${url.replace(`${PUBLIC_URL}/v1`, service.url)}?challenge=fail`);
  expect(failed.status).toBe(500);
  // A handshake starts nothing.
  await send(url, { items: [{ id: 1 }] });
  await waitUntil(
    () => count(workflow),
    (n) => n > 0,
  );
  expect(await startedIds(workflow)).toEqual([1]);
});

test('killed at each point: nothing is lost or started twice', async () => {
  // While it registers: the service knows an address that is never used.
  upstream.holds.add('POST hooks');
  const workflow = await create();
  await untilUpstream(() => upstream.held.length === 1);
  const orphan = onlyHook();
  expect((await send(orphan, { items: [{ id: 0 }] })).status).toBe(200);
  await service.kill9();
  upstream.holds.clear();
  await start();
  await untilUpstream(() => upstream.hooks.size === 2);
  const [, second] = [...upstream.hooks.values()];
  const { url } = second!;
  expect(url).not.toBe(orphan);
  expect((await send(orphan, { items: [{ id: 1_000_000 }] })).status).toBe(404);
  // While the trigger processes a request.
  upstream.holds.add('GET ask');
  expect((await send(url, { ask: true, items: [{ id: 1 }] })).status).toBe(200);
  await untilUpstream(() => upstream.held.length === 2);
  const acknowledged = [0, 1];
  const sent = new Set(acknowledged);
  let id = 2;
  const before = await count(workflow);
  for (let n = 0; n < 40; n++, id++) {
    sent.add(id);
    expect((await send(url, { items: [{ id }] })).status).toBe(200);
    acknowledged.push(id);
  }
  await service.kill9();
  expect(before).toBe(1);
  upstream.holds.clear();
  // While executions start, and while requests arrive.
  const reached: number[] = [];
  for (let kill = 0; kill < 4; kill++) {
    await start();
    const former = reached.at(-1) ?? 1;
    const senders = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 15; n++) {
        const mine = id++;
        sent.add(mine);
        const reply = await send(url, { items: [{ id: mine }] }).catch(() => null);
        if (reply?.status === 200) acknowledged.push(mine);
        if (reply === null) return;
      }
    });
    await waitUntil(
      () => count(workflow),
      (n) => n > former,
      30_000,
    );
    await service.kill9();
    await Promise.all(senders);
    await start();
    reached.push(await count(workflow));
    await service.kill9();
  }
  await start();
  const last = id;
  sent.add(last);
  expect((await send(url, { items: [{ id: last }] })).status).toBe(200);
  acknowledged.push(last);
  await waitUntil(
    () => newestId(workflow),
    (one) => one === last,
    60_000,
  );
  const ids = await startedIds(workflow);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((one) => !ids.includes(one))).toEqual([]);
  expect(ids.filter((one) => !sent.has(one))).toEqual([]);
  // The requests are processed in order, and the store counts each of them once.
  const outputs = await startedOutputs(workflow);
  expect(outputs.map(({ item }) => item.n).toSorted((a, b) => a - b)).toEqual(ids.map((_, i) => i + 1));
  // The kills hit requests that were not processed.
  expect(reached.some((n) => n < last)).toBe(true);
  console.log(`webhook trigger: executions after each kill: ${reached.join(', ')} of ${ids.length}`);
}, 240_000);

test('killed while a registration is removed: the removal is repeated', async () => {
  const workflow = await create();
  await untilEnabled(workflow);
  const [id = ''] = upstream.hooks.keys();
  upstream.holds.add('DELETE hooks');
  upstream.statuses['DELETE hooks'] = 503;
  await setStatus(workflow, 'inactive');
  await untilUpstream(() => upstream.requests.includes(`DELETE /hooks/${id}`));
  await service.kill9();
  expect(upstream.hooks.has(id)).toBe(true);
  upstream.statuses = {};
  upstream.holds.clear();
  await start();
  await untilUpstream(() => upstream.hooks.size === 0);
  expect(upstream.requests.filter((one) => one === `DELETE /hooks/${id}`)).toHaveLength(2);
});

test('removes the registration of a trigger that is changed or deleted', async () => {
  const workflow = await create({ kind: 'a' });
  await untilEnabled(workflow);
  const former = onlyHook();
  const changed = await call('PUT', `/workflows/${workflow}`, {
    body: { definition: toDefinition({ kind: 'b' }) },
  });
  expect(changed.status, changed.text).toBe(200);
  await untilUpstream(() => [...upstream.hooks.values()].some(({ kind }) => kind === 'b'));
  await untilUpstream(() => upstream.hooks.size === 1);
  const url = onlyHook();
  expect(url).not.toBe(former);
  expect((await send(former, { items: [{ id: 1 }] })).status).toBe(404);
  expect((await send(url, { items: [{ id: 2 }] })).status).toBe(200);
  await waitUntil(
    () => count(workflow),
    (n) => n === 1,
  );
  expect((await call('DELETE', `/workflows/${workflow}`)).status).toBe(200);
  await untilUpstream(() => upstream.hooks.size === 0);
});

test('an unreachable service delays no deactivation, and the error is shown when the removal is abandoned', async () => {
  const workflow = await create();
  await untilEnabled(workflow);
  const [id = ''] = upstream.hooks.keys();
  upstream.statuses['DELETE hooks'] = 503;
  await setStatus(workflow, 'inactive');
  const given = await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error !== null,
    150_000,
  );
  expect(given.last_error).toContain(
    'The registration at the service could not be removed: The service responded with 503',
  );
  expect(upstream.requests.filter((one) => one === `DELETE /hooks/${id}`)).toHaveLength(5);
  // The service may still send to the former address.
  const former = onlyHook();
  await setStatus(workflow, 'active');
  await untilUpstream(() => upstream.hooks.size === 2);
  expect((await send(former, { items: [{ id: 1 }] })).status).toBe(404);
  await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error === null,
  );
}, 200_000);

test('shows a failure at the trigger, and continues with the same request', async () => {
  upstream.statuses['POST hooks'] = 503;
  const workflow = await create();
  const failed = await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error !== null,
  );
  expect(failed.last_error).toBe('The service responded with 503');
  upstream.statuses = {};
  const url = await untilEnabled(workflow);
  await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error === null,
  );
  upstream.statuses['GET ask'] = 503;
  await send(url, { ask: true, items: [{ id: 1 }] });
  await send(url, { items: [{ id: 2 }] });
  await waitUntil(
    () => readTrigger(workflow),
    ({ last_error: error }) => error !== null,
  );
  expect(await count(workflow)).toBe(0);
  upstream.statuses = {};
  await waitUntil(
    () => count(workflow),
    (n) => n === 2,
    60_000,
  );
  const outputs = await startedOutputs(workflow);
  expect(outputs.map(({ item }) => [item.id, item.n]).toSorted((a, b) => a[0]! - b[0]!)).toEqual([
    [1, 1],
    [2, 2],
  ]);
  const refused = await call('DELETE', '/packs/demo');
  expect(refused.body).toMatchObject({ error: { code: 'CONFLICT' } });
}, 120_000);

test('renews a registration at the times that the pack states', async () => {
  const workflow = await create({ event: 'subscription', authentication: undefined });
  await untilUpstream(() => upstream.requests.filter((one) => one.startsWith('POST /renewals')).length >= 3);
  const { url } = await readTrigger(workflow);
  await send(url!, { id: 5 });
  await waitUntil(
    () => startedIds(workflow),
    (ids) => ids.length === 1,
  );
  await service.kill9();
  upstream.requests.length = 0;
  await start();
  await untilUpstream(() => upstream.requests.some((one) => one.startsWith('POST /renewals')));
  const renewals = upstream.requests.map((one) => Number(one.split('/')[2]));
  // The count continues after the kill; at most the last call is repeated.
  expect(renewals[0]).toBeGreaterThanOrEqual(3);
}, 60_000);
