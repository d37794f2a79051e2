import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, createActiveWebhook, startCluster, type Cluster } from './cluster.ts';

describe.skipIf(!canScale)('a rolling restart under load', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let apis: SpawnedService[];
  let workers: SpawnedService[];
  let call: Call;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([startCluster(), startUpstream(() => ({ after: 60 }))]);
    apis = [await cluster.start('api')];
    const [second, ...rest] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    apis.push(second);
    workers = rest;
    call = await apis[0]!.login();
  });
  afterAll(async () => {
    await Promise.all([cluster.close(), upstream.close()]);
  });

  test('no request fails at the processes that stay, and no execution fails', async () => {
    await createActiveWebhook(call, 'load', [
      { id: 'ask', type: 'http_request', config: { method: 'POST', url: upstream.url } },
    ]);
    /** Whom a balancer would send to: those that are ready. */
    let serving = [...apis];
    let isOver = false;
    const statuses = new Map<number | string, number>();
    let turn = 0;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const at = serving[turn++ % serving.length]!;
        const what = await at.call('POST', '/webhooks/load', { body: {} }).then(
          ({ status }) => status,
          (error: unknown) => String(error),
        );
        statuses.set(what, (statuses.get(what) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    const codes: (number | null)[] = [];
    const replace = async (role: 'api' | 'worker'): Promise<void> => {
      const old = (role === 'api' ? apis : workers).shift()!;
      const next = await cluster.start(role);
      if (role === 'api') {
        apis.push(next);
        // The balancer is changed first; the old process responds to its open requests.
        serving = serving.filter((one) => one !== old).concat(next);
      } else workers.push(next);
      codes.push(await old.stop());
    };
    // Two rounds replace all processes: each replaces a worker and an API process.
    for (let round = 0; round < 2; round++) await Promise.all([replace('worker'), replace('api')]);
    isOver = true;
    await Promise.all(clients);
    console.log(`a rolling restart of four processes: answers by status ${JSON.stringify([...statuses])}`);
    expect(codes).toEqual([0, 0, 0, 0]);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(50);
    call = await apis[0]!.login();
    type Page = { pagination: { total: number } };
    const total = async (query: string): Promise<number> =>
      ((await call('GET', `/executions?${query}`)).body as Page).pagination.total;
    await waitUntil(
      () => total('status=completed'),
      (n) => n === statuses.get(200),
    );
    for (const status of ['failed', 'queued', 'running', 'waiting'])
      expect(await total(`status=${status}`)).toBe(0);
  });
});
