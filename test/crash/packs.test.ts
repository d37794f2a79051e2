import { afterEach, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import { createDocumentText } from '../support/openapi/petstore.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const folder = createTempFolder();
let upstream: Upstream | null = null;
let service: SpawnedService | null = null;
afterEach(async () => {
  await service?.kill9();
  await upstream?.close();
  folder.remove();
});

test('a pack outlives a kill; an operation in flight runs again with the same key', async () => {
  let seen = 0;
  upstream = await startUpstream(() => ({ body: { ok: true }, ...(++seen > 1 ? {} : { after: 120_000 }) }));
  const { url, received } = upstream;
  service = await spawnService({ dataDir: folder.path });
  const first = await service.login();
  const installed = await first('POST', '/packs', { body: { document: createDocumentText(url) } });
  expect(installed.status, installed.text).toBe(201);
  const config = { operation: 'pets/create', body: { name: 'Rex' } };
  const definition = {
    nodes: [manual, { id: 'create', type: 'openapi.pet_store', config }],
    connections: [{ from: 'start', to: 'create' }],
  };
  const made = await first('POST', '/workflows', { body: { name: 'W', definition } });
  const { id } = made.body as { id: string };
  const began = await first('POST', `/workflows/${id}/execute`, { body: {} });
  await waitUntil(
    () => Promise.resolve(received.length),
    (n) => n === 1,
  );
  await service.kill9();

  service = await spawnService({ dataDir: folder.path });
  const second = await service.login();
  const path = `/executions/${(began.body as { id: string }).id}`;
  const ended = await waitUntil(
    async () => (await second('GET', path)).body as { status: string; output: unknown },
    ({ status }) => status === 'completed',
    20_000,
  );
  expect(ended.output).toMatchObject({ status: 200, body: { ok: true } });
  expect(received).toHaveLength(2);
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toBeTypeOf('string');
  expect(keys[1]).toBe(keys[0]);
  expect((await second('GET', '/packs')).body).toMatchObject({ packs: [{ name: 'pet_store' }] });
});
