import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startModelServer,
  type ChatMessage,
  type ModelServer,
  type Script,
} from '../support/ai/model-server.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const service = useService();
let script: Script;
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((request, turn) => script(request, turn));
});
afterAll(() => models.close());

test('handbook-agent responds from a text that was sent, with its source', async () => {
  const id = await install(
    service.api,
    'handbook-agent',
    { model_url: models.url },
    { MODEL_KEY: 'key-of-the-model-17', WEBHOOK_KEY: 'key-of-callers-17' },
  );
  const text = 'Orders can be returned within 30 days.\n\nThe price is refunded within five days.';
  const send = async () => {
    const { headers } = await service.weft.call('POST', '/webhooks/handbook', {
      headers: { 'x-api-key': 'key-of-callers-17' },
      body: { source: 'returns.md', text },
    });
    const execution = headers.get('x-weft-execution-id')!;
    const ended = await waitUntil(
      async () => (await service.api('GET', `/executions/${execution}`)).body as { status: string },
      ({ status }) => ['completed', 'failed'].includes(status),
    );
    expect(ended.status, JSON.stringify(ended)).toBe('completed');
  };
  await send();
  // A new version of the text replaces its chunks.
  await send();
  const { body } = await service.api('GET', '/vector-collections/handbook');
  expect(body).toMatchObject({ documents: 1 });

  const answer = { answer: 'Within 30 days.', sources: ['returns.md'] };
  script = (_request, turn) =>
    [
      { calls: [{ name: 'search', arguments: { query: 'How long can I return?' } }] },
      { text: JSON.stringify(answer) },
    ][turn]!;
  const key = await service.api('POST', '/api-keys', { body: { name: 'chat' } });
  const client = new OpenAI({
    baseURL: service.weft.url,
    apiKey: (key.body as { key: string }).key,
    maxRetries: 0,
  });
  const { choices } = await client.chat.completions.create({
    model: 'handbook',
    messages: [{ role: 'user', content: 'How long can I return an order?' }],
  });
  expect(choices[0]!.message.content).toBe('Within 30 days.\n\nSources:\n- returns.md');
  // Requests for embeddings have no messages.
  const chats: readonly { messages?: readonly ChatMessage[] }[] = models.chats;
  const found = chats.flatMap(({ messages = [] }) => messages).find(({ role }) => role === 'tool')!;
  expect(found.content).toContain('Orders can be returned within 30 days.');
  expect(found.content).toContain('returns.md');
  expect((await service.api('DELETE', `/workflows/${id}`)).status).toBe(200);
});
