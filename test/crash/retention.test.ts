import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { manual, mapNode } from '../api/definitions.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';

const EXPIRED = 600;
const KEPT = 20;
/** Executions of both kinds that also have a content in the file storage. */
const LARGE = 10;
/** Retention starts soon after a start instead of after a minute. */
const EARLY_RETENTION = `data:text/javascript,${encodeURIComponent(
  'const later = globalThis.setTimeout; globalThis.setTimeout = (run, ms, ...more) => later(run, ms === 60000 ? 100 : ms, ...more);',
)}`;

const folder = createTempFolder();
let service: SpawnedService | null = null;

afterEach(async () => {
  await service?.kill9();
  folder.remove();
});

type Page = { pagination: { total: number } };

test('killed repeatedly while retention deletes: other executions are kept, and all totals are exact', async () => {
  const seed = chooseSeed('CRASH_SEED');
  console.log(`retention: CRASH_SEED=${seed}`);
  const random = createSeededRandom(seed).next;
  service = await spawnService({ dataDir: folder.path });
  let call: Call = await service.login();
  const save = async (settings: object): Promise<string> => {
    const definition = {
      nodes: [manual, mapNode('out', 'n', 'n')],
      connections: [{ from: 'start', to: 'out' }],
    };
    const saved = await call('POST', '/workflows', { body: { name: 'W', definition, settings } });
    expect(saved.status, saved.text).toBe(201);
    return (saved.body as { id: string }).id;
  };
  const expired = await save({ retention: '1s' });
  const kept = await save({ retention: '30d' });
  const start = async (workflow: string, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, count - n) }, async (_, i) => {
          const text = n + i < LARGE ? `${workflow} ${n + i} `.repeat(20_000) : 'small';
          const body = { input: { n: text }, wait: '20s' };
          const reply = await call('POST', `/workflows/${workflow}/execute`, { body });
          expect(reply.status, reply.text).toBe(201);
          ids.push((reply.body as { id: string }).id);
        }),
      );
    return ids;
  };
  const contents = (): number =>
    readdirSync(path.join(folder.path, 'files'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  const keptIds = await start(kept, KEPT);
  const keptContents = contents();
  expect(keptContents).toBeGreaterThanOrEqual(LARGE);
  await start(expired, EXPIRED);
  expect(contents()).toBeGreaterThan(keptContents);
  expect(await service.stop()).toBe(0);
  const count = async (query: string): Promise<number> =>
    ((await call('GET', `/executions?${query}limit=1`)).body as Page).pagination.total;

  const totals: number[] = [];
  // Killed a little later each time, until a kill falls between two deletions.
  for (let life = 60; totals.length < 4 || totals.at(-1) === EXPIRED + KEPT; life += 20) {
    service = await spawnService({ dataDir: folder.path, nodeArgs: ['--import', EARLY_RETENTION] });
    await new Promise((resolve) => setTimeout(resolve, life + random() * 20));
    await service.kill9();
    service = await spawnService({ dataDir: folder.path });
    call = await service.login();
    totals.push(await count(''));
    expect(await count(`workflow_id=${kept}&`)).toBe(KEPT);
    await service.kill9();
  }
  service = await spawnService({ dataDir: folder.path, nodeArgs: ['--import', EARLY_RETENTION] });
  call = await service.login();
  await waitUntil(
    () => count(''),
    (n) => n === KEPT,
  );
  expect(totals.some((n) => n > KEPT && n < EXPIRED + KEPT)).toBe(true);
  expect(await count('status=completed&')).toBe(KEPT);
  expect(await count(`workflow_id=${expired}&`)).toBe(0);
  for (const id of keptIds) {
    const { output } = (await call('GET', `/executions/${id}`)).body as { output: { n: string } };
    expect(output.n.length).toBeGreaterThan(4);
  }
  // Contents whose deletion was interrupted are deleted by a later sweep; those of kept executions all exist.
  expect(contents()).toBeGreaterThanOrEqual(keptContents);
  console.log(`retention: executions left after each kill: ${totals.join(', ')}`);
});
