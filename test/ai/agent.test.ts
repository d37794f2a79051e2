import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import {
  startModelServer,
  type ChatRequest,
  type ModelServer,
  type Reply,
} from '../support/ai/model-server.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const PRICES = JSON.stringify({ 'openai_compatible/test': { input: 2, output: 10 } });
const service = useService({ WEFT_MODEL_PRICES: PRICES });

let reply: (request: ChatRequest, turn: number) => Reply;
let toolStatus = 200;
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((request, turn) => reply(request, turn), {
    tool: (name, body) => ({ status: toolStatus, body: { name, got: body } }),
  });
  return () => models.close();
});
afterEach(() => {
  models.requests.length = 0;
  models.chats.length = 0;
  models.toolCalls.length = 0;
  toolStatus = 200;
});

const order = {
  name: 'find_order',
  parameters: {
    type: 'object',
    required: ['number'],
    properties: { number: { type: 'string' } },
    additionalProperties: false,
  },
};
const refund = {
  name: 'refund',
  parameters: {
    type: 'object',
    required: ['number', 'amount'],
    properties: { number: { type: 'string' }, amount: { type: 'number' } },
  },
};

type Run = {
  id: string;
  status: string;
  output: Record<string, unknown>;
  error: { type: string; message: string } | null;
  nodes: { path: string; status: string; input: unknown; output: unknown }[];
};

async function create(definition: object): Promise<string> {
  const created = await service.api('POST', '/workflows', { body: { name: 'Agent', definition } });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

async function run(definition: object, message = 'Order A-17 arrived broken'): Promise<Run> {
  const id = await create(definition);
  const started = await service.api('POST', `/workflows/${id}/execute`, {
    body: { input: { message }, wait: '20s' },
  });
  expect(started.status, started.text).toBeLessThan(300);
  return read((started.body as { id: string }).id);
}

async function read(id: string): Promise<Run> {
  return (await service.api('GET', `/executions/${id}`)).body as Run;
}

const outputOf = ({ nodes }: Run): Record<string, unknown> =>
  nodes.find(({ path }) => path === 'agent')!.output as Record<string, unknown>;

const roles = ({ messages }: ChatRequest): string[] => messages.map(({ role }) => role);
const lastResults = ({ messages }: ChatRequest): unknown[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1).map(({ content }) => {
    return JSON.parse(content ?? 'null') as unknown;
  });

test('calls tools until the model responds, and each turn and each call is a node run', async () => {
  reply = (_request, turn) =>
    turn === 0
      ? {
          calls: [
            { name: 'find_order', arguments: { number: 'A-17' } },
            { name: 'find_order', arguments: { number: 'A-18' } },
          ],
        }
      : turn === 1
        ? { calls: [{ name: 'refund', arguments: { number: 'A-17', amount: 15 } }] }
        : { text: 'Done.' };
  const done = await run(
    createAgentWorkflow(models, {
      tools: [order, refund],
      agent: { instructions: 'You are a support agent.' },
    }),
  );
  expect(done.status, JSON.stringify(done.error)).toBe('completed');
  expect(outputOf(done)).toEqual({
    text: 'Done.',
    finish_reason: 'stop',
    turns: 3,
    tool_calls: 3,
    failed_tool_calls: 0,
    usage: { input_tokens: 30, cached_input_tokens: 0, output_tokens: 15, reasoning_tokens: 0 },
    // 30 × 2 + 15 × 10 US dollars for a million tokens.
    cost: 0.00021,
    model: 'test',
  });
  expect(models.chats.map(roles)).toEqual([
    ['system', 'user'],
    ['system', 'user', 'assistant', 'tool', 'tool'],
    ['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'tool'],
  ]);
  expect(models.toolCalls).toEqual(
    expect.arrayContaining([
      { name: 'find_order', body: { number: 'A-17' } },
      { name: 'find_order', body: { number: 'A-18' } },
      { name: 'refund', body: { number: 'A-17', amount: 15 } },
    ]),
  );
  expect(done.nodes.map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual(
    [
      'start completed',
      'agent completed',
      'agent[0]/chat completed',
      'agent[0.0]/find_order completed',
      'agent[0.1]/find_order completed',
      'agent[1]/chat completed',
      'agent[1.0]/refund completed',
      'agent[2]/chat completed',
    ].toSorted(),
  );
  // Every request has a key of its own.
  expect(new Set(models.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(6);
});

test('arguments that do not fit, unknown tools and failing tools are results for the model', async () => {
  toolStatus = 500;
  reply = (_request, turn) =>
    turn === 0
      ? {
          calls: [
            { name: 'find_order', arguments: '{"number": ' },
            { name: 'find_order', arguments: {} },
            { name: 'find_order', arguments: '' },
            { name: 'cancel_order', arguments: {} },
            { name: 'find_order', arguments: { number: 'A-17' } },
          ],
        }
      : { text: 'I could not find it.' };
  const done = await run(createAgentWorkflow(models, { tools: [order] }));
  expect(done.status, JSON.stringify(done.error)).toBe('completed');
  expect(outputOf(done)).toMatchObject({ turns: 2, tool_calls: 5, failed_tool_calls: 5 });
  expect(models.toolCalls).toHaveLength(1);
  expect(lastResults(models.chats[1]!)).toEqual([
    { error: 'The arguments are not valid JSON.' },
    { error: expect.stringMatching(/number.*required/) as string },
    { error: expect.stringMatching(/number.*required/) as string },
    { error: 'There is no tool cancel_order. The tools are: find_order.' },
    { error: expect.stringContaining('The tool failed with server_error') as string },
  ]);
});

describe.each([
  ['no parameters', undefined],
  ['an empty schema', {}],
])('a tool with %s', (_name, parameters) => {
  const tool = { name: 'list_orders', ...(parameters === undefined ? {} : { parameters }) };
  const written = ['{}', '', 'null', ' {} '];

  test.each([false, true])(
    'runs, whichever way the model writes no arguments; stream: %s',
    async (stream) => {
      reply = (_request, turn) =>
        turn === 0
          ? { calls: written.map((text) => ({ name: 'list_orders', arguments: text })) }
          : { text: 'Done.' };
      const done = await run(createAgentWorkflow(models, { tools: [tool], llm: { stream } }));
      expect(done.status, JSON.stringify(done.error)).toBe('completed');
      expect(outputOf(done)).toMatchObject({ tool_calls: written.length, failed_tool_calls: 0 });
      expect(models.toolCalls).toEqual(written.map(() => ({ name: 'list_orders', body: {} })));
      // OpenAI refuses a schema without these fields.
      expect(models.chats[0]?.tools?.[0]?.function.parameters).toMatchObject({
        type: 'object',
        properties: {},
      });
    },
  );

  test('that is another workflow or a node without fields for the model', async () => {
    const child = await create({
      nodes: [manual, { id: 'list', type: 'set', config: { fields: { given: '{{ input }}' } } }],
      connections: [{ from: manual.id, to: 'list' }],
    });
    reply = (_request, turn) =>
      turn === 0
        ? { calls: written.map((text) => ({ name: 'list_orders', arguments: text })) }
        : turn === 1
          ? { calls: written.map((text) => ({ name: 'read_time', arguments: text })) }
          : { text: 'Done.' };
    const definition = createAgentWorkflow(models, { tools: [tool, { ...tool, name: 'read_time' }] });
    const nodes = definition.nodes.map((node) =>
      node.id === 'list_orders'
        ? { ...node, type: 'sub_workflow', config: { workflow_id: child } }
        : node.id === 'read_time'
          ? { ...node, type: 'set', config: { fields: { time: 'noon' } } }
          : node,
    );
    const done = await run({ ...definition, nodes });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(outputOf(done)).toMatchObject({ tool_calls: 2 * written.length, failed_tool_calls: 0 });
    expect(lastResults(models.chats[1]!)).toEqual(
      written.map(() => expect.objectContaining({ given: {} }) as object),
    );
  });
});

test('a tool without parameters refuses arguments, and one with an empty schema accepts any', async () => {
  reply = (_request, turn) =>
    turn === 0
      ? { calls: ['strict', 'loose'].map((name) => ({ name, arguments: { number: 'A-17' } })) }
      : { text: 'Done.' };
  const tools = [{ name: 'strict' }, { name: 'loose', parameters: {} }];
  const done = await run(createAgentWorkflow(models, { tools }));
  expect(done.status, JSON.stringify(done.error)).toBe('completed');
  expect(models.toolCalls).toEqual([{ name: 'loose', body: { number: 'A-17' } }]);
  expect(lastResults(models.chats[1]!)[0]).toEqual({
    error: expect.stringContaining('number') as string,
  });
});

test.each([false, true])(
  'arguments that a server sends as a value instead of a text; stream: %s',
  async (stream) => {
    reply = (_request, turn) =>
      turn === 0
        ? {
            calls: [
              { name: 'find_order', arguments: { number: 'A-17' }, isValue: true },
              { name: 'list_orders', arguments: null, isValue: true },
              { name: 'list_orders', arguments: undefined, isValue: true },
              { name: 'find_order', arguments: ['A-17'], isValue: true },
            ],
          }
        : { text: 'Done.' };
    const done = await run(
      createAgentWorkflow(models, { tools: [order, { name: 'list_orders' }], llm: { stream } }),
    );
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(models.toolCalls.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'find_order', body: { number: 'A-17' } },
      { name: 'list_orders', body: {} },
      { name: 'list_orders', body: {} },
    ]);
    expect(lastResults(models.chats[1]!)[3]).toEqual({ error: expect.stringContaining('object') as string });
  },
);

describe('approval', () => {
  const asking = { ...refund, approval: { when: { field: 'amount', operator: 'greater_than', value: 20 } } };
  const ask = {
    title: 'Refund {{ item.amount }}?',
    fields: [{ name: 'amount', label: 'Amount', type: 'number', default: '{{ item.amount }}' }],
  };
  const workflow = () => createAgentWorkflow(models, { tools: [asking], approval: ask });

  async function startAndDecide(amount: number, decide: object): Promise<Run> {
    reply = (_request, turn) =>
      turn === 0 ? { calls: [{ name: 'refund', arguments: { number: 'A-17', amount } }] } : { text: 'Done.' };
    const id = await create(workflow());
    const started = await service.api('POST', `/workflows/${id}/execute`, {
      body: { input: { message: 'x' } },
    });
    const execution = (started.body as { id: string }).id;
    const [decision] = await waitUntil(
      async () =>
        (
          (await service.api('GET', '/decisions?status=open&view=owned')).body as {
            decisions: { id: string }[];
          }
        ).decisions,
      (found) => found.length === 1,
    );
    // Nothing runs before the response.
    expect(models.toolCalls).toEqual([]);
    const decided = await service.api('POST', `/decisions/${decision!.id}/respond`, { body: decide });
    expect(decided.status, decided.text).toBe(200);
    return waitUntil(
      () => read(execution),
      ({ status }) => status !== 'running' && status !== 'waiting' && status !== 'pending',
    );
  }

  test('a call within the condition runs at once', async () => {
    reply = (_request, turn) =>
      turn === 0 ? { calls: [{ name: 'refund', arguments: { number: 'A', amount: 20 } }] } : { text: 'ok' };
    const done = await run(workflow());
    expect(done.status).toBe('completed');
    expect(models.toolCalls).toHaveLength(1);
  });

  test('an approved call runs with the arguments that a person changed', async () => {
    const done = await startAndDecide(100, { choice: 'approved', values: { amount: 30 } });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(models.toolCalls).toEqual([{ name: 'refund', body: { number: 'A-17', amount: 30 } }]);
    expect(lastResults(models.chats[1]!)).toEqual([
      expect.objectContaining({ approved_arguments: { number: 'A-17', amount: 30 } }),
    ]);
  });

  test('a call does not run when the deadline of its approval passes', async () => {
    reply = (_request, turn) =>
      turn === 0 ? { calls: [{ name: 'refund', arguments: { number: 'A', amount: 21 } }] } : { text: 'ok' };
    const approval = { ...ask, deadline: '1s' };
    const done = await run(createAgentWorkflow(models, { tools: [asking], approval }));
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(models.toolCalls).toEqual([]);
    expect(lastResults(models.chats[1]!)).toEqual([
      { error: expect.stringContaining('not approved: No decision was made within 1s') as string },
    ]);
  });

  test('an approval that cannot be asked for fails the agent', async () => {
    reply = () => ({ calls: [{ name: 'refund', arguments: { number: 'A', amount: 21 } }] });
    const approval = { title: 'x', assignees: ['{{ item.number }}'] };
    const done = await run(createAgentWorkflow(models, { tools: [asking], approval }));
    expect(done.error).toMatchObject({ type: 'validation' });
    expect(done.error?.message).toContain('assignees');
  });

  test('a rejected call does not run, and the model gets the reason', async () => {
    const done = await startAndDecide(100, { choice: 'rejected', comment: 'Too much.' });
    expect(done.status).toBe('completed');
    expect(outputOf(done)).toMatchObject({ text: 'Done.', failed_tool_calls: 1 });
    expect(models.toolCalls).toEqual([]);
    expect(lastResults(models.chats[1]!)).toEqual([
      { error: 'A person refused the call: Too much. Do not repeat it unchanged.' },
    ]);
  });
});

describe('limits', () => {
  const forever = (): Reply => ({ calls: [{ name: 'find_order', arguments: { number: 'A' } }] });

  test.each([
    ['turns', { maxTurns: 3 }, 3],
    // 15 tokens and 0.00007 US dollars a call.
    ['tokens', { maxTokens: 50 }, 4],
    ['cost', { maxCost: 0.0002 }, 3],
  ])('%s: no call begins after it, and the port limit has what was reached', async (limit, agent, calls) => {
    reply = forever;
    const done = await run(createAgentWorkflow(models, { tools: [order], agent, limitTo: 'reached' }));
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    const limited = done.nodes.find(({ path }) => path === 'limited')!.output as Record<string, unknown[]>;
    expect(limited['reached']).toBe(limit);
    expect(models.chats).toHaveLength(calls);
    expect(models.toolCalls).toHaveLength(calls - 1);
    expect(limited['messages']).toHaveLength(1 + 2 * (calls - 1) + 1);
  });

  test('the calls of a model in a tool count', async () => {
    reply = ({ messages }) =>
      messages.some(({ content }) => content === 'A hard question')
        ? { text: 'An opinion' }
        : { calls: [{ name: 'ask_expert', arguments: {} }] };
    const tools = [{ name: 'ask_expert', description: 'Asks an expert.', nodes: ['expert'] }];
    const { nodes, connections } = createAgentWorkflow(models, {
      tools: [],
      agent: { tools, maxTokens: 50 },
      limitTo: 'reached',
    });
    const expert = {
      provider: 'openai_compatible',
      baseUrl: models.url,
      model: 'test',
      prompt: 'A hard question',
    };
    const done = await run({ nodes: [...nodes, { id: 'expert', type: 'llm', config: expert }], connections });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.nodes.find(({ path }) => path === 'limited')!.output).toMatchObject({ reached: 'tokens' });
    // Two turns and two calls of the tool, with 15 tokens each.
    expect(models.chats).toHaveLength(4);
    expect(outputOf(done)).toMatchObject({ turns: 2, usage: { input_tokens: 40, output_tokens: 20 } });
  });

  test('without a connection, the agent fails with limit', async () => {
    reply = forever;
    const done = await run(createAgentWorkflow(models, { tools: [order], agent: { maxTurns: 2 } }));
    expect(done.status).toBe('failed');
    expect(done.error).toMatchObject({ type: 'limit' });
    expect(done.error?.message).toContain('turns');
  });

  test('a duration ends it between calls', async () => {
    reply = forever;
    const slow = await startModelServer(() => forever(), { delay: () => 150 });
    try {
      const agent = { maxDuration: '500ms', maxTurns: 1_000 };
      const done = await run(createAgentWorkflow(slow, { tools: [order], agent, limitTo: 'reached' }));
      const limited = done.nodes.find(({ path }) => path === 'limited')!.output as Record<string, unknown>;
      expect(limited['reached']).toBe('duration');
      expect(slow.chats.length).toBeLessThan(5);
    } finally {
      await slow.close();
    }
  });

  test('a maximum cost without a price is refused after the first call', async () => {
    reply = forever;
    const done = await run(
      createAgentWorkflow(models, { tools: [order], agent: { maxCost: 1 }, llm: { model: 'unpriced' } }),
    );
    expect(done.status).toBe('failed');
    expect(done.error?.message).toContain('WEFT_MODEL_PRICES');
    expect(models.chats).toHaveLength(1);
  });
});

describe('structured output', () => {
  const schema = { type: 'object', required: ['refunded'], properties: { refunded: { type: 'boolean' } } };

  test('a response that does not match is repaired in a turn of its own', async () => {
    reply = (_request, turn) => ({ text: turn === 0 ? '{"refunded": "yes"}' : '{"refunded": true}' });
    const done = await run(createAgentWorkflow(models, { tools: [], agent: { schema } }));
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(outputOf(done)).toMatchObject({ output: { refunded: true }, turns: 2 });
    expect(models.chats[1]?.messages.at(-1)?.content).toMatch(/refunded must be (?:a )?boolean/);
    expect(models.chats[0]?.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('fails with validation after the last repair', async () => {
    reply = () => ({ text: 'I do not know.' });
    const done = await run(createAgentWorkflow(models, { tools: [], agent: { schema, maxRepairs: 1 } }));
    expect(done.error).toMatchObject({ type: 'validation' });
    expect(models.chats).toHaveLength(2);
  });
});

test('a call of a tool that was not offered does not match a schema', async () => {
  reply = () => ({ calls: [{ name: 'find_order', arguments: {} }] });
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } };
  const config = { provider: 'openai_compatible', baseUrl: models.url, model: 'x', prompt: 'x', schema };
  const done = await run({
    nodes: [manual, { id: 'n', type: 'llm', config: { ...config, maxRepairs: 1 } }],
    connections: [{ from: manual.id, to: 'n' }],
  });
  expect(done.error).toMatchObject({ type: 'validation' });
  expect(models.chats).toHaveLength(2);
});

test('text of a model is never a template', async () => {
  const text = '{{ secrets.KEY }} {{ input.message }}';
  reply = (_request, turn) =>
    turn === 0 ? { text, calls: [{ name: 'find_order', arguments: { number: text } }] } : { text };
  const done = await run(createAgentWorkflow(models, { tools: [order] }));
  expect(outputOf(done)['text']).toBe(text);
  expect(models.toolCalls[0]?.body).toEqual({ number: text });
});

test('the example of the documentation is a workflow whose only issue is the missing secret', async () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/agents.md'), 'utf8');
  const [, json] = /```json\n([^]*?)```/.exec(page) ?? [];
  const created = await service.api('POST', '/workflows', { body: JSON.parse(json ?? '') as object });
  expect(created.status, created.text).toBe(201);
  expect((created.body as { issues: { issue: string }[] }).issues).toEqual([
    expect.objectContaining({ issue: 'needs the secret ANTHROPIC, which is not set' }),
  ]);
});

test('a failing model fails the agent with its error', async () => {
  reply = () => ({ status: 401, text: 'Invalid API key' });
  const done = await run(createAgentWorkflow(models, { tools: [order] }));
  expect(done.status).toBe('failed');
  expect(done.error?.message).toContain('Invalid API key');
});
