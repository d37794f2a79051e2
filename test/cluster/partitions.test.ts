import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/*
 * One of two workers loses its way to PostgreSQL or to Redis for longer than a lease lasts. Everything that
 * is accepted completes, and what the worker sends late changes nothing. SCALE=long: 30 s each.
 */
const PARTITION_MS = process.env['SCALE'] === 'long' ? 30_000 : 10_000;

type Execution = { id: string; status: string; error: unknown };

describe.skipIf(!canScale)('a network partition of one worker', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let database: TcpProxy;
  let redis: TcpProxy;
  let api: SpawnedService;
  let other: SpawnedService;
  let call: Call;
  let started = 0;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream(() => ({ after: 300 }))]);
    database = await startTcpProxy(cluster.postgres.port);
    redis = await startTcpProxy(cluster.redis.port);
    const apart = {
      DATABASE_URL: database.through(cluster.databaseUrl),
      REDIS_URL: redis.through(cluster.redis.url),
    };
    api = await cluster.start('api');
    // The older worker is the leader.
    const partitioned = await cluster.start('worker', apart);
    other = await cluster.start('worker');
    expect(partitioned.child.exitCode).toBeNull();
    call = await api.login();
    const ask = (id: string) => ({
      id,
      type: 'http_request',
      config: { method: 'POST', url: `${upstream.url}/${id}/{{ trigger.params.n }}` },
    });
    await createActiveWebhook(call, 'steps/:n', [ask('one'), ask('two'), ask('three')], {
      respond: 'immediately',
    });
  });
  afterAll(async () => {
    await cluster.close();
    await Promise.all([upstream.close(), database.close(), redis.close()]);
  });

  async function begin(count: number): Promise<string[]> {
    const responses = await Promise.all(
      Array.from({ length: count }, () => api.call('POST', `/webhooks/steps/${started++}`, { body: {} })),
    );
    expect(responses.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    return responses.map(({ body }) => (body as { execution_id: string }).execution_id);
  }
  const showAll = (ids: readonly string[]): Promise<Execution[]> =>
    Promise.all(ids.map(async (id) => (await call('GET', `/executions/${id}`)).body as Execution));

  test.each<[string, () => TcpProxy, (proxy: TcpProxy) => void]>([
    ['PostgreSQL: nothing passes, and all of it arrives later', () => database, (proxy) => proxy.stall()],
    ['PostgreSQL: answers are lost', () => database, (proxy) => proxy.drop('toClient')],
    ['PostgreSQL: requests are lost', () => database, (proxy) => proxy.drop('toServer')],
    ['Redis: nothing passes, and all of it arrives later', () => redis, (proxy) => proxy.stall()],
    ['Redis: answers are lost', () => redis, (proxy) => proxy.drop('toClient')],
    ['Redis: requests are lost', () => redis, (proxy) => proxy.drop('toServer')],
  ])('%s', async (what, getProxy, partition) => {
    const proxy = getProxy();
    const first = started;
    const ids = await begin(40);
    // Both workers are in the middle of their work.
    await waitUntil(
      () => Promise.resolve(upstream.received.some(({ path }) => path === `/two/${first}`)),
      (isCalled) => isCalled,
    );
    const affected = proxy.affectedBytes;
    partition(proxy);
    const until_ = performance.now() + PARTITION_MS;
    while (performance.now() < until_) {
      ids.push(...(await begin(4)));
      await sleep(200);
    }
    expect(proxy.affectedBytes).toBeGreaterThan(affected);
    proxy.heal();
    const healedAt = performance.now();
    ids.push(...(await begin(20)));
    const all = await waitUntil(
      () => showAll(ids),
      (executions) => executions.every(({ status }) => ['completed', 'failed', 'stopped'].includes(status)),
      60_000,
    );
    const took = (performance.now() - healedAt) / 1_000;
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
    // The other worker has taken over the executions of this one, and the ids that the queue gave to it.
    expect(took).toBeLessThan(15);
    const calls = Map.groupBy(upstream.received, ({ path }) => path);
    let repeated = 0;
    for (let n = first; n < started; n++)
      for (const node of ['one', 'two', 'three']) {
        const made = calls.get(`/${node}/${n}`) ?? [];
        expect(made.length, `${node} of ${n}`).toBeGreaterThan(0);
        if (made.length > 1) repeated++;
        // The upstream can tell a repeated call.
        expect(new Set(made.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      }
    // The partitioned worker works again, by new connections if need be.
    other.child.kill('SIGSTOP');
    const later = await begin(5);
    await waitUntil(
      () => showAll(later),
      (executions) => executions.every(({ status }) => status === 'completed'),
      60_000,
    ).finally(() => other.child.kill('SIGCONT'));
    console.log(
      `${what}: ${ids.length} executions, ${repeated} calls made again, all ended ${took.toFixed(1)} s after it was over`,
    );
  });
});
