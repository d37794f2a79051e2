import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';

const folder = createTempFolder();
let service: SpawnedService | null = null;
let upstream: Server | null = null;

afterEach(async () => {
  await service?.kill9();
  upstream?.closeAllConnections();
  upstream?.close();
  folder.remove();
});

const ITEMS = 400;
const PAGE_SIZE = 100;

/** The keys of the started executions. */
async function startedKeys(call: Call, workflow: string): Promise<string[]> {
  const keys: string[] = [];
  for (let page = 1; ; page++) {
    const reply = await call('GET', `/workflows/${workflow}/executions?limit=${PAGE_SIZE}&page=${page}`);
    const { executions } = reply.body as { executions: { id: string }[] };
    const details = executions.map(async ({ id }) => (await call('GET', `/executions/${id}`)).body);
    for (const one of await Promise.all(details)) keys.push((one as { output: { key: string } }).output.key);
    if (executions.length < PAGE_SIZE) return keys;
  }
}

test(
  'killed repeatedly while it starts executions for polled items: each item starts once',
  // Four starts of the service.
  async () => {
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    let polls = 0;
    let came: () => void = () => {};
    const items = Array.from({ length: ITEMS }, (_, id) => ({ id }));
    upstream = createServer((_request, response) => {
      polls += 1;
      came();
      response.setHeader('etag', '"all"');
      response.end(JSON.stringify(items));
    });
    await new Promise<void>((resolve) => upstream!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    const poll = {
      triggerType: 'polling',
      url,
      interval: '1s',
      key: 'id',
      first: 'take',
      maxItems: 1_000,
    };
    service = await spawnService({ dataDir: folder.path });
    let call = await service.login();
    const body = {
      name: 'Poll',
      status: 'active',
      definition: { nodes: [{ id: 'poll', type: 'trigger', config: poll }], connections: [] },
    };
    const begun = new Promise<void>((resolve) => (came = resolve));
    const created = await call('POST', '/workflows', { body });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body as { id: string };
    const path = `/workflows/${id}/executions?limit=1`;
    const count = async (): Promise<number> =>
      ((await call('GET', path)).body as { pagination: { total: number } }).pagination.total;

    const reached: number[] = [];
    await begun;
    for (let kill = 0; kill < 3; kill++) {
      await new Promise((resolve) => setTimeout(resolve, random() * 30));
      await service.kill9();
      const again = new Promise<void>((resolve) => (came = resolve));
      service = await spawnService({ dataDir: folder.path });
      call = await service.login();
      reached.push(await count());
      await again;
    }
    await waitUntil(count, (n) => n === ITEMS, 20_000);
    const before = polls;
    await waitUntil(
      () => Promise.resolve(polls),
      (n) => n >= before + 2,
    );
    const keys = await startedKeys(call, id);
    expect(keys).toHaveLength(ITEMS);
    expect(new Set(keys).size).toBe(ITEMS);
    console.log(`polling: executions on disk after each kill: ${reached.join(', ')}`);
  },
);
