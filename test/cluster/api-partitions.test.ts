import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/*
 * One of two API processes loses its way to PostgreSQL, to Redis or to both, and finds it again. What it has
 * acknowledged completes; what it has not acknowledged can be sent again with the same key, and runs once.
 * SCALE=long: 40 s each.
 */
const PARTITION_MS = process.env['SCALE'] === 'long' ? 40_000 : 10_000;
/** A request gets a response within this time (ms) after the partition has ended, on a busy machine too. */
const MAX_ANSWER_MS = 60_000;
/** What a client may get from the process. */
const EXPECTED = ['accepted', 'STORAGE_UNAVAILABLE', 'no response'];

type Execution = { id: string; status: string; error: unknown };
/** `outcome`: `accepted`, the code of an error, or `no response` when the connection ended without one. */
type Sent = { n: number; outcome: string; id: string | null };

describe.skipIf(!canScale)('a network partition of one API process', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let database: TcpProxy;
  let redis: TcpProxy;
  let partitioned: SpawnedService;
  let other: SpawnedService;
  let call: Call;
  let workflow: string;
  let started = 0;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream(() => ({ after: 100 }))]);
    database = await startTcpProxy(cluster.postgres.port);
    redis = await startTcpProxy(cluster.redis.port);
    other = await cluster.start('api');
    partitioned = await cluster.start('api', {
      DATABASE_URL: database.through(cluster.databaseUrl),
      REDIS_URL: redis.through(cluster.redis.url),
    });
    await cluster.start('worker');
    call = await other.login();
    const ask = (id: string) => ({
      id,
      type: 'http_request',
      config: { method: 'POST', url: `${upstream.url}/${id}/{{ trigger.params.n }}` },
    });
    workflow = await createActiveWebhook(call, 'steps/:n', [ask('one'), ask('two')], {
      respond: 'immediately',
    });
  });
  afterAll(async () => {
    await cluster.close();
    await Promise.all([upstream.close(), database.close(), redis.close()]);
  });

  async function send(to: SpawnedService, n: number): Promise<Sent> {
    try {
      const { status, body } = await to.call('POST', `/webhooks/steps/${n}`, {
        body: { n },
        headers: { 'idempotency-key': `key-${n}` },
      });
      if (status === 200)
        return { n, outcome: 'accepted', id: (body as { execution_id: string }).execution_id };
      return { n, outcome: (body as { error: { code: string } }).error.code, id: null };
    } catch (error) {
      // `fetch` without a response; anything else is a defect of the response.
      if (!(error instanceof TypeError)) throw error;
      return { n, outcome: 'no response', id: null };
    }
  }
  const showAll = (ids: readonly string[]): Promise<Execution[]> =>
    Promise.all(ids.map(async (id) => (await call('GET', `/executions/${id}`)).body as Execution));

  test.each<[string, () => TcpProxy[], (proxy: TcpProxy) => void]>([
    ['PostgreSQL: nothing passes, and all of it arrives later', () => [database], (proxy) => proxy.stall()],
    ['PostgreSQL: answers are lost', () => [database], (proxy) => proxy.drop('toClient')],
    ['PostgreSQL: connections are refused', () => [database], (proxy) => proxy.cut()],
    ['Redis: nothing passes, and all of it arrives later', () => [redis], (proxy) => proxy.stall()],
    ['Redis: answers are lost', () => [redis], (proxy) => proxy.drop('toClient')],
    ['Redis: connections are refused', () => [redis], (proxy) => proxy.cut()],
    ['both: nothing passes', () => [database, redis], (proxy) => proxy.drop('toClient', 'toServer')],
    ['both: connections are refused', () => [database, redis], (proxy) => proxy.cut()],
  ])('%s', async (what, getProxies, partition) => {
    const proxies = getProxies();
    const first = started;
    const sending: Promise<Sent>[] = [];
    const elsewhere: Promise<Sent>[] = [];
    for (let i = 0; i < 20; i++) sending.push(send(partitioned, started++));
    // Some are answered before the partition, and some are on their way.
    await sending[0];
    for (const proxy of proxies) partition(proxy);
    const end = performance.now() + PARTITION_MS;
    while (performance.now() < end) {
      for (let i = 0; i < 2; i++) sending.push(send(partitioned, started++));
      elsewhere.push(send(other, started++));
      await sleep(250);
    }
    for (const proxy of proxies) proxy.heal();
    const healedAt = performance.now();
    const sent = await Promise.all(sending);
    expect(performance.now() - healedAt).toBeLessThan(MAX_ANSWER_MS);
    // The other API process serves all along.
    const served = await Promise.all(elsewhere);
    expect(served.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);

    // The process takes part again, and knows what it has acknowledged: each request again has one execution.
    await waitUntil(
      () => partitioned.call('GET', '/health/ready'),
      ({ status }) => status === 200,
      MAX_ANSWER_MS,
    );
    const outcomes = Map.groupBy(sent, ({ outcome }) => outcome);
    const acknowledged = outcomes.get('accepted') ?? [];
    expect([...outcomes.keys()].filter((one) => !EXPECTED.includes(one))).toEqual([]);
    const again = await Promise.all(sent.map(({ n }) => send(partitioned, n)));
    expect(again.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
    const idByNumber = new Map(again.map(({ n, id }) => [n, id]));
    expect(acknowledged.filter(({ n, id }) => idByNumber.get(n) !== id)).toEqual([]);

    const ids = [...again, ...served].map(({ id }) => id!);
    const all = await waitUntil(
      () => showAll(ids),
      (executions) => executions.every(({ status }) => ['completed', 'failed', 'stopped'].includes(status)),
      MAX_ANSWER_MS,
    );
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
    const list = await call('GET', `/workflows/${workflow}/executions?limit=1`);
    expect((list.body as { pagination: { total: number } }).pagination.total).toBe(started);
    const calls = Map.groupBy(upstream.received, ({ path }) => path);
    for (let n = first; n < started; n++)
      for (const node of ['one', 'two']) {
        const keys = new Set(
          (calls.get(`/${node}/${n}`) ?? []).map(({ headers }) => headers['idempotency-key']),
        );
        expect(keys.size, `${node} of ${n}`).toBe(1);
      }
    console.log(
      `${what}: ${JSON.stringify([...outcomes].map(([outcome, { length }]) => [outcome, length]))}; all ${ids.length} completed ${((performance.now() - healedAt) / 1_000).toFixed(1)} s after it was over`,
    );
  });
});
