import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needPostgres } from '../support/servers/postgres-server.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from '../cluster/cluster.ts';
import { startTcpProxy, type TcpProxy } from '../cluster/tcp-proxy.ts';
import { PRIMARY_SETTINGS, startStandby, type Standby } from './standby.ts';

/*
 * Two PostgreSQL servers with synchronous streaming replication. The primary crashes under load, the standby
 * is promoted, and the database's address then leads to the standby.
 */

type Execution = { id: string; status: string; error: unknown };

describe.skipIf(!canScale)('failover to a synchronous standby', () => {
  let cluster: Cluster;
  let standby: Standby;
  let proxy: TcpProxy;
  let upstream: Upstream;
  let api: SpawnedService;
  let call: Call;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([
      startCluster({}, PRIMARY_SETTINGS),
      startUpstream(() => ({ after: 200 })),
    ]);
    standby = await startStandby(needPostgres()!, cluster.postgres);
    proxy = await startTcpProxy(cluster.postgres.port);
    const env = { DATABASE_URL: proxy.through(cluster.databaseUrl) };
    api = await cluster.start('api', env);
    await Promise.all([cluster.start('worker', env), cluster.start('worker', env)]);
    call = await api.login();
  });
  afterAll(async () => {
    await cluster.close();
    await Promise.all([standby.close(), proxy.close(), upstream.close()]);
  });

  test('no acknowledged execution is lost, and none fails', async () => {
    const ask = (id: string) => ({
      id,
      type: 'http_request',
      config: { method: 'POST', url: `${upstream.url}/${id}/{{ execution.id }}` },
    });
    const child = await createActiveWebhook(call, 'child', [ask('child')]);
    const sub = { id: 'sub', type: 'sub_workflow', config: { workflow_id: child } };
    const parent = await createActiveWebhook(call, 'load/:n', [ask('one'), sub, ask('two')], {
      respond: 'immediately',
    });
    const ids = new Map<number, string>();
    let refused = 0;
    let n = 0;
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const own = n++;
        const headers = { 'idempotency-key': `load-${own}` };
        // Like a webhook sender: repeats until it is accepted.
        for (;;) {
          const reply = await api
            .call('POST', `/webhooks/load/${own}`, { body: {}, headers })
            .catch(() => null);
          if (reply?.status === 200) {
            ids.set(own, (reply.body as { execution_id: string }).execution_id);
            break;
          }
          refused++;
          await sleep(100);
        }
        await sleep(50);
      }
    };
    const clients = Array.from({ length: 4 }, client);
    await waitUntil(
      () => Promise.resolve(ids.size),
      (count) => count > 100,
    );
    const before = ids.size;
    const diedAt = performance.now();
    await cluster.postgres.crash();
    await sleep(2_000);
    await standby.promote();
    proxy.retarget(standby.port);
    await waitUntil(
      () => Promise.resolve(ids.size),
      (count) => count > before + 50,
      60_000,
    );
    const away = (performance.now() - diedAt) / 1_000;
    isOver = true;
    await Promise.all(clients);
    const all = await waitUntil(
      () =>
        Promise.all(
          [...ids.values()].map(async (id) => (await call('GET', `/executions/${id}`)).body as Execution),
        ),
      (executions) => executions.every(({ status }) => ['completed', 'failed', 'stopped'].includes(status)),
      60_000,
    );
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([]);
    // Each key has started one execution, and each execution its child.
    const count = async (workflow: string): Promise<number> =>
      (
        (await call('GET', `/executions?workflow_id=${workflow}&limit=1`)).body as {
          pagination: { total: number };
        }
      ).pagination.total;
    expect(new Set(ids.values()).size).toBe(n);
    expect([await count(parent), await count(child)]).toEqual([n, n]);
    const url = cluster.databaseUrl.replace(String(cluster.postgres.port), String(standby.port));
    expect(await cluster.postgres.sql(url, 'SELECT pg_is_in_recovery() AS standby')).toEqual([
      { standby: false },
    ]);
    console.log(
      `failover: ${n} executions, ${before} of them acknowledged before it, ${refused} calls refused; 50 more accepted ${away.toFixed(1)} s after the primary died`,
    );
  });
});
