import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer, type Reply } from '../support/ai/model-server.ts';
import { useService } from '../support/use-service.ts';

const PRICES = JSON.stringify({ 'openai_compatible/*': { input: 2, output: 10 } });
const service = useService({ WEFT_MODEL_PRICES: PRICES });
/** US dollars of a call of 100 + 20 tokens. */
const COST = 0.0004;

let reply: (turn: number) => Reply;
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((_request, turn) => reply(turn));
  return () => models.close();
});
afterEach(() => {
  models.requests.length = 0;
  models.chats.length = 0;
});

const text: Reply = { text: 'Done.', tokens: [100, 20] };
const look: Reply = { calls: [{ name: 'look', arguments: {} }], tokens: [100, 20] };

async function send(method: string, path: string, body?: object): Promise<Record<string, never>> {
  const response = await service.api(method, path, body === undefined ? {} : { body });
  expect(response.status, response.text).toBeLessThan(300);
  return response.body as Record<string, never>;
}
const create = async (definition: object, settings: object = {}): Promise<string> =>
  (await send('POST', '/workflows', { name: 'Usage', definition, settings }))['id'] as unknown as string;

type Run = {
  status: string;
  output: Record<string, unknown>;
  error: { type: string; message: string; data?: object } | null;
  usage: Record<string, number> | null;
};
async function run(workflow: string): Promise<Run> {
  const { id } = await send('POST', `/workflows/${workflow}/execute`, {
    input: { message: 'x' },
    wait: '20s',
  });
  return (await send('GET', `/executions/${String(id)}`)) as unknown as Run;
}
const usageOf = async (workflow: string, groups = 'day') =>
  (await send('GET', `/model-usage?workflow_id=${workflow}&group_by=${groups}`)) as unknown as {
    groups: Record<string, unknown>[];
    totals: Record<string, number>;
  };
const llm = (config: object = {}) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'chat',
      type: 'llm',
      config: { provider: 'openai_compatible', baseUrl: models.url, model: 'test', prompt: 'x', ...config },
    },
  ],
  connections: [{ from: 'start', to: 'chat' }],
});
const amounts = (calls: number) => ({
  calls,
  unpriced_calls: 0,
  input_tokens: 100 * calls,
  cached_input_tokens: 0,
  output_tokens: 20 * calls,
  reasoning_tokens: 0,
  cost: Number((COST * calls).toFixed(10)),
});

describe('usage of models', () => {
  test('is the sum of the calls, by execution, day, workflow, user and model', async () => {
    reply = (turn) => (turn < 2 ? look : text);
    const workflow = await create(createAgentWorkflow(models, { tools: [{ name: 'look' }] }));
    const first = await run(workflow);
    expect(first.status).toBe('completed');
    expect(first.usage).toEqual(amounts(3));
    await run(workflow);
    const { groups, totals } = await usageOf(workflow, 'day,workflow,user,model');
    expect(totals).toEqual(amounts(6));
    expect(groups).toEqual([
      {
        day: new Date().toISOString().slice(0, 10),
        workflow_id: workflow,
        workflow_name: 'Usage',
        user_id: (await send('GET', '/users/me'))['id'],
        model: 'openai_compatible/test',
        ...amounts(6),
      },
    ]);
    const graphql = await send('POST', '/graphql', {
      query: `{ modelUsage(workflowId: "${workflow}") { totals { calls cost } groups { day model } } }`,
    });
    expect(graphql).toMatchObject({
      data: { modelUsage: { totals: { calls: 6 }, groups: [{ model: null }] } },
    });
  });

  test('includes the repairs of a response and calls of a node that failed', async () => {
    reply = () => ({ text: 'no JSON', tokens: [100, 20] });
    const workflow = await create(llm({ schema: { type: 'object' }, maxRepairs: 2 }));
    const failed = await run(workflow);
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'validation' } });
    expect(failed.usage).toEqual(amounts(3));
    expect((await usageOf(workflow)).totals).toEqual(amounts(3));
  });

  // A sum of the store that is not an integer would fail the commits of others.
  test('of a provider that reports no numbers of tokens is bounded', async () => {
    reply = () => ({ text: 'Done.', tokens: [1.5, 1e300] });
    const workflow = await create(llm());
    expect((await run(workflow)).usage).toMatchObject({
      calls: 1,
      input_tokens: 2,
      output_tokens: 1_000_000_000,
    });
    expect((await usageOf(workflow)).totals).toMatchObject({ calls: 1, output_tokens: 1_000_000_000 });
  });

  test('of a run without calls is null', async () => {
    const workflow = await create({
      nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
      connections: [],
    });
    expect((await run(workflow)).usage).toBe(null);
    expect((await usageOf(workflow)).groups).toEqual([]);
  });

  test('of embeddings counts each call of the provider', async () => {
    const workflow = await create({
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        {
          id: 'embed',
          type: 'embed',
          config: { provider: 'openai_compatible', baseUrl: models.url, model: 'e', texts: ['a', 'b'] },
        },
      ],
      connections: [{ from: 'start', to: 'embed' }],
    });
    expect((await run(workflow)).usage).toMatchObject({ calls: 1, output_tokens: 0 });
    expect((await usageOf(workflow, 'model')).groups).toMatchObject([
      { model: 'openai_compatible/e', calls: 1 },
    ]);
  });
});

describe('prices', () => {
  test('that an administrator stores apply to the next call, and are audited', async () => {
    reply = () => text;
    const workflow = await create(llm({ model: 'priced' }));
    expect((await run(workflow)).usage).toMatchObject({ cost: COST });
    const stored = { model: 'openai_compatible/priced', input: 0, cached_input: null, output: 50_000 };
    await send('PUT', '/model-prices', { prices: [stored] });
    expect((await send('GET', '/model-prices'))['prices']).toEqual([
      { model: 'openai_compatible/*', input: 2, cached_input: null, output: 10, source: 'setting' },
      { ...stored, source: 'stored' },
    ]);
    expect((await run(workflow)).usage).toMatchObject({ cost: 1 });
    expect((await usageOf(workflow)).totals).toMatchObject({ calls: 2, cost: 1.0004 });
    const events = (await send('GET', '/audit-events?action=model_prices.updated'))['audit_events'];
    expect(events).toMatchObject([{ details: { models: ['openai_compatible/priced'] } }]);
    await send('PUT', '/model-prices', { prices: [] });
    expect((await run(workflow)).usage).toMatchObject({ cost: COST });
  });
});

describe('the budget of a day', () => {
  test('ends an agent through limit before the call that would follow, and later runs at once', async () => {
    reply = (turn) => (turn < 9 ? look : text);
    const workflow = await create(
      createAgentWorkflow(models, { tools: [{ name: 'look' }], limitTo: 'limit' }),
      { max_tokens_per_day: 250 },
    );
    const first = await run(workflow);
    expect(first).toMatchObject({ status: 'completed', output: { limit: 'tokens_per_day' } });
    // 120, 240, and the call that begins below the budget.
    expect(first.usage).toEqual(amounts(3));
    const second = await run(workflow);
    expect(second).toMatchObject({ status: 'completed', output: { limit: 'tokens_per_day' }, usage: null });
    expect(models.chats).toHaveLength(3);

    // A larger budget applies at once.
    await send('PUT', `/workflows/${workflow}`, { settings: { max_tokens_per_day: 400 } });
    expect((await run(workflow)).usage).toEqual(amounts(1));
  });

  test('of cost fails a node llm with the type limit, also in the middle of repairs', async () => {
    reply = () => ({ text: 'no JSON', tokens: [100, 20] });
    const workflow = await create(llm({ schema: { type: 'object' }, maxRepairs: 5 }), {
      max_cost_per_day: COST * 1.5,
    });
    const failed = await run(workflow);
    expect(failed.error).toMatchObject({
      type: 'limit',
      data: { limit: 'cost_per_day', budget: COST * 1.5, used: COST * 2 },
    });
    expect(failed.usage).toEqual(amounts(2));
    expect(models.chats).toHaveLength(2);
  });

  test('of another workflow does not apply', async () => {
    reply = () => text;
    const used = await create(llm(), { max_tokens_per_day: 1 });
    await run(used);
    expect((await run(used)).error?.type).toBe('limit');
    expect((await run(await create(llm(), { max_tokens_per_day: 1 }))).status).toBe('completed');
  });

  test.each([
    { max_tokens_per_day: 0 },
    { max_tokens_per_day: 1.5 },
    { max_cost_per_day: 0 },
    { max_cost_per_day: -1 },
    { max_cost_per_day: '5' },
  ])('is refused as %j', async (settings) => {
    const response = await service.api('POST', '/workflows', { body: { name: 'x', settings } });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: { details: { field: `settings.${Object.keys(settings)[0]!}` } },
    });
  });
});
