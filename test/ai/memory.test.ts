import { afterEach, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import {
  startModelServer,
  type ChatMessage,
  type ChatRequest,
  type ModelServer,
  type Reply,
} from '../support/ai/model-server.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const service = useService();

const look = {
  name: 'look',
  parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
};
let reply: (request: ChatRequest) => Reply;
let hold: (message: string) => Promise<void>;
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((request) => reply(request), {
    tool: () => ({ body: { weather: 'sun' } }),
    before: ({ messages }) => hold(last(messages)),
  });
  return () => models.close();
});
afterEach(() => {
  models.chats.length = 0;
  models.toolCalls.length = 0;
});

const last = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';
const roles = ({ messages }: ChatRequest): string[] => messages.map(({ role }) => role);
const texts = ({ messages }: ChatRequest): unknown[] =>
  messages.filter(({ role }) => role !== 'tool').map(({ content }) => content);

type Turn = { execution_id: string; messages: { role: string; content: unknown }[] };
type Thread = {
  id: string;
  key: string;
  namespace: string | null;
  workflow_id: string | null;
  workflow_name: string;
  turns: number;
  messages: number;
  tokens: number;
  expires_at: string | null;
  conversation: Turn[];
};

beforeAll(() => {
  hold = () => Promise.resolve();
  reply = ({ messages }) => ({ text: `Response to ${last(messages)}` });
});

async function create(memory: object, more: { tools?: (typeof look)[]; agent?: object } = {}) {
  const { tools = [], agent = {} } = more;
  const definition = createAgentWorkflow(models, { tools, agent: { memory, ...agent } });
  const created = await service.api('POST', '/workflows', { body: { name: 'Memory', definition } });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

async function run(workflow: string, message: string, customer = 'ada') {
  const started = await service.api('POST', `/workflows/${workflow}/execute`, {
    body: { input: { message, customer }, wait: '20s' },
  });
  expect(started.status, started.text).toBeLessThan(300);
  const { id } = started.body as { id: string };
  return (await service.api('GET', `/executions/${id}`)).body as {
    id: string;
    status: string;
    error: { message: string } | null;
  };
}

async function list(query = ''): Promise<Thread[]> {
  const { body } = await service.api('GET', `/threads?limit=100${query}`);
  return (body as { threads: Thread[] }).threads;
}
async function show(key: string, query = ''): Promise<Thread> {
  const found = (await list(`&search=${key}${query}`)).find((one) => one.key === key);
  return (await service.api('GET', `/threads/${found!.id}`)).body as Thread;
}

test('an agent continues the thread of its key, with whole tool calls', async () => {
  const workflow = await create({ thread: '{{ input.customer }}' }, { tools: [look] });
  reply = ({ messages }) =>
    last(messages) === 'Weather?' && messages.at(-1)?.role === 'user'
      ? { calls: [{ name: 'look', arguments: { city: 'Bonn' } }] }
      : { text: `Response to ${last(messages)}` };
  const first = await run(workflow, 'Weather?', 'bob');
  expect(first.status, JSON.stringify(first.error)).toBe('completed');
  await run(workflow, 'And?', 'bob');
  await run(workflow, 'Hello', 'eve');
  expect(models.chats.map(roles)).toEqual([
    ['user'],
    ['user', 'assistant', 'tool'],
    ['user', 'assistant', 'tool', 'assistant', 'user'],
    ['user'],
  ]);
  expect(models.chats[2]!.messages[1]!.tool_calls![0]!.function.arguments).toBe('{"city":"Bonn"}');
  const thread = await show('bob', `&workflow_id=${workflow}`);
  expect(thread).toMatchObject({
    key: 'bob',
    namespace: null,
    workflow_id: workflow,
    workflow_name: 'Memory',
    turns: 2,
    messages: 6,
    expires_at: null,
  });
  expect(thread.conversation.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ['user', 'assistant', 'tool', 'assistant'],
    ['user', 'assistant'],
  ]);
  expect(thread.conversation[0]!.execution_id).toBe(first.id);
  reply = ({ messages }) => ({ text: `Response to ${last(messages)}` });
});

test('only whole turns within the limit on tokens are read, the newest first', async () => {
  const workflow = await create({ thread: 'short', maxTokens: 60 });
  for (const message of ['one', 'two', 'three', 'four']) await run(workflow, message);
  const { tokens } = await show('short');
  expect(tokens).toBeGreaterThan(60);
  const sent = texts(models.chats[3]!);
  expect(sent.at(-1)).toBe('four');
  expect(sent.length % 2).toBe(1);
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.length).toBeLessThan(7);
  expect(sent.at(-3)).toBe('three');
  expect(sent).not.toContain('one');
});

test('two workflows read each other’s threads only in a namespace that both name', async () => {
  const [a, b] = [await create({ thread: 'own' }), await create({ thread: 'own' })];
  await run(a, 'from a');
  await run(b, 'from b');
  expect(texts(models.chats[1]!)).toEqual(['from b']);
  const shared = { thread: 'own', namespace: 'team' };
  const [c, d] = [await create(shared), await create(shared)];
  await run(c, 'from c');
  await run(d, 'from d');
  expect(texts(models.chats[3]!)).toEqual(['from c', 'Response to from c', 'from d']);
  expect(await list('&namespace=team')).toMatchObject([
    { key: 'own', namespace: 'team', workflow_id: null, turns: 2 },
  ]);
  const removed = await service.api('DELETE', `/workflows/${a}`);
  expect(removed.status).toBe(200);
  const left = (await list('&search=own')).map(({ namespace, workflow_id: id }) => namespace ?? id);
  expect(new Set(left)).toEqual(new Set(['team', b]));
});

test('two executions of a thread at once add their turns in the order in which they end', async () => {
  const workflow = await create({ thread: 'both' });
  const waiting = new Map<string, () => void>();
  hold = (message) => new Promise((resolve) => void waiting.set(message, () => resolve()));
  const [slow, fast] = [run(workflow, 'slow'), run(workflow, 'fast')];
  await waitUntil(
    () => Promise.resolve(waiting.size),
    (n) => n === 2,
  );
  waiting.get('fast')!();
  await fast;
  waiting.get('slow')!();
  await slow;
  hold = () => Promise.resolve();
  const { conversation } = await show('both');
  expect(conversation.map(({ messages }) => messages.map(({ content }) => content))).toMatchObject([
    ['fast', [{ type: 'text', text: 'Response to fast' }]],
    ['slow', [{ type: 'text', text: 'Response to slow' }]],
  ]);
  // Neither read what the other one had not added yet.
  expect(models.chats.map(texts).map(({ length }) => length)).toEqual([1, 1]);
});

test('an agent that fails adds nothing, and one that reaches a limit closes its calls', async () => {
  const workflow = await create({ thread: 'ends' }, { tools: [look], agent: { maxTurns: 1 } });
  reply = () => ({ calls: [{ name: 'look', arguments: { city: 'Bonn' } }] });
  expect(await run(workflow, 'Weather?')).toMatchObject({ status: 'failed' });
  expect(await list('&search=ends')).toEqual([]);
  const limited = createAgentWorkflow(models, {
    tools: [look],
    agent: { memory: { thread: 'ends' }, maxTurns: 1 },
    limitTo: 'reached',
  });
  const { body } = await service.api('POST', '/workflows', { body: { name: 'Memory', definition: limited } });
  expect(await run((body as { id: string }).id, 'Weather?')).toMatchObject({ status: 'completed' });
  const { conversation } = await show('ends');
  expect(conversation[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  reply = ({ messages }) => ({ text: `Response to ${last(messages)}` });
});

test('a turn that is too large is stored without its tool calls', async () => {
  const workflow = await create({ thread: 'large' }, { tools: [look] });
  reply = ({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? { calls: [{ name: 'look', arguments: { city: 'x'.repeat(300_000) } }] }
      : { text: `y${'😀'.repeat(25_000)}` };
  expect(await run(workflow, 'Look')).toMatchObject({ status: 'completed' });
  const { conversation } = await show('large');
  expect(conversation[0]!.messages).toMatchObject([{ role: 'user', content: 'Look' }, { role: 'assistant' }]);
  const stored = String(conversation[0]!.messages[1]!.content);
  expect(stored).toHaveLength(32 * 1024 + 4);
  expect(stored.isWellFormed()).toBe(true);
  reply = ({ messages }) => ({ text: `Response to ${last(messages)}` });
});

test('a thread is deleted with an audit event, and the next turn begins it anew', async () => {
  const workflow = await create({ thread: 'gone', retention: '30d' });
  await run(workflow, 'first');
  const { id, expires_at: expires } = await show('gone');
  expect(Date.parse(expires!) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  expect(await service.api('DELETE', `/threads/${id}`)).toMatchObject({
    status: 200,
    body: { id, deleted: true },
  });
  expect(await service.api('GET', `/threads/${id}`)).toMatchObject({ status: 404 });
  const { body } = await service.api('GET', '/audit-events?action=thread.deleted');
  expect(body).toMatchObject({ audit_events: [{ target: { id, name: 'gone' }, details: { turns: 1 } }] });
  await run(workflow, 'second');
  expect(texts(models.chats[1]!)).toEqual(['second']);
});

test('a thread whose time is over is not read', async () => {
  const workflow = await create({ thread: 'brief', retention: '1ms' });
  await run(workflow, 'first');
  await run(workflow, 'second');
  expect(texts(models.chats[1]!)).toEqual(['second']);
});

test('a retry from a later turn keeps the memory that the turns before had', async () => {
  const workflow = await create({ thread: 'kept' }, { tools: [look] });
  reply = ({ messages }) => {
    const isSecond = messages.at(-1)?.role === 'tool';
    if (last(messages) !== 'first') return { text: 'other' };
    return isSecond ? { status: 400 } : { calls: [{ name: 'look', arguments: { city: 'Rome' } }] };
  };
  const failed = await run(workflow, 'first');
  expect(failed.status).toBe('failed');
  await run(workflow, 'second');
  reply = () => ({ text: 'done' });
  models.chats.length = 0;
  const retried = await service.api('POST', `/executions/${failed.id}/retry`, { body: {} });
  expect(retried.status, retried.text).toBe(201);
  await waitUntil(
    async () => (await service.api('GET', `/executions/${(retried.body as { id: string }).id}`)).body,
    (body) => (body as { status: string }).status === 'completed',
  );
  expect(models.chats.map(roles)).toEqual([['user', 'assistant', 'tool']]);
  expect((await show('kept')).conversation.map(({ messages }) => messages[0]?.content)).toEqual([
    'second',
    'first',
  ]);
});

test('secrets are redacted in threads', async () => {
  await service.api('PUT', '/secrets/HIDDEN', { body: { value: 'a very secret value' } });
  const workflow = await create({ thread: 'secret' });
  await run(workflow, 'It is a very secret value.');
  const shown = JSON.stringify(await show('secret'));
  expect(shown).not.toContain('a very secret value');
  await service.api('DELETE', '/secrets/HIDDEN');
});

test('what a memory cannot be is refused', async () => {
  const refuse = async (agent: object) => {
    const definition = createAgentWorkflow(models, { tools: [], agent });
    const created = await service.api('POST', '/workflows', { body: { name: 'No', definition } });
    return JSON.stringify(created.body);
  };
  expect(await refuse({ memory: { thread: 'x' }, history: [] })).toContain('must not be set with memory');
  expect(await refuse({ memory: { thread: 'x', retention: '0s' } })).toContain('memory.retention');
  expect(await refuse({ memory: {} })).toContain('thread');
  const workflow = await create({ thread: '{{ input.customer }}' });
  expect(await run(workflow, 'x', 'k'.repeat(257))).toMatchObject({
    status: 'failed',
    error: { message: 'memory.thread: must have at most 256 characters' },
  });
});
