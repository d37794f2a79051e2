import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  adminEmail,
  adminPassword,
  caller,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';

/*
 * Failures between processes. Each test shows that its failure happened, then that nothing acknowledged was
 * lost by it. With SCALE=long a worker is frozen that runs 1,000 executions altogether, and Redis is away for
 * 30 s.
 */
const isLong = process.env['SCALE'] === 'long';
/** Times that a worker is frozen, and executions that it runs each time. */
const FREEZES = isLong ? 10 : 1;
const FROZEN = isLong ? 100 : 40;
/** s that Redis is away. */
const AWAY = isLong ? 30 : 1;

type Execution = { id: string; status: string; end_time: string };

/** Calls that the upstream got, by what they were asked for. */
const byPath = (received: readonly ReceivedRequest[]): Map<string, ReceivedRequest[]> =>
  Map.groupBy(received, (request) => request.path);

describe.skipIf(!canScale)('failures between processes', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let api: SpawnedService;
  let call: Call;
  /** ms that the upstream takes for a call to /slow. */
  let slowness = 0;
  /** What calls to /slow wait for instead. */
  let held: Promise<void> | null = null;
  const workers: SpawnedService[] = [];
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([
      startCluster(),
      startUpstream((request) => {
        const isSlow = request.path.startsWith('/slow');
        return {
          body: { path: request.path },
          after: isSlow ? slowness : 0,
          ...(isSlow && held !== null && { held }),
        };
      }),
    ]);
    api = await cluster.start('api');
    workers.push(...(await Promise.all([cluster.start('worker'), cluster.start('worker')])));
    call = await api.login();
    await createActiveWebhook(
      call,
      'two-steps/:n',
      [
        {
          id: 'first',
          type: 'http_request',
          config: { method: 'POST', url: `${upstream.url}/first/{{ trigger.params.n }}` },
        },
        {
          id: 'second',
          type: 'http_request',
          config: { method: 'POST', url: `${upstream.url}/slow/{{ trigger.params.n }}` },
        },
      ],
      { respond: 'immediately' },
    );
  });
  afterAll(async () => {
    await Promise.all([cluster.close(), upstream.close()]);
  });
  // A test that fails must not make the next ones fail.
  beforeEach(async () => {
    slowness = 0;
    held = null;
    while (workers.length < 2) workers.push(await cluster.start('worker'));
    for (const { child } of workers) child.kill('SIGCONT');
  });

  async function begin(from: number, count: number): Promise<string[]> {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        api.call('POST', `/webhooks/two-steps/${from + i}`, { body: {} }),
      ),
    );
    expect(responses.map((response) => response.status).filter((status) => status !== 200)).toEqual([]);
    return responses.map((response) => (response.body as { execution_id: string }).execution_id);
  }
  async function ended(ids: readonly string[], ms: number): Promise<Execution[]> {
    return waitUntil(
      () => Promise.all(ids.map(async (id) => (await call('GET', `/executions/${id}`)).body as Execution)),
      (all) => all.every(({ status }) => ['completed', 'failed', 'stopped'].includes(status)),
      ms,
    );
  }
  const reached = (what: string, from: number, count: number): number =>
    new Set(
      upstream.received
        .map(({ path }) => /^\/(\w+)\/(\d+)$/.exec(path))
        .filter((found) => found?.[1] === what && Number(found[2]) >= from && Number(found[2]) < from + count)
        .map((found) => found![2]),
    ).size;

  test('after a kill of a worker with 100 executions, others resume them, and no completed node runs again', async () => {
    slowness = 60_000;
    const victim = workers.shift()!;
    const survivor = workers[0]!;
    // All to one worker: the other one is stopped for as long.
    survivor.child.kill('SIGSTOP');
    const ids = await begin(0, 100);
    await waitUntil(
      async () => reached('slow', 0, 100),
      (n) => n === 100,
      20_000,
    );
    slowness = 0;
    survivor.child.kill('SIGCONT');
    await victim.kill9();
    const diedAt = Date.now();
    const before = byPath(upstream.received);
    const all = await ended(ids, 30_000);
    const ends = all.map(({ end_time: end }) => Date.parse(end) - diedAt);
    const [first, last] = [Math.min(...ends) / 1000, Math.max(...ends) / 1000];
    console.log(
      `a killed worker's 100 executions ended ${first.toFixed(1)} to ${last.toFixed(1)} s after its death`,
    );
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
    // The lease of 8 s has ended and another worker has taken over. How long 100 executions take depends on
    // the machine.
    expect(first).toBeLessThan(15);
    const calls = byPath(upstream.received);
    for (let n = 0; n < 100; n++) {
      expect(before.get(`/slow/${n}`)).toHaveLength(1);
      expect(calls.get(`/first/${n}`), `first ${n}`).toHaveLength(1);
      const again = calls.get(`/slow/${n}`)!;
      expect(again).toHaveLength(2);
      // The same call, so that the other side can tell.
      expect(again[1]!.headers['idempotency-key']).toBe(again[0]!.headers['idempotency-key']);
    }
  });

  test('a worker that was suspended past its lease writes nothing after it resumes', async () => {
    for (let round = 0; round < FREEZES; round++) await freeze(1_000 + round * FROZEN);
    console.log(`a worker frozen past its lease: ${FREEZES * FROZEN} late ends, 0 accepted`);
  }, 400_000);

  async function freeze(from: number): Promise<void> {
    const responses = Promise.withResolvers<void>();
    held = responses.promise;
    const [frozen, other] = workers as [SpawnedService, SpawnedService];
    other.child.kill('SIGSTOP');
    const ids = await begin(from, FROZEN);
    await waitUntil(
      async () => reached('slow', from, FROZEN),
      (n) => n === FROZEN,
      20_000,
    );
    frozen.child.kill('SIGSTOP');
    held = null;
    responses.resolve();
    other.child.kill('SIGCONT');
    const all = await ended(ids, 60_000);
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
    const states = (): Promise<unknown> =>
      cluster.postgres.sql(
        cluster.databaseUrl,
        `SELECT e.id, e.status, e.fence, e.next_seq, e.end_time, (SELECT count(*) FROM journal j WHERE j.execution = e.number) AS rows
         FROM executions e WHERE e.id = ANY($1) ORDER BY e.id`,
        [ids],
      );
    const before = await states();
    // Claimed, and taken over.
    for (const { fence } of before as { fence: unknown }[]) expect(Number(fence)).toBeGreaterThanOrEqual(3);
    const admin = { email: adminEmail, password: adminPassword };
    const login = (await api.call('POST', '/auth/login', { body: admin })).body as { token: string };
    const atFrozen = caller(frozen.url, { authorization: `Bearer ${login.token}` });
    const atWork = async (): Promise<number> =>
      ((await atFrozen('GET', '/health')).body as { checks: { engine: { active_executions: number } } })
        .checks.engine.active_executions;
    // All its calls were answered while it stood still: it has as many ends to write, and all are refused.
    frozen.child.kill('SIGCONT');
    await waitUntil(atWork, (active) => active === 0, 30_000);
    expect(await states()).toEqual(before);
  }

  test.each([
    ['is flushed', async () => void (await cluster.redis.command('FLUSHALL'))],
    [
      'is restarted, and has forgotten all',
      async () => {
        await cluster.redis.stop();
        await cluster.redis.start();
      },
    ],
    [
      'has no memory left for writes',
      async () => {
        await cluster.redis.command('CONFIG', 'SET', 'maxmemory', '1');
        await expect(cluster.redis.command('SET', 'key', 'value')).rejects.toThrow('OOM');
        const ids = await begin(8_000, 5);
        expect((await ended(ids, 20_000)).every(({ status }) => status === 'completed')).toBe(true);
        await sleep(AWAY * 1_000);
        await cluster.redis.command('CONFIG', 'SET', 'maxmemory', '0');
      },
    ],
    [
      'is away',
      async () => {
        await cluster.redis.stop();
        await waitUntil(
          async () =>
            ((await api.call('GET', '/health')).body as { checks: { redis: { status: string } } }).checks
              .redis.status,
          (status) => status === 'failed',
        );
        // While it is away, what is accepted is accepted, and runs.
        const ids = await begin(9_000, 5);
        expect((await ended(ids, 20_000)).every(({ status }) => status === 'completed')).toBe(true);
        await sleep(AWAY * 1_000);
        await cluster.redis.start();
      },
    ],
  ])(
    'Redis %s: all that was accepted ends',
    async (what, break_) => {
      slowness = 300;
      const from = what.length * 100_000;
      const ids: string[] = [];
      let broken = false;
      const brokenAt = performance.now();
      const breaking = (async () => {
        await sleep(300);
        await break_().finally(() => (broken = true));
      })();
      // It is awaited below.
      breaking.catch(() => {});
      // As long as it is broken, too.
      let begun = 0;
      for (; begun < 120 || !broken; begun += 10) {
        ids.push(...(await begin(from + begun, 10)));
        await sleep(50);
      }
      await breaking;
      const brokenFor = performance.now() - brokenAt;
      ids.push(...(await begin(from + begun, 10)));
      begun += 10;
      const all = await ended(ids, 30_000);
      expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
      const calls = byPath(upstream.received);
      for (let i = 0; i < begun; i++) {
        expect(calls.get(`/first/${from + i}`), `first ${from + i}`).toHaveLength(1);
        expect(calls.get(`/slow/${from + i}`), `slow ${from + i}`).toHaveLength(1);
      }
      console.log(
        `Redis ${what}: ${begun} executions begun within ${(brokenFor / 1000).toFixed(1)} s, all ended once`,
      );
      await waitUntil(
        async () => ((await api.call('GET', '/health')).body as { status: string }).status,
        (status) => status === 'ok',
      );
    },
    180_000,
  );
});
