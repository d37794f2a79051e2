import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';

const LIMIT = 3;
const EXECUTIONS = 60;
const KILLS = 4;
/** ms that a call takes. */
const CALL_MS = 250;

type Page = { pagination: { total: number } };

describe.skipIf(!canScale)('max_concurrency', () => {
  let cluster: Cluster;
  let server: Server;
  let url: string;
  let call: Call;
  let api: SpawnedService;
  let workers: SpawnedService[];
  /** Calls that are open at the upstream now, the most that were, and all that came. */
  let open = 0;
  let most = 0;
  let taken = 0;
  beforeAll(async () => {
    cluster = await startCluster();
    server = createServer((_request, response) => {
      open++;
      taken++;
      most = Math.max(most, open);
      response.once('close', () => open--);
      setTimeout(() => response.end('{}'), CALL_MS);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    api = await cluster.start('api');
    workers = await Promise.all([cluster.start('worker'), cluster.start('worker'), cluster.start('worker')]);
    call = await api.login();
  });
  afterAll(async () => {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  });

  test('is never exceeded while workers are killed, and no slot is lost', async () => {
    const seed = chooseSeed('CRASH_SEED');
    console.log(`max_concurrency: CRASH_SEED=${seed}`);
    const random = createSeededRandom(seed);
    await createActiveWebhook(
      call,
      'limited',
      [{ id: 'ask', type: 'http_request', config: { method: 'POST', url } }],
      { respond: 'immediately', settings: { max_concurrency: LIMIT } },
    );
    const begin = async (count: number): Promise<void> => {
      const replies = await Promise.all(
        Array.from({ length: count }, () => api.call('POST', '/webhooks/limited', { body: {} })),
      );
      expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    };
    const count = async (status: string): Promise<number> =>
      ((await call('GET', `/executions?status=${status}&limit=1`)).body as Page).pagination.total;
    for (let kill = 0; kill < KILLS; kill++) {
      // There is work for every kill, however long a new worker takes to start.
      await begin(EXECUTIONS / KILLS);
      const before = taken;
      await waitUntil(
        () => Promise.resolve(taken - before),
        (n) => n >= LIMIT,
      );
      await new Promise((resolve) => setTimeout(resolve, random.next() * CALL_MS));
      const [victim] = workers.splice(Math.floor(random.next() * workers.length), 1);
      await victim!.kill9();
      workers.push(await cluster.start('worker'));
    }
    await waitUntil(
      () => count('completed'),
      (n) => n === EXECUTIONS,
      90_000,
    );
    expect(most).toBe(LIMIT);
    // A killed process has cut off calls: they were made again.
    expect(taken).toBeGreaterThan(EXECUTIONS);
    const made = taken;
    // All slots are free again.
    most = 0;
    await begin(12);
    await waitUntil(
      () => count('completed'),
      (n) => n === EXECUTIONS + 12,
      30_000,
    );
    expect(most).toBe(LIMIT);
    console.log(
      `max_concurrency ${LIMIT}: ${EXECUTIONS} executions over ${KILLS} kills, ${made} calls, never more than ${LIMIT} at once`,
    );
  });
});
