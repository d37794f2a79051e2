import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { createGate } from '../support/ai/streams.ts';
import { readEvents, type StreamedEvent } from '../support/servers/event-stream.ts';
import { adminEmail, adminPassword } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/* Reasoning and the arguments of tool calls, while a model writes them. */

const SECRET = 'top-secret-value';
const REASONING = `The order is A-17, and the key is ${SECRET} so I look it up.`;
const ARGUMENTS = { number: 'A-17', lines: 3, key: SECRET };
const order = { name: 'find_order', parameters: { type: 'object' } };

const service = useService();
let models: ModelServer;
let mock: LLMock;
let token: string;
let pace: (word: number) => Promise<boolean>;
beforeAll(async () => {
  models = await startModelServer(
    (_request, turn) =>
      turn === 0
        ? { reasoning: REASONING, calls: [{ name: 'find_order', arguments: ARGUMENTS }] }
        : { reasoning: 'It is there.', text: 'Done.' },
    { pace: (word) => pace(word) },
  );
  mock = new LLMock({ port: 0 });
  await mock.start();
  await service.api('PUT', '/secrets/KEY', { body: { value: SECRET, hosts: ['127.0.0.1'] } });
  const { body } = await service.weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  ({ token } = body as { token: string });
});
afterAll(async () => {
  await models.close();
  await mock.stop();
});
beforeEach(() => {
  pace = () => Promise.resolve(true);
});

async function execute(definition: object, wait?: string): Promise<string> {
  const created = await service.api('POST', '/workflows', { body: { name: 'x', definition } });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const started = await service.api('POST', `/workflows/${id}/execute`, {
    body: { input: { message: 'Look' }, ...(wait === undefined ? {} : { wait }) },
  });
  return (started.body as { id: string }).id;
}

const follow = (
  id: string,
  after?: string,
  enough?: (events: StreamedEvent[]) => boolean,
): Promise<StreamedEvent[]> =>
  readEvents(`${service.weft.url}/executions/${id}/stream`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(after === undefined ? {} : { 'last-event-id': after }),
    },
    ...(enough === undefined ? {} : { enough }),
  });

type Data = { path: string; text: string; of?: string; call_id?: string | null; tool?: string };

/** The text that a client shows for each path, kind and call. */
function assembleTexts(events: readonly StreamedEvent[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { event, data } of events) {
    const { path, text, of, call_id: callId } = data as Data;
    const key = [path, event === 'reset' ? of : event, ...(callId == null ? [] : [callId])].join(' ');
    if (event === 'reset') texts[key] = '';
    else if (event === 'text' || event === 'reasoning' || event === 'tool_arguments')
      texts[key] = (texts[key] ?? '') + text;
  }
  return texts;
}
const redact = (text: string): string => text.replaceAll(SECRET, '•••');
const EXPECTED = {
  'agent[0]/chat reasoning': redact(REASONING),
  'agent[1]/chat reasoning': 'It is there.',
  'agent[1]/chat text': 'Done.',
};
const ARGUMENT_TEXT = { 'agent[0]/chat tool_arguments call_0_0': redact(JSON.stringify(ARGUMENTS)) };

const workflow = (stream = true) => createAgentWorkflow(models, { tools: [order], llm: { stream } });

test('reasoning and tool arguments are streamed before the tool call, with secrets redacted', async () => {
  const gate = createGate();
  pace = gate.pace;
  const release = setInterval(() => gate.release(true), 20);
  const events = await follow(await execute(workflow()));
  clearInterval(release);
  expect(assembleTexts(events)).toEqual({ ...EXPECTED, ...ARGUMENT_TEXT });
  const types = events.map(({ event }) => event);
  expect(types.filter((type) => type === 'reasoning').length).toBeGreaterThan(5);
  expect(types.filter((type) => type === 'tool_arguments').length).toBeGreaterThan(1);
  expect(types.indexOf('tool_arguments')).toBeLessThan(types.indexOf('tool_start'));
  expect(types).not.toContain('reset');
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

test('a client that reconnects after every few events receives each event once', async () => {
  const gate = createGate();
  pace = gate.pace;
  const release = setInterval(() => gate.release(true), 20);
  const id = await execute(workflow());
  const events: StreamedEvent[] = [];
  while (events.at(-1)?.event !== 'done') {
    const more = await follow(id, events.at(-1)?.id ?? undefined, (received) => received.length >= 3);
    events.push(...more.slice(0, 3));
  }
  clearInterval(release);
  const shown = assembleTexts(events);
  expect(shown).toMatchObject(EXPECTED);
  // A client that was not connected at the end has a part of the arguments, and then the whole.
  const [path, whole] = Object.entries(ARGUMENT_TEXT)[0]!;
  expect(whole.startsWith(shown[path] ?? '')).toBe(true);
  expect(events.filter(({ event }) => event === 'tool_start').map(({ data }) => data)).toMatchObject([
    { call_id: 'call_0_0', arguments: { number: 'A-17', lines: 3, key: '•••' } },
  ]);
  expect(events.map(({ event }) => event)).not.toContain('reset');
});

test.each([true, false])(
  'the stream of an ended execution has the reasoning (stream: %s)',
  async (stream) => {
    const id = await execute(workflow(stream), '20s');
    const events = await follow(id);
    expect(assembleTexts(events)).toEqual(EXPECTED);
    const types = events.map(({ event }) => event);
    expect(types).toEqual([
      'reasoning',
      'usage',
      'tool_start',
      'tool_end',
      'reasoning',
      'text',
      'usage',
      'done',
    ]);
    for (const [i, { id: after }] of events.slice(0, -1).entries())
      expect((await follow(id, after ?? undefined)).map(({ event }) => event)).toEqual(types.slice(i + 1));
  },
);

test('the stream of an interrupted model call is reset, and the call is repeated', async () => {
  let isCut = false;
  pace = (word) => {
    if (isCut || word < 5) return Promise.resolve(true);
    isCut = true;
    return new Promise((resolve) => setTimeout(() => resolve(false), 500));
  };
  const retryPolicy = { maxAttempts: 2, initialDelay: '10ms' };
  const id = await execute(
    createAgentWorkflow(models, { tools: [order], llm: { stream: true, retryPolicy } }),
  );
  const events = await follow(id);
  expect(events.filter(({ event }) => event === 'reset').map(({ data }) => data)).toMatchObject([
    { of: 'reasoning', call_id: null, path: 'agent[0]/chat' },
  ]);
  expect(assembleTexts(events)).toMatchObject(EXPECTED);
});

test.each([
  ['openai', '/v1'],
  ['anthropic', '/v1'],
  ['google', '/v1beta'],
  ['openai_compatible', '/v1'],
])('%s: reasoning and text of the model server of aimock', async (provider, base) => {
  mock.reset();
  mock.clearFixtures();
  mock.onMessage('Look', { reasoning: 'I think about it.', content: 'Here it is.' });
  const model = {
    provider,
    baseUrl: `${mock.url}${base}`,
    model: 'test',
    credentials: '{{ secrets.KEY }}',
    stream: true,
  };
  const id = await execute(createAgentWorkflow(models, { tools: [], llm: model }), '20s');
  expect(assembleTexts(await follow(id))).toEqual({
    'agent[0]/chat reasoning': 'I think about it.',
    'agent[0]/chat text': 'Here it is.',
  });
});
