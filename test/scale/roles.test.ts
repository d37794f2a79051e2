import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until, type Call, type SpawnedService } from '../harness/service.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';
import { canScale, liveWebhook, startCluster, type Cluster } from './cluster.ts';

describe.skipIf(!canScale)('roles', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let api: SpawnedService;
  let other: SpawnedService;
  let worker: SpawnedService;
  let call: Call;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream()]);
    api = await cluster.start('api');
    [worker, other] = await Promise.all([cluster.start('worker'), cluster.start('api')]);
    call = await api.login();
  }, 60_000);
  afterAll(async () => {
    await Promise.all([cluster.close(), upstream.close()]);
  });

  test('a synchronous webhook at one process is answered by what another one ran', async () => {
    await liveWebhook(call, 'sync/:n', [
      {
        id: 'shape',
        type: 'data_transformer',
        config: { operations: [{ action: 'map', input: 'params.n', output: 'n' }] },
      },
      { id: 'ask', type: 'http_request', config: { method: 'GET', url: upstream.url } },
      {
        id: 'last',
        type: 'data_transformer',
        config: { operations: [{ action: 'map', input: 'status', output: 'status' }] },
      },
    ]);
    const one = await api.call('POST', '/webhooks/sync/1', { body: {} });
    expect([one.status, one.body]).toEqual([200, { status: 200 }]);
    // The process that did not make it knows of it, too.
    const two = await other.call('POST', '/webhooks/sync/2', { body: {} });
    expect([two.status, two.body]).toEqual([200, { status: 200 }]);
    expect(upstream.received).toHaveLength(2);
    for (const answer of [one, two]) {
      const id = answer.headers.get('x-weft-execution-id');
      const shown = await call('GET', `/executions/${id}`);
      expect(shown.body).toMatchObject({ status: 'completed' });
    }
  });

  test('a worker has no doors but for health', async () => {
    expect((await worker.call('GET', '/health')).body).toMatchObject({
      status: 'ok',
      checks: { redis: { status: 'ok' }, store: { status: 'ok' } },
    });
    expect((await worker.call('GET', '/health/ready')).status).toBe(200);
    for (const path of ['/workflows', '/docs', '/webhooks/sync/1', '/graphql'])
      expect((await fetch(`${worker.url}${path}`)).status).toBe(404);
  });

  test('an api process runs nothing, and says what it knows', async () => {
    const health = (await api.call('GET', '/health')).body as {
      checks: { engine: { active_executions: number } };
    };
    expect(health.checks.engine.active_executions).toBe(0);
  });
});
