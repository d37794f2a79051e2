import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import { createDocumentText } from '../support/openapi/petstore.ts';
import type { Call, SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

describe.skipIf(!canScale)('packs', () => {
  let cluster: Cluster;
  let upstream: Upstream;
  let other: SpawnedService;
  let call: Call;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([
      startCluster(),
      startUpstream(({ path, method }) => ({ body: { path, method } })),
    ]);
    const api = await cluster.start('api');
    [other] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    call = await api.login();
  });
  afterAll(() => Promise.all([cluster.close(), upstream.close()]));

  test('processes that run already know of a pack that another one installs or removes', async () => {
    const there = await other.login();
    for (const version of ['1.0.0', '2.0.0']) {
      const document = createDocumentText(`${upstream.url}/${version}`, version);
      const installed = await call('POST', '/packs', { body: { document } });
      expect(installed.status, installed.text).toBe(201);
      expect((await there('GET', '/nodes/openapi.pet_store')).body).toMatchObject({ version });
      const definition = {
        nodes: [
          manual,
          { id: 'get', type: 'openapi.pet_store', config: { operation: 'pets/get', id: 'a b' } },
        ],
        connections: [{ from: 'start', to: 'get' }],
      };
      const made = await there('POST', '/workflows', { body: { name: version, definition } });
      const { id } = made.body as { id: string };
      // A worker runs it.
      const ended = await there('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
      expect(ended.body).toMatchObject({
        status: 'completed',
        output: { body: { method: 'GET', path: `/${version}/pets/a%20b` } },
      });
      expect((await there('DELETE', `/workflows/${id}`)).status).toBe(200);
    }
    expect((await call('DELETE', '/packs/pet_store')).status).toBe(200);
    expect((await there('GET', '/nodes/openapi.pet_store')).status).toBe(404);
    expect((await there('GET', '/packs')).body).toMatchObject({ packs: [] });
  });
});
