import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { buildEarlier, findEarlierCommit, type EarlierBuild } from '../support/earlier-build.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';

/*
 * An upgrade without downtime: processes of a build with an older schema and of this build work on one
 * PostgreSQL and one Redis, and each takes over what the other one has begun. Skipped without the history of
 * the repository.
 */
const commit = findEarlierCommit();

describe.skipIf(!canScale || commit === null)('two builds side by side', () => {
  let earlier: EarlierBuild;
  let cluster: Cluster;
  let upstream: Upstream;
  beforeAll(async () => {
    earlier = buildEarlier(commit!);
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream(() => ({ after: 150 }))]);
  }, 300_000);
  afterAll(async () => {
    await Promise.all([cluster.close(), upstream.close()]);
    earlier.remove();
  });

  const startEarlier = (role: 'api' | 'worker'): Promise<SpawnedService> =>
    cluster.start(role, {}, [], earlier.program);
  const schema = async (): Promise<number> => {
    const [row] = await cluster.postgres.sql(
      cluster.databaseUrl,
      'SELECT max(number)::int AS n FROM migrations',
    );
    return row!['n'] as number;
  };
  /** Resolves when the upstream has been called ten more times. */
  const untilWorking = async (worker: SpawnedService): Promise<void> => {
    const before = upstream.received.length;
    await waitUntil(
      () => Promise.resolve(upstream.received.length),
      (n) => n > before + 10,
      90_000,
    ).catch((error: unknown) => {
      throw new Error(`The worker does nothing. It has logged: ${worker.logs()}`, { cause: error });
    });
  };

  test('no request and no execution fails, whichever build works on it', { timeout: 300_000 }, async () => {
    const oldApi = await startEarlier('api');
    let oldWorker = await startEarlier('worker');
    const oldSchema = await schema();
    expect(oldSchema).toBeLessThan(migrations.length);
    const call: Call = await oldApi.login();
    const ask = (id: string) => ({
      id,
      type: 'http_request',
      config: { method: 'POST', url: `${upstream.url}/${id}/{{ trigger.params.n }}` },
    });
    const child = await createActiveWebhook(call, 'child', [
      { id: 'done', type: 'set', config: { fields: { done: true } } },
    ]);
    const workflow = await createActiveWebhook(
      call,
      'parent/:n',
      [
        ask('one'),
        { id: 'pause', type: 'delay', config: { duration: '1s' } },
        { id: 'start_child', type: 'sub_workflow', config: { workflow_id: child } },
        ask('two'),
      ],
      { respond: 'immediately' },
    );

    let serving: SpawnedService[] = [oldApi];
    let isOver = false;
    let started = 0;
    const ids: string[] = [];
    const refused: unknown[] = [];
    const client = async (): Promise<void> => {
      while (!isOver) {
        const n = started++;
        const response = await fetch(`${serving[n % serving.length]!.url}/webhooks/parent/${n}`, {
          method: 'POST',
        }).catch((error: unknown) => String(error));
        if (typeof response !== 'string' && response.status === 200)
          ids.push(((await response.json()) as { execution_id: string }).execution_id);
        else refused.push(typeof response === 'string' ? response : await response.text());
        await sleep(300);
      }
    };
    const clients = Array.from({ length: 3 }, client);
    await untilWorking(oldWorker);

    // The new processes migrate the schema while the old ones work.
    let newWorker = await cluster.start('worker');
    expect(await schema()).toBe(migrations.length);
    const newApi = await cluster.start('api');
    serving = [oldApi, newApi];
    await untilWorking(newWorker);
    // Only the new worker is left, with what the old one has begun.
    await oldWorker.kill9();
    const afterOld = ids.length;
    await untilWorking(newWorker);
    // An old process starts on the new schema, and then has what the new one has begun.
    oldWorker = await startEarlier('worker');
    await newWorker.kill9();
    const afterNew = ids.length;
    await untilWorking(oldWorker);
    newWorker = await cluster.start('worker');
    serving = [newApi];
    const codes = await Promise.all([oldApi.stop(), oldWorker.stop()]);
    await untilWorking(newWorker);
    isOver = true;
    await Promise.all(clients);

    expect(codes).toEqual([0, 0]);
    expect(refused).toEqual([]);
    expect([afterOld > 0, afterNew > afterOld, ids.length > afterNew]).toEqual([true, true, true]);
    const show = await newApi.login();
    const total = async (status: string): Promise<number> => {
      const { body } = await show('GET', `/workflows/${workflow}/executions?limit=1&status=${status}`);
      return (body as { pagination: { total: number } }).pagination.total;
    };
    // An execution can change between open statuses while they are counted, but not between final ones.
    const ended = await waitUntil(
      () => Promise.all(['completed', 'failed', 'stopped'].map(total)),
      (counts) => counts.reduce((sum, n) => sum + n, 0) === started,
      120_000,
    );
    expect(ended).toEqual([started, 0, 0]);
    expect(new Set(ids).size).toBe(started);
    const calls = Map.groupBy(upstream.received, ({ path }) => path);
    let repeated = 0;
    for (let n = 0; n < started; n++)
      for (const node of ['one', 'two']) {
        const made = calls.get(`/${node}/${n}`) ?? [];
        expect(made.length, `${node} of ${n}`).toBeGreaterThan(0);
        if (made.length > 1) repeated++;
        expect(new Set(made.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      }
    console.log(
      `two builds, schema ${oldSchema} of ${earlier.commit.slice(0, 8)} and ${migrations.length}: ${ids.length} executions, ${repeated} calls made again`,
    );
  });
});
