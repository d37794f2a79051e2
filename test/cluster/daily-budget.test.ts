import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const RUNS = 6;
const TOKENS = 120;
const BUDGET = 20 * TOKENS;

describe.skipIf(!canScale)('the budget of a day with several workers', () => {
  let cluster: Cluster;
  let models: ModelServer;
  let call: Call;
  let workers: SpawnedService[];
  beforeAll(async () => {
    cluster = await startCluster();
    models = await startModelServer(
      () => ({ calls: [{ name: 'look', arguments: {} }], tokens: [TOKENS - 20, 20] }),
      { delay: () => 50 },
    );
    const api = await cluster.start('api');
    workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
    call = await api.login();
  });
  afterAll(async () => {
    await cluster.close();
    await models.close();
  });

  test('is exceeded by at most the call that each run has in flight, and kills count nothing twice', async () => {
    const created = await call('POST', '/workflows', {
      body: {
        name: 'Budget',
        definition: createAgentWorkflow(models, {
          tools: [{ name: 'look' }],
          agent: { maxTurns: 100 },
          limitTo: 'limit',
        }),
        settings: { max_tokens_per_day: BUDGET },
      },
    });
    expect(created.status, created.text).toBe(201);
    const { id: workflow } = created.body as { id: string };
    const ids = await Promise.all(
      Array.from({ length: RUNS }, async () => {
        const started = await call('POST', `/workflows/${workflow}/execute`, {
          body: { input: { message: 'Go' } },
        });
        expect(started.status, started.text).toBe(201);
        return (started.body as { id: string }).id;
      }),
    );
    await waitUntil(
      () => Promise.resolve(models.chats.length),
      (count) => count >= RUNS,
    );
    await workers[0]!.kill9();
    let inputTokens = 0;
    for (const id of ids) {
      const ended = await waitUntil(
        async () =>
          (await call('GET', `/executions/${id}`)).body as {
            status: string;
            output: Record<string, unknown>;
            usage: { input_tokens: number } | null;
          },
        ({ status }) => status === 'completed' || status === 'failed',
        60_000,
      );
      expect(ended).toMatchObject({ status: 'completed', output: { limit: 'tokens_per_day' } });
      inputTokens += ended.usage?.input_tokens ?? 0;
    }
    const { totals } = (await call('GET', `/model-usage?workflow_id=${workflow}`)).body as {
      totals: { input_tokens: number; output_tokens: number };
    };
    const used = totals.input_tokens + totals.output_tokens;
    expect(used).toBeGreaterThanOrEqual(BUDGET);
    // The last call begins below the budget; each other run may have one in flight.
    expect(used).toBeLessThan(BUDGET + RUNS * TOKENS);
    expect(totals.input_tokens).toBe(inputTokens);
  });
});
