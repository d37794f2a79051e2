import { LLMock } from '@copilotkit/aimock';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startModelServer } from '../support/ai/model-server.ts';
import { useService } from '../support/use-service.ts';

/*
 * The protocols of the providers, spoken by a server of another author. The service is a process of its own.
 */

const KEY = 'key-of-the-provider-17';
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];
const service = useService();
let mock: LLMock;
beforeAll(async () => {
  mock = new LLMock({ port: 0, auth: { apiKeys: [KEY] } });
  await mock.start();
  return () => mock.stop();
});
beforeEach(() => {
  mock.reset();
  mock.clearFixtures();
});

const order = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object', required: ['number'], properties: { number: { type: 'string' } } },
};

const providers = [
  { provider: 'openai', base: '/v1', path: '/v1/responses', header: 'authorization' },
  { provider: 'anthropic', base: '/v1', path: '/v1/messages', header: 'x-api-key' },
  {
    provider: 'google',
    base: '/v1beta',
    path: '/v1beta/models/gemini-test:generateContent',
    header: 'x-goog-api-key',
  },
  {
    provider: 'openai_compatible',
    base: '/v1',
    path: '/v1/chat/completions',
    header: 'authorization',
  },
] as const;

type Failure = { type: string; message: string; retryable: boolean; data?: unknown };
type Run = {
  status: string;
  output: Record<string, unknown>;
  error: Failure | null;
  nodes: { path: string; output: Record<string, unknown>; attempt: number }[];
};

async function run(nodes: object[], input: object): Promise<Run> {
  const definition = {
    nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }, ...nodes],
    connections: [{ from: 'start', to: 'n' }],
  };
  const created = await service.api('POST', '/workflows', { body: { name: 'Model', definition } });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const started = await service.api('POST', `/workflows/${id}/execute`, { body: { input, wait: '20s' } });
  expect(started.status, started.text).toBe(201);
  return (await service.api('GET', `/executions/${(started.body as { id: string }).id}`)).body as Run;
}

const cases = providers.flatMap((one) => [
  { ...one, stream: false },
  { ...one, stream: true, path: one.path.replace(':generateContent', ':streamGenerateContent') },
]);

describe.each(cases)('$provider, stream: $stream', ({ provider, base, path, header, stream }) => {
  const model = () => ({
    provider,
    baseUrl: `${mock.url}${base}`,
    model: 'gemini-test',
    credentials: '{{ secrets.MODEL }}',
  });
  beforeAll(async () => {
    const put = await service.api('PUT', '/secrets/MODEL', { body: { value: KEY, hosts: ['127.0.0.1'] } });
    expect(put.status, put.text).toBe(200);
  });
  const llm = (config: object) => [{ id: 'n', type: 'llm', config: { ...model(), stream, ...config } }];
  const agent = (config: object = {}) => [
    {
      id: 'n',
      type: 'agent',
      config: {
        prompt: '{{ input.text }}',
        model: ['chat'],
        tools: [{ ...order, nodes: ['find'] }],
        ...config,
      },
    },
    { id: 'chat', type: 'llm', config: { ...model(), stream } },
    { id: 'find', type: 'set', config: { fields: { state: 'sent {{ item.number }}' } } },
  ];

  test('a text, with its usage and the key', async () => {
    mock.onMessage('Good morning', {
      content: 'Bonjour',
      usage: { prompt_tokens: 12, completion_tokens: 3, input_tokens: 12, output_tokens: 3 },
    });
    const done = await run(llm({ prompt: '{{ input.text }}', instructions: 'Translate.' }), {
      text: 'Good morning',
    });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.output).toMatchObject({ text: 'Bonjour', finish_reason: 'stop', cost: null });
    const { input_tokens, output_tokens } = done.output['usage'] as Record<string, number>;
    expect(input_tokens).toBeGreaterThan(0);
    expect(output_tokens).toBeGreaterThan(0);
    const request = mock.getLastRequest();
    expect(request?.path.split('?')[0]).toBe(path);
    expect(JSON.stringify(request?.body)).toContain('Translate.');
    expect(request?.headers['idempotency-key']).toMatch(/^\S{10,}$/);
    // Each provider has a header of its own for the key, and only that one is sent.
    const sent = KEY_HEADERS.filter((name) => request?.headers[name] !== undefined);
    expect(sent).toEqual([header]);
    expect(JSON.stringify(done)).not.toContain(KEY);
  });

  test('tools, one and several at once, until the model responds', async () => {
    const call = (id: string, number: string) => ({
      id,
      name: 'find_order',
      arguments: JSON.stringify({ number }),
    });
    mock.on({ userMessage: 'orders', turnIndex: 0 }, { toolCalls: [call('call_1', 'A')] });
    mock.on(
      { userMessage: 'orders', turnIndex: 1 },
      { toolCalls: [call('call_2', 'B'), call('call_3', 'C')] },
    );
    mock.on({ userMessage: 'orders', turnIndex: 2 }, { content: 'All sent.' });
    const done = await run(agent(), { text: 'Where are my orders?' });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.output).toMatchObject({ text: 'All sent.', turns: 3, tool_calls: 3, failed_tool_calls: 0 });
    const results = done.nodes.filter(({ path: at }) => at.endsWith('/find')).map(({ output }) => output);
    expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['sent A', 'sent B', 'sent C']));
    const last = JSON.stringify(mock.getLastRequest()?.body);
    for (const text of ['sent A', 'sent B', 'sent C']) expect(last).toContain(text);
  });

  test('structured output', async () => {
    const schema = {
      type: 'object',
      required: ['urgency'],
      properties: { urgency: { enum: ['low', 'high'] } },
      additionalProperties: false,
    };
    mock.on({ userMessage: 'The shop is down' }, { content: '{"urgency":"maybe"}' });
    mock.on({ userMessage: 'does not match' }, { content: '{"urgency":"high"}' });
    const done = await run(
      [{ id: 'n', type: 'extract', config: { ...model(), text: '{{ input.text }}', schema } }],
      {
        text: 'The shop is down',
      },
    );
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.output).toMatchObject({ output: { urgency: 'high' } });
    expect(mock.getRequests()).toHaveLength(2);
  });

  test.each([
    [429, 'rate_limited'],
    [500, 'server_error'],
    [400, 'client_error'],
  ])('status %i fails with the message of the provider', async (status, type) => {
    mock.onMessage('x', { error: { message: 'Something about it.' }, status });
    const done = await run(llm({ prompt: 'x' }), {});
    expect(done.status).toBe('failed');
    expect(done.error).toMatchObject({ type });
    expect(done.error?.message).toContain('Something about it.');
  });

  test('a rate limit is retried by the policy of the node', async () => {
    mock.nextRequestError(429, { message: 'Slow down.' });
    mock.onMessage('x', { content: 'ok' });
    const done = await run(llm({ prompt: 'x', retryPolicy: { maxAttempts: 3, initialDelay: '10ms' } }), {});
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.nodes.find(({ path: at }) => at === 'n')?.attempt).toBe(2);
    const keys = new Set(mock.getRequests().map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
  });

  test.each(['disconnectRate', 'malformedRate'] as const)('a response that is cut: %s', async (rate) => {
    mock.onMessage('x', { content: 'ok' });
    mock.setChaos({ [rate]: 1 });
    try {
      const done = await run(llm({ prompt: 'x' }), {});
      expect(done.status).toBe('failed');
      expect(['network', 'server_error']).toContain(done.error?.type);
    } finally {
      mock.clearChaos();
    }
  });

  test.runIf(provider !== 'anthropic')('an embedding', async () => {
    mock.onEmbedding('cat', { embedding: [1, 0, 0.5] });
    const done = await run([{ id: 'n', type: 'embed', config: { ...model(), texts: '{{ input.text }}' } }], {
      text: 'cat',
    });
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    expect(done.output).toMatchObject({ embedding: [1, 0, 0.5], embeddings: [[1, 0, 0.5]], cost: null });
  });

  test('a wrong key fails with what the provider says', async () => {
    await service.api('PUT', '/secrets/WRONG', { body: { value: 'not-the-key-17' } });
    const done = await run(llm({ prompt: 'x', credentials: '{{ secrets.WRONG }}' }), {});
    expect(done.error).toMatchObject({ type: 'client_error', status: 401 });
  });
});

test('embeddings have the order of the texts, and an empty text is refused', async () => {
  const models = await startModelServer(() => ({}));
  try {
    const config = {
      provider: 'openai_compatible',
      baseUrl: models.url,
      model: 'x',
      texts: '{{ input.texts }}',
    };
    const embed = (texts: unknown) => run([{ id: 'n', type: 'embed', config }], { texts });
    const done = await embed(['four', 'a', 'three']);
    expect(done.output).toMatchObject({
      embedding: [4, 0],
      embeddings: [
        [4, 0],
        [1, 1],
        [5, 2],
      ],
      usage: { input_tokens: 3 },
    });
    for (const [texts, field] of [
      [['a', ' '], 'texts[1]'],
      [[], 'texts'],
      [{ a: 1 }, 'texts'],
      [Array.from({ length: 257 }, () => 'x'), 'texts'],
    ] as const) {
      const failed = await embed(texts);
      expect(failed.error).toMatchObject({ type: 'validation' });
      expect(failed.error?.message).toContain(field);
    }
    expect(models.requests).toHaveLength(1);
  } finally {
    await models.close();
  }
});
