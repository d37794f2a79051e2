import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import { readNumber } from '../../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/*
 * Agents that wait for approvals, killed while they wait and while people respond. CRASH_AGENTS=10000 is the
 * long version.
 */
const AGENTS = readNumber('CRASH_AGENTS', 300);
const CONCURRENCY = 50;
const MAX_MEMORY_MIB = 100;

const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let call: Call;

beforeAll(async () => {
  models = await startModelServer(({ messages }, turn) =>
    turn === 0 ? { calls: [{ name: 'pay', arguments: { run: messages[0]?.content } }] } : { text: 'Paid.' },
  );
  await start();
});
afterAll(async () => {
  await service.kill9();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  service = await spawnService({
    dataDir: folder.path,
    env: { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  call = await service.login();
}

async function runInBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += CONCURRENCY)
    await Promise.all(all.slice(i, i + CONCURRENCY).map(work));
}

type Decision = { id: string };
async function readOpen(): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await call('GET', `/decisions?status=open&view=owned&limit=100&page=${page}`);
    const { decisions } = body as { decisions: Decision[] };
    ids.push(...decisions.map(({ id }) => id));
    if (decisions.length < 100) return ids;
  }
}
async function countOpen(): Promise<number> {
  const { body } = await call('GET', '/decisions?status=open&view=owned&limit=1');
  return (body as { pagination: { total: number } }).pagination.total;
}
/** KiB of memory that the process occupies. */
const readMemory = (): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.child.pid)]).toString());

test(
  `${AGENTS} agents wait for an approval, and each pays once after two kills`,
  { timeout: 120_000 + AGENTS * 200 },
  async () => {
    const pay = {
      name: 'pay',
      parameters: { type: 'object', required: ['run'], properties: { run: { type: 'string' } } },
      approval: { required: true },
    };
    const definition = createAgentWorkflow(models, {
      tools: [pay],
      approval: { title: 'Pay {{ item.run }}?' },
    });
    const created = await call('POST', '/workflows', { body: { name: 'Agents', definition } });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body as { id: string };
    const before = readMemory();
    const runs = Array.from({ length: AGENTS }, (_, i) => `run-${i}`);
    await runInBatches(runs, async (message) => {
      const started = await call('POST', `/workflows/${id}/execute`, { body: { input: { message } } });
      expect(started.status, started.text).toBe(201);
    });
    await waitUntil(countOpen, (open) => open === AGENTS, 60_000 + AGENTS * 60);
    const waiting = readMemory();
    await service.kill9();
    await start();
    const decisions = await readOpen();
    const resumed = readMemory();
    expect(decisions).toHaveLength(AGENTS);
    expect(models.requests.filter(({ kind }) => kind === 'tool')).toEqual([]);

    const respond = async (decision: string): Promise<void> => {
      const response = await call('POST', `/decisions/${decision}/respond`, { body: { choice: 'approved' } });
      expect(response.status, response.text).toBe(200);
    };
    const half = decisions.slice(0, AGENTS / 2);
    await runInBatches(half, respond);
    await service.kill9();
    await start();
    await runInBatches(decisions.slice(half.length), respond);

    await waitUntil(
      async () => {
        const { body } = await call('GET', `/workflows/${id}/executions?status=completed&limit=1`);
        return (body as { pagination: { total: number } }).pagination.total;
      },
      (ended) => ended === AGENTS,
      60_000 + AGENTS * 60,
    );
    const paid = models.requests.filter(({ kind }) => kind === 'tool');
    const perRun = new Map<string, Set<string>>();
    for (const { key, idempotencyKey } of paid)
      perRun.set(key, (perRun.get(key) ?? new Set()).add(idempotencyKey));
    console.log(
      `approvals of agents: ${AGENTS} agents, ${paid.length} calls, ` +
        `${Math.round(before / 1_024)} MiB before, ${Math.round(waiting / 1_024)} MiB after all had begun to wait, ` +
        `${Math.round(resumed / 1_024)} MiB in a new process`,
    );
    expect((resumed - before) / 1_024).toBeLessThan(MAX_MEMORY_MIB);
    expect(perRun.size).toBe(AGENTS);
    // A call that the second kill interrupted is repeated with its key.
    for (const keys of perRun.values()) expect(keys.size).toBe(1);
    expect(paid.length - AGENTS).toBeLessThanOrEqual(CONCURRENCY * 2);
  },
);
