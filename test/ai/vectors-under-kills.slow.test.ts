import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * kill -9 at random moments while an execution stores many documents. Afterwards, each document is stored
 * once, with all of its fields. CRASH_KILLS=40 is the long version.
 */
const KILLS = readNumber('CRASH_KILLS', 3);
const BATCHES = 30;
const BATCH = 100;

const seed = chooseSeed('CRASH_SEED');
const random = createSeededRandom(seed).next;
const folder = createTempFolder();
let service: SpawnedService;
let call: Call;

async function start(): Promise<void> {
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
}
beforeAll(start);
afterAll(async () => {
  await service.kill9();
  folder.remove();
});

const documents = (batch: number) =>
  Array.from({ length: BATCH }, (_, i) => ({
    key: `${batch}/${i}`,
    text: `Document ${i} of ${batch}`,
    source: `batch-${batch}`,
    metadata: { batch, even: i % 2 === 0 },
  }));
const embeddings = (batch: number) =>
  Array.from({ length: BATCH }, (_, i) => [batch + 1, i + 1, ...Array.from({ length: 62 }, () => 1)]);

const storing = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    { id: 'each', type: 'for_each', config: { items: '{{ input.batches }}', nodes: ['store'] } },
    {
      id: 'store',
      type: 'vector_store',
      config: {
        operation: 'upsert',
        collection: 'docs',
        model: 'm',
        documents: '{{ item.documents }}',
        embeddings: '{{ item.embeddings }}',
      },
    },
  ],
  connections: [{ from: 'start', to: 'each' }],
};
const counting = {
  nodes: [
    storing.nodes[0],
    {
      id: 'delete',
      type: 'vector_store',
      config: {
        operation: 'delete',
        collection: 'docs',
        filter: [
          { field: 'batch', operator: 'greater_or_equal', value: 0 },
          { field: 'even', operator: 'equals', value: true },
        ],
      },
    },
  ],
  connections: [{ from: 'start', to: 'delete' }],
};

async function create(name: string, definition: object): Promise<string> {
  const created = await call('POST', '/workflows', { body: { name, definition } });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

test(`${BATCHES * BATCH} documents with ${KILLS} kills`, { timeout: 420_000 }, async () => {
  const workflow = await create('Store', storing);
  const batches = Array.from({ length: BATCHES }, (_, i) => ({
    documents: documents(i),
    embeddings: embeddings(i),
  }));
  const started = await call('POST', `/workflows/${workflow}/execute`, { body: { input: { batches } } });
  const { id } = started.body as { id: string };
  const readStatus = async () => ((await call('GET', `/executions/${id}`)).body as { status: string }).status;
  let inFlight = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, random() * 250));
    if (!['completed', 'failed'].includes(await readStatus())) inFlight++;
    await service.kill9();
    await start();
  }
  expect(await waitUntil(readStatus, (status) => ['completed', 'failed'].includes(status), 120_000)).toBe(
    'completed',
  );
  console.log(`vectors: seed ${seed}, ${inFlight} of ${KILLS} kills while documents were stored`);
  expect(inFlight).toBeGreaterThan(0);
  const { body } = await call('GET', '/vector-collections/docs');
  expect(body).toMatchObject({ documents: BATCHES * BATCH, dimensions: 64 });
  // Every second document has its fields, and each document is there once.
  const count = await create('Count', counting);
  const removed = await call('POST', `/workflows/${count}/execute`, { body: { wait: '30s' } });
  expect((removed.body as { output: unknown }).output).toEqual({ deleted: (BATCHES * BATCH) / 2 });
});
