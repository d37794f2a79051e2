import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer, type Script } from '../support/ai/model-server.ts';
import { createStoringWorkflow } from '../support/ai/vector-collection.ts';
import { useService } from '../support/use-service.ts';

const service = useService();
let script: Script = () => ({ text: '' });
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((request, turn) => script(request, turn));
});
afterAll(() => models.close());

const manual = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
const embed = (texts: string) => ({
  id: 'embed',
  type: 'embed',
  config: { provider: 'openai_compatible', baseUrl: models.url, model: 'test-model', texts },
});
type Execution = { status: string; output: unknown; error?: { message: string } };

async function run(nodes: object[], connections: object[], input: unknown = {}): Promise<Execution> {
  const created = await service.api('POST', '/workflows', {
    body: { name: 'Vectors', definition: { nodes, connections } },
  });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const { body } = await service.api('POST', `/workflows/${id}/execute`, { body: { input, wait: '30s' } });
  return body as Execution;
}

/** Runs one node `vector_store`. */
const store = async (config: object, input: unknown = {}) =>
  await run([manual, { id: 'store', type: 'vector_store', config }], [{ from: 'start', to: 'store' }], input);
const query = (collection: string, embedding: readonly number[], more: object = {}) =>
  store({ operation: 'query', collection, model: 'test-model', embedding, ...more });

test('a text is split, embedded and stored, and found with its source', async () => {
  const paragraphs = Array.from({ length: 260 }, (_, i) => `Paragraph ${i}. ${'word '.repeat(18)}`);
  const nodes = [
    manual,
    {
      id: 'split',
      type: 'split_text',
      config: {
        text: '{{ input.text }}',
        source: 'https://example.com/handbook',
        metadata: { language: 'en', tags: ['a', 'b'] },
        size: 20,
        overlap: 0,
      },
    },
    { id: 'each', type: 'for_each', config: { items: '{{ input.batches }}', nodes: ['embed', 'store'] } },
    embed('{{ item.map(c, c.text) }}'),
    {
      id: 'store',
      type: 'vector_store',
      config: {
        operation: 'upsert',
        collection: 'handbook',
        model: '{{ input.model }}',
        documents: '{{ item }}',
        embeddings: '{{ input.embeddings }}',
      },
    },
  ];
  const connections = [
    { from: 'start', to: 'split' },
    { from: 'split', to: 'each' },
  ];
  const ingest = async () => await run(nodes, connections, { text: paragraphs.join('\n\n') });
  expect(await ingest()).toMatchObject({
    status: 'completed',
    output: { results: [{ stored: 100 }, { stored: 100 }, { stored: 60 }] },
  });
  // The same text again replaces its chunks.
  await ingest();
  const { body } = await service.api('GET', '/vector-collections/handbook');
  expect(body).toMatchObject({ name: 'handbook', model: 'test-model', dimensions: 2, documents: 260 });

  const found = await query('handbook', [110, 17], {
    limit: 2,
    filter: [
      { field: 'language', operator: 'equals', value: 'en' },
      { field: 'tags', operator: 'in', value: ['b', 'c'] },
      { field: 'source', operator: 'equals', value: 'https://example.com/handbook' },
    ],
  });
  expect(found.output, JSON.stringify(found)).toMatchObject({
    matches: [
      {
        score: expect.closeTo(1, 2),
        text: expect.stringContaining('Paragraph'),
        source: 'https://example.com/handbook',
        metadata: { language: 'en', tags: ['a', 'b'] },
      },
      {},
    ],
  });
  expect((await query('handbook', [-1, 0], { minScore: 0.5 })).output).toEqual({ matches: [] });
  const removed = await store(
    {
      operation: 'delete',
      collection: 'handbook',
      filter: [{ field: 'source', operator: 'equals', value: '{{ input.url }}' }],
    },
    { url: 'https://example.com/handbook' },
  );
  expect(removed.output).toEqual({ deleted: 260 });
});

test('an agent finds documents with a tool, and gets their sources', async () => {
  const documents = [
    { key: 'tea', text: 'Tea needs water at 95 degrees.', source: 'tea.md', embedding: [1, 0] },
    { key: 'ice', text: 'Ice cream melts.', source: 'ice.md', embedding: [0, 1] },
  ];
  const { nodes, connections } = createStoringWorkflow('kitchen', documents);
  expect((await run(nodes, connections)).output).toEqual({ stored: 2 });
  script = (_request, turn) =>
    turn === 0
      ? { calls: [{ name: 'search', arguments: { query: 'How hot?' } }] }
      : { text: 'At 95 degrees (tea.md).' };
  const agent = createAgentWorkflow(models, { tools: [] });
  const search = {
    name: 'search',
    description: 'Finds documents.',
    parameters: { type: 'object', required: ['query'], properties: { query: { type: 'string' } } },
    nodes: ['embed', 'find'],
  };
  const find = {
    id: 'find',
    type: 'vector_store',
    config: {
      operation: 'query',
      collection: 'kitchen',
      model: 'test-model',
      embedding: '{{ input.embedding }}',
      limit: 1,
    },
  };
  const withTool = agent.nodes.map((node) =>
    node.id === 'agent' ? { ...node, config: { ...node.config, tools: [search] } } : node,
  );
  const execution = await run([...withTool, embed('{{ input.query }}'), find], [...agent.connections], {
    message: 'How hot must the water be?',
  });
  expect(execution.status, JSON.stringify(execution)).toBe('completed');
  const result = models.chats
    .findLast(({ messages }) => messages?.some(({ role }) => role === 'tool'))!
    .messages.find(({ role }) => role === 'tool')!.content!;
  expect(JSON.parse(result)).toMatchObject({
    matches: [{ key: 'tea', text: 'Tea needs water at 95 degrees.', source: 'tea.md' }],
  });
});

test('what cannot be stored or found is refused with its field', async () => {
  const failure = async (config: object) =>
    (await store({ collection: 'bad', model: 'm', ...config })).error?.message;
  const upsert = (documents: unknown, embeddings: unknown, more: object = {}) =>
    failure({ operation: 'upsert', documents, embeddings, ...more });
  const one = { key: 'a', text: 'A' };
  expect(await upsert([one], [])).toContain('embeddings: must be a list with an embedding for each of the 1');
  expect(await upsert([one, one], [[1], [2]])).toContain(
    'documents[1].key: must not be the key of documents[0]',
  );
  expect(await upsert([{ ...one, txt: 'x' }], [[1]])).toContain('documents[0].txt: is not a field');
  expect(await upsert([{ ...one, metadata: { a: { b: 1 } } }], [[1]])).toContain('documents[0].metadata.a');
  expect(await upsert([{ ...one, metadata: { source: 'x' } }], [[1]])).toContain('metadata.source');
  const many = (values: number) => [
    { ...one, key: 'many', metadata: { a: 1, b: Array(values - 1).fill(2) } },
  ];
  expect(await upsert(many(257), [[1, 2]])).toContain('documents[0].metadata: must have at most 256 values');
  expect(await upsert(many(256), [[1, 2]])).toBeUndefined();
  expect(await upsert([{ ...one, text: 'x'.repeat(32_769) }], [[1]])).toContain('documents[0].text');
  expect(await upsert([one], [[0, 0]])).toContain('embeddings[0]: must have a number that is not 0');
  expect(await upsert([one, { key: 'b', text: 'B' }], [[1, 2], [1]])).toContain('embeddings[1]: must have 2');
  expect(await upsert([one], ['x'])).toContain('embeddings[0]: must be an embedding');
  expect(await failure({ operation: 'query', collection: 'none', embedding: [1] })).toContain(
    'collection: does not exist',
  );
  expect(await upsert([one], [[1, 2]])).toBeUndefined();
  expect(await upsert([one], [[1, 2, 3]])).toContain('embeddings: must have 2 dimensions');
  expect(await upsert([one], [[1, 2]], { model: 'n' })).toContain('model: must be "m"');
  expect(await failure({ operation: 'query', embedding: [1] })).toContain(
    'embedding: must have 2 dimensions',
  );
});
