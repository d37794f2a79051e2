import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

/** ms for a lease of 8 s to end and another worker to become the leader, on a busy machine. */
const TAKEOVER_TIMEOUT_MS = 60_000;

describe.skipIf(!canScale)('a worker that lost the leadership and becomes the leader again', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let call: Call;
  let first: SpawnedService;
  let second: SpawnedService;
  beforeAll(async () => {
    let items = 0;
    // Each request finds one new item.
    [cluster, upstream] = await Promise.all([
      startCluster(),
      startUpstream(() => ({ body: [{ id: ++items }] })),
    ]);
    const api = await cluster.start('api');
    call = await api.login();
    first = await cluster.start('worker');
    second = await cluster.start('worker');
  });
  afterAll(async () => {
    await Promise.all([cluster.close(), upstream.close()]);
  });

  async function activate(name: string, config: object): Promise<string> {
    const definition = { nodes: [{ id: 'start', type: 'trigger', config }], connections: [] };
    const { status, text, body } = await call('POST', '/workflows', {
      body: { name, definition, status: 'active' },
    });
    expect(status, text).toBe(201);
    return (body as { id: string }).id;
  }
  const count = async (workflow: string): Promise<number> => {
    const { body } = await call('GET', `/workflows/${workflow}/executions?limit=1`);
    return (body as { pagination: { total: number } }).pagination.total;
  };

  test('runs schedules, polling triggers and event triggers as before', async () => {
    const schedule = await activate('schedule', { triggerType: 'schedule', interval: '1s' });
    const workflows = [
      schedule,
      await activate('polling', {
        triggerType: 'polling',
        url: upstream.url,
        key: 'id',
        interval: '1s',
        first: 'take',
      }),
      await activate('event', { triggerType: 'event', workflow_id: schedule }),
    ];
    /** Waits until each trigger has started two more executions. */
    const expectProgress = async (): Promise<void> => {
      const before = await Promise.all(workflows.map(count));
      await waitUntil(
        () => Promise.all(workflows.map(count)),
        (now) => now.every((found, i) => found >= before[i]! + 2),
        TAKEOVER_TIMEOUT_MS,
      );
    };
    const countLeases = async (): Promise<number> => {
      const sql = 'SELECT id FROM workers WHERE lease_until > extract(epoch FROM now()) * 1000';
      return (await cluster.postgres.sql(cluster.databaseUrl, sql, [])).length;
    };
    await expectProgress();
    const leases = await countLeases();
    first.child.kill('SIGSTOP');
    await waitUntil(countLeases, (found) => found === leases - 1, TAKEOVER_TIMEOUT_MS);
    await expectProgress();
    first.child.kill('SIGCONT');
    await waitUntil(countLeases, (found) => found === leases, TAKEOVER_TIMEOUT_MS);
    await second.kill9();
    await expectProgress();
  }, 300_000);
});
