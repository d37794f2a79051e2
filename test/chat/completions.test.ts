import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let models: ModelServer;
let key: string;
let openai: OpenAI;
/** Called before each word of a streamed text. */
let pace: (word: number) => Promise<boolean> = () => Promise.resolve(true);

afterEach(() => {
  pace = () => Promise.resolve(true);
});
beforeAll(async () => {
  models = await startModelServer(
    ({ messages, tools, response_format: format }, turn) => {
      const all = JSON.stringify(messages);
      if (format !== undefined)
        return {
          text: all.includes('does not match') ? '{"city":"Bonn"}' : 'It is in Bonn.',
          tokens: [20, 7],
        };
      if (all.includes('fail')) return { status: 400, text: 'The model is down.' };
      if (all.includes('fickle')) return { text: `Text ${models.chats.length}: it is other than before.` };
      const wantsTool = (tools ?? []).length > 0 && !messages.some(({ role }) => role === 'tool');
      if (wantsTool)
        return {
          text: 'One moment.',
          calls: [{ name: tools![0]!.function.name, arguments: { city: 'Bonn' } }],
        };
      return { text: `Turn ${turn}: it is sunny in Bonn.`, tokens: [20, 7] };
    },
    { pace: (word) => pace(word) },
  );
  await start('0');
  const created = await api('POST', '/api-keys', {
    body: { name: 'chat', scopes: ['executions:read', 'executions:write'] },
  });
  expect(created.status, created.text).toBe(201);
  ({ key } = created.body as { key: string });
  openai = new OpenAI({ baseURL: weft.url, apiKey: key, maxRetries: 0 });
  await createModel('plain', [llm('chat', { stream: true })]);
});
afterAll(async () => {
  await weft.stop();
  await models.close();
  folder.remove();
});

async function start(port: string): Promise<void> {
  weft = await spawnService({ dataDir: folder.path, env: { PORT: port } });
  api = await weft.login();
}

type TestNode = { id: string; type: string; config?: object };
const llm = (id: string, config: object = {}): TestNode => ({
  id,
  type: 'llm',
  config: { provider: 'openai_compatible', baseUrl: models.url, model: 'm', ...config },
});

/** A workflow that is a model. Its nodes form a chain behind the trigger; `bodies` are nodes of bodies. */
async function createModel(
  name: string,
  nodes: readonly TestNode[],
  bodies: readonly TestNode[] = [],
): Promise<string> {
  const trigger = { id: 'start', type: 'trigger', config: { triggerType: 'chat', name } };
  const chain = [trigger, ...nodes];
  const created = await api('POST', '/workflows', {
    body: {
      name,
      status: 'active',
      definition: {
        nodes: [...chain, ...bodies],
        connections: nodes.map(({ id }, i) => ({ from: chain[i]!.id, to: id })),
      },
    },
  });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

const ask = (model: string, content = 'How is the weather?') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});

const post = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${weft.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('the client of OpenAI', () => {
  test('lists and gets the models', async () => {
    const page = await openai.models.list();
    expect(page.data).toContainEqual({ id: 'plain', object: 'model', created: 0, owned_by: 'weft' });
    expect((await openai.models.retrieve('plain')).id).toBe('plain');
    await expect(openai.models.retrieve('other')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  test('gets a response with its usage', async () => {
    const { data, response } = await openai.chat.completions
      .create({ ...ask('plain'), temperature: 0.5 })
      .withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'plain',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Turn 0: it is sunny in Bonn.' },
        },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 },
    });
    const id = response.headers.get('x-weft-execution-id')!;
    expect(data.id).toBe(`chatcmpl-${id}`);
    const { body } = await api('GET', `/executions/${id}`);
    expect(body).toMatchObject({
      status: 'completed',
      trigger: { type: 'chat', node_id: 'start' },
      input: { message: 'How is the weather?', parameters: { temperature: 0.5 }, user: null },
    });
  });

  test('gets the text while the model writes it', async () => {
    const latch = createLatch();
    pace = (word) => (word === 3 ? latch.opened : Promise.resolve(true));
    const stream = await openai.chat.completions.create({
      ...ask('plain'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const texts: string[] = [];
    const reasons: (string | null)[] = [];
    let usage: object | null = null;
    for await (const { choices, usage: given } of stream) {
      for (const { delta, finish_reason: reason } of choices) {
        texts.push(delta.content ?? '');
        reasons.push(reason);
      }
      // The model continues only when the client has received a word.
      if (texts.join('').includes('Turn')) latch.open(true);
      usage = given ?? usage;
    }
    expect(texts.join('')).toBe('Turn 0: it is sunny in Bonn.');
    expect(reasons.at(-1)).toBe('stop');
    expect(usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 });
  });

  test.each([false, true])('calls tools of the client (stream: %s)', async (stream) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather?' }];
    const runner = stream
      ? openai.chat.completions.stream({ model: 'plain', messages, tools: [WEATHER] })
      : null;
    const first =
      (await runner?.finalChatCompletion()) ??
      (await openai.chat.completions.create({ model: 'plain', messages, tools: [WEATHER] }));
    const [{ message, finish_reason: reason }] = first.choices as [OpenAI.ChatCompletion.Choice];
    expect(reason).toBe('tool_calls');
    expect(message.content).toBe('One moment.');
    expect(message.tool_calls).toMatchObject([
      { id: 'call_0_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
    ]);
    const second = await openai.chat.completions.create({
      model: 'plain',
      tools: [WEATHER],
      messages: [...messages, message, { role: 'tool', tool_call_id: 'call_0_0', content: '{"sun":true}' }],
    });
    expect(second.choices[0]!.message.content).toBe('Turn 1: it is sunny in Bonn.');
    expect(models.chats.at(-1)!.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_0_0' }] },
      { role: 'tool', tool_call_id: 'call_0_0', content: '{"sun":true}' },
    ]);
  });

  test('gets a structured response, which is repaired if it does not match', async () => {
    const before = models.chats.length;
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const { choices, usage } = await openai.chat.completions.parse({
      ...ask('plain'),
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    });
    expect(choices[0]!.message.parsed).toEqual({ city: 'Bonn' });
    expect(models.chats.length - before).toBe(2);
    expect(usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 14 });
  });

  test('sends an image, which is a file of the execution', async () => {
    const { response } = await openai.chat.completions
      .create({
        model: 'plain',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: PIXEL } },
            ],
          },
        ],
      })
      .withResponse();
    const { body } = await api('GET', `/executions/${response.headers.get('x-weft-execution-id')}`);
    const { input } = body as {
      input: { message: string; messages: [{ content: [object, { file: unknown }] }] };
    };
    expect(input.message).toBe('What is it?');
    expect(input.messages[0].content[1].file).toMatchObject({ $file: { content_type: 'image/png' } });
    expect(JSON.stringify(models.chats.at(-1)!.messages)).toContain(PIXEL.slice(-20));
  });
});

test('the provider of the AI SDK for compatible services streams', async () => {
  const provider = createOpenAICompatible({
    name: 'weft',
    baseURL: weft.url,
    apiKey: key,
    includeUsage: true,
  });
  const { stream } = await provider.languageModel('plain').doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'How is the weather?' }] }],
  });
  let text = '';
  let finish: unknown;
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish') finish = part;
  }
  expect(text).toBe('Turn 0: it is sunny in Bonn.');
  expect(finish).toMatchObject({ finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 20 } } });
});

describe('a workflow', () => {
  test('that is an agent streams its turns, not the texts of its tools', async () => {
    await createModel(
      'agent',
      [
        {
          id: 'agent',
          type: 'agent',
          config: {
            instructions: 'You are a meteorologist.',
            model: ['chat'],
            tools: [{ name: 'look', description: 'Looks.', nodes: ['inner'] }],
          },
        },
      ],
      [llm('chat', { stream: true }), llm('inner', { prompt: 'Look.' })],
    );
    const stream = openai.chat.completions.stream(ask('agent'));
    expect((await stream.finalChatCompletion()).choices[0]!.message.content).toBe(
      'One moment.\n\nTurn 1: it is sunny in Bonn.',
    );
    expect(models.chats.at(-1)!.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
    const refused = openai.chat.completions.create({ ...ask('agent'), tools: [WEATHER] });
    await expect(refused).rejects.toMatchObject({ status: 422, code: 'execution_failed' });
    await expect(refused).rejects.toThrow('tools: must not be in the input');
  });

  test('responds with a text, or with any other value as JSON', async () => {
    await createModel('text', [
      { id: 'end', type: 'stop', config: { outcome: 'completed', output: 'You said: {{ input.message }}' } },
    ]);
    await createModel('value', [{ id: 'end', type: 'set', config: { fields: { n: '{{ 1 + 1 }}' } } }]);
    const read = async (model: string, stream: boolean) =>
      stream
        ? await openai.chat.completions.stream(ask(model, 'hi')).finalContent()
        : (await openai.chat.completions.create(ask(model, 'hi'))).choices[0]!.message.content;
    for (const stream of [false, true]) {
      expect(await read('text', stream)).toBe('You said: hi');
      expect(JSON.parse((await read('value', stream))!)).toMatchObject({ n: 2 });
    }
  });

  test.each([
    ['the same', 'Turn 0: it is sunny in Bonn.'],
    ['another', null],
  ])('whose model repeats a call and writes %s text', async (which, expected) => {
    const model = `retried-${which.replaceAll(' ', '-')}`;
    const retryPolicy = { maxAttempts: 3, initialDelay: '1ms' };
    await createModel(model, [llm('chat', { stream: true, retryPolicy })]);
    const latch = createLatch();
    let attempts = 0;
    // The connection of the first attempt is cut after the client has received three words.
    pace = (word) => {
      if (word === 0) attempts++;
      return word === 3 && attempts === 1 ? latch.opened : Promise.resolve(true);
    };
    const question = which === 'another' ? 'Be fickle' : 'How is the weather?';
    const stream = openai.chat.completions.stream(ask(model, question));
    stream.on('content', (_delta, snapshot) => {
      if (snapshot.includes('Turn') || snapshot.includes('Text')) latch.open(false);
    });
    if (expected === null) await expect(stream.finalContent()).rejects.toThrow('is not part of the response');
    else expect(await stream.finalContent()).toBe(expected);
    expect(attempts).toBe(2);
  });

  test('that fails is an error that clients do not repeat', async () => {
    const before = models.chats.length;
    const retrying = new OpenAI({ baseURL: weft.url, apiKey: key, maxRetries: 2 });
    await expect(retrying.chat.completions.create(ask('plain', 'fail'))).rejects.toMatchObject({
      status: 422,
      code: 'execution_failed',
      type: 'execution_error',
    });
    expect(models.chats.length).toBe(before + 1);
    const stream = retrying.chat.completions.stream(ask('plain', 'fail'));
    await expect(stream.finalContent()).rejects.toThrow('failed at the node chat');
    expect(models.chats.length).toBe(before + 2);
  });

  test('is one execution for one idempotency key, streamed or not', async () => {
    const headers = { 'idempotency-key': 'same' };
    const body = { ...ask('plain'), stream: true };
    const first = await post(body, headers);
    const text = await first.text();
    const again = await post(body, headers);
    expect(again.headers.get('x-weft-execution-id')).toBe(first.headers.get('x-weft-execution-id'));
    expect(joinChunks(await again.text())).toBe(joinChunks(text));
    const other = await post(ask('plain', 'Another question'), headers);
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({ error: { code: 'conflict' } });
  });

  test('that was interrupted by kill -9 responds to the same request after the restart', async () => {
    const latch = createLatch();
    let isWaiting = false;
    pace = (word) => {
      isWaiting ||= word === 3;
      return word === 3 ? latch.opened : Promise.resolve(true);
    };
    const headers = { 'idempotency-key': 'killed' };
    const body = { ...ask('plain', 'Before the crash'), stream: true };
    const first = await post(body, headers);
    const id = first.headers.get('x-weft-execution-id');
    const cut = first.text().then(
      () => 'complete',
      () => 'cut',
    );
    await waitUntil(() => Promise.resolve(isWaiting), Boolean);
    const { port } = new URL(weft.url);
    await weft.kill9();
    expect(await cut).toBe('cut');
    pace = () => Promise.resolve(true);
    latch.open(false);
    await start(port);
    const again = await post(body, headers);
    expect(again.headers.get('x-weft-execution-id')).toBe(id);
    expect(joinChunks(await again.text())).toBe('Turn 0: it is sunny in Bonn.');
  });

  test('has a name that no other active workflow of the user has', async () => {
    const definition = {
      nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'chat', name: 'plain' } }],
      connections: [],
    };
    const second = await api('POST', '/workflows', { body: { name: 'x', status: 'active', definition } });
    expect(second.status).toBe(400);
    expect(second.text).toContain('Another active workflow already is the model plain.');
    definition.nodes[0]!.config.name = 'no spaces';
    const third = await api('POST', '/workflows', { body: { name: 'x', definition } });
    expect(third.text).toContain('must have only letters');
  });
});

test.each([
  [{ model: 'plain' }, 'messages', 400],
  [{ ...ask('plain'), messages: [] }, 'messages', 400],
  [{ ...ask('plain'), messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 400],
  [{ ...ask('plain'), messages: [{ role: 'user', content: 7 }] }, 'messages[0].content', 400],
  [
    { ...ask('plain'), messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
    'messages[0].content[0].type',
    400,
  ],
  [
    {
      ...ask('plain'),
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }] },
      ],
    },
    'messages[0].content[0].image_url.url',
    400,
  ],
  [
    { ...ask('plain'), messages: [{ role: 'tool', tool_call_id: 'no', content: 'x' }] },
    'messages[0].tool_call_id',
    400,
  ],
  [{ ...ask('plain'), messages: [{ role: 'assistant', tool_calls: [] }] }, 'messages[0].content', 400],
  [{ ...ask('plain'), n: 2 }, 'n', 400],
  [{ ...ask('plain'), logprobs: true }, 'logprobs', 400],
  [{ ...ask('plain'), stream: 'yes' }, 'stream', 400],
  [
    { ...ask('plain'), tools: [{ type: 'function', function: { name: 'a b' } }] },
    'tools[0].function.name',
    400,
  ],
  [{ ...ask('plain'), tools: [WEATHER], tool_choice: 'required' }, 'tool_choice', 400],
  [{ ...ask('plain'), response_format: { type: 'json_object' } }, 'response_format', 400],
  [ask('unknown'), 'model', 404],
])('bad input starts nothing: %j', async (body, param, status) => {
  const before = await countExecutions();
  const response = await post(body);
  const { error } = (await response.json()) as { error: { param: string; message: string; type: string } };
  expect(response.status, error.message).toBe(status);
  expect(error).toMatchObject({ param, type: 'invalid_request_error' });
  expect(await countExecutions()).toBe(before);
});

test('null in place of a field is its default, and an empty list of calls is none', async () => {
  const messages = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: '', tool_calls: [] },
    { role: 'user', content: 'In Bonn.' },
  ];
  const response = await post({ ...ask('plain'), messages, stream: null, stream_options: null, tools: null });
  const { choices } = (await response.json()) as OpenAI.ChatCompletion;
  expect(choices[0]!.message.content).toBe('Turn 1: it is sunny in Bonn.');
});

test('without a credential, with a wrong one, and without a scope', async () => {
  const send = (headers: Record<string, string>) => post(ask('plain'), headers);
  expect((await send({ authorization: '' })).status).toBe(401);
  const wrong = await send({ authorization: `Bearer ${key.slice(0, -1)}x` });
  expect(wrong.status).toBe(401);
  expect(await wrong.json()).toMatchObject({ error: { type: 'authentication_error' } });
  const made = await api('POST', '/api-keys', { body: { name: 'r', scopes: ['executions:read'] } });
  const narrow = await send({ authorization: `Bearer ${(made.body as { key: string }).key}` });
  expect(narrow.status).toBe(403);
});

/** A promise that the test resolves. */
function createLatch() {
  let open = (_continues: boolean): void => {};
  const opened = new Promise<boolean>((resolve) => (open = resolve));
  return { opened, open: (continues: boolean) => open(continues) };
}

async function countExecutions(): Promise<number> {
  const { body } = await api('GET', '/executions?limit=1');
  return (body as { pagination: { total: number } }).pagination.total;
}

/** The text of server-sent chunks. Without the last line, the stream is incomplete. */
function joinChunks(text: string): string {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices)
    .map(({ delta }) => delta.content ?? '')
    .join('');
}
