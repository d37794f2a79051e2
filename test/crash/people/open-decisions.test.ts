import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { readNumber } from '../../support/seeded-random.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../../support/service.ts';

/** The long form has 10,000. */
const QUESTIONS = readNumber('CRASH_QUESTIONS', 2_000);
const MOST_BYTES = 5 * 1024 * 1024;
const CALL_CONCURRENCY = 16;
/** Starts whose memory is compared; the garbage collector makes each differ. */
const STARTS = 5;

const folder = createTempFolder();
let service: SpawnedService | null = null;

afterEach(async () => {
  await service?.kill9();
  folder.remove();
});

const env = { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' };

/** The resident memory of a start that has loaded everything, in bytes: the median of several starts. */
async function measure(): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    await service?.kill9();
    service = await spawnService({ dataDir: folder.path, env });
    const call = await service.login();
    await call('GET', '/decisions?status=open&limit=1');
    const status = await waitUntil(
      () => Promise.resolve(readFileSync(`/proc/${service!.child.pid}/status`, 'utf8')),
      (text) => text.includes('VmRSS'),
    );
    // Until the start has ended: the lowest of some samples.
    const samples = [readRss(status)];
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      samples.push(readRss(readFileSync(`/proc/${service.child.pid}/status`, 'utf8')));
    }
    found.push(Math.min(...samples.slice(-10)));
  }
  return found.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)]!;
}
const readRss = (status: string): number => Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;

test(`${QUESTIONS} open decisions need less than 5 MiB`, { timeout: 300_000 + QUESTIONS * 60 }, async () => {
  service = await spawnService({ dataDir: folder.path, env });
  const call = await service.login();
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'ask', type: 'approval', config: { title: 'Expense' } },
    ],
    connections: [{ from: 'start', to: 'ask' }],
  };
  const made = await call('POST', '/workflows', { body: { name: 'Ask', definition } });
  const path = `/workflows/${(made.body as { id: string }).id}/execute`;
  // One decision, so that both measurements have loaded the same code.
  await call('POST', path, { body: {} });
  const before = await measure();
  const again = await service.login();
  let asked = 1;
  await Promise.all(
    Array.from({ length: CALL_CONCURRENCY }, async () => {
      while (asked < QUESTIONS) {
        asked++;
        const { status, text } = await again('POST', path, { body: {} });
        expect(status, text).toBe(201);
      }
    }),
  );
  const count = async (): Promise<number> => {
    const { body } = await again('GET', '/decisions?status=open&limit=1');
    return (body as { pagination: { total: number } }).pagination.total;
  };
  await waitUntil(count, (total) => total === QUESTIONS, 60_000 + QUESTIONS * 30);
  const after = await measure();
  const toMib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  console.log(`open decisions: ${toMib(before)} MiB with 1, ${toMib(after)} MiB with ${QUESTIONS}`);
  expect(after - before).toBeLessThan(MOST_BYTES);
});
