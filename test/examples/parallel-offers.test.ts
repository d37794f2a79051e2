import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, type SpawnedService, createTempFolder } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { readExample } from './example.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let carriers: Upstream;
let overloaded = 0;

beforeAll(async () => {
  carriers = await startUpstream(({ path }) => {
    if (path === '/cheap' && overloaded > 0) {
      overloaded--;
      return { status: 503 };
    }
    return { body: { price: path === '/fast' ? 9.5 : 4 } };
  });
  weft = await spawnService({ dataDir: folder.path });
});
afterAll(async () => {
  await weft.stop();
  await carriers.close();
  folder.remove();
});

test('calls both, retries the overloaded one, and compares', async () => {
  const api = await weft.login();
  await api('PUT', '/secrets/CARRIERS_URL', { body: { value: carriers.url } });
  const { id } = (await api('POST', '/workflows', { body: readExample('parallel-offers') })).body as { id: string };
  overloaded = 2;
  const run = await api('POST', `/workflows/${id}/execute`, { body: { input: { order: 'A-1', weight: 2.5 }, wait: '20s' } });
  expect(run.body, run.text).toMatchObject({ status: 'completed', output: { fast: 9.5, cheap: 4, best: 'cheap', order: 'A-1' } });
  expect(carriers.received.filter(({ path }) => path === '/cheap').length).toBe(3);
  expect(carriers.received.filter(({ path }) => path === '/fast').length).toBe(1);
  expect(carriers.received.every(({ body }) => (body as { weight: number }).weight === 2.5)).toBe(true);
  const detail = (await api('GET', `/executions/${(run.body as { id: string }).id}`)).body as { nodes: { node_id: string; attempt: number }[] };
  expect(detail.nodes.find((node) => node.node_id === 'ask_cheap')?.attempt).toBe(3);

  const wrong = await api('POST', `/workflows/${id}/execute`, { body: { input: { order: 'A-1', weight: 0 }, wait: '20s' } });
  expect(wrong.body).toMatchObject({ status: 'failed', error: { type: 'validation', node_id: 'check' } });
});
