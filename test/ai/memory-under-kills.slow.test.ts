import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ChatMessage, type ModelServer } from '../support/ai/model-server.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * kill -9 at random moments while agents add turns to threads. After each run, the thread is the one of runs
 * that nothing disturbs. CRASH_TURNS=200 is the long version.
 */
const TURNS = readNumber('CRASH_TURNS', 14);
const CONCURRENCY = 6;

const seed = chooseSeed('CRASH_SEED');
const random = createSeededRandom(seed).next;
const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let call: Call;

const last = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';

const countChats = (run: string): number =>
  models.chats.filter(({ messages }) => last(messages) === run).length;

const look = {
  name: 'look',
  parameters: { type: 'object', required: ['run'], properties: { run: { type: 'string' } } },
};

beforeAll(async () => {
  models = await startModelServer(
    ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? { calls: [{ name: 'look', arguments: { run: last(messages) } }] }
        : { text: `Done with ${last(messages)}.` },
    { tool: (_name, body) => ({ body: { seen: body } }), delay: () => random() * 80 },
  );
  await start();
});
afterAll(async () => {
  await service.kill9();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
}

async function createWorkflow(thread: string): Promise<string> {
  const memory = { thread, maxTokens: 1_000_000 };
  const agent = createAgentWorkflow(models, { tools: [look], agent: { memory } });
  // The end of the agent is replayed if a kill interrupts the node after it.
  const config = { method: 'POST', url: models.toolUrl('after'), body: {} };
  const definition = {
    nodes: [...agent.nodes, { id: 'after', type: 'http_request', config }],
    connections: [...agent.connections, { from: 'agent', to: 'after' }],
  };
  const created = await call('POST', '/workflows', { body: { name: thread, definition } });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

async function begin(workflow: string, run: string): Promise<string> {
  const started = await call('POST', `/workflows/${workflow}/execute`, {
    body: { input: { message: run } },
    headers: { 'idempotency-key': run },
  });
  expect(started.status, started.text).toBeLessThan(300);
  return (started.body as { id: string }).id;
}

async function awaitEnd(id: string): Promise<void> {
  const ended = await waitUntil(
    async () => (await call('GET', `/executions/${id}`)).body as { status: string },
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    60_000,
  );
  expect(ended.status, JSON.stringify(ended)).toBe('completed');
}

async function readThread(key: string) {
  const { threads } = (await call('GET', `/threads?search=${key}`)).body as { threads: { id: string }[] };
  if (threads.length === 0) return [];
  const { body } = await call('GET', `/threads/${threads[0]!.id}`);
  const { conversation } = body as {
    conversation: { execution_id: string; messages: { role: string; content: unknown }[] }[];
  };
  return conversation;
}

const expectTurn = (run: string) => [
  { role: 'user', content: run },
  { role: 'assistant', content: [{ type: 'tool_call', name: 'look', arguments: { run } }] },
  { role: 'tool', content: [{ type: 'tool_result', name: 'look', result: { body: { seen: { run } } } }] },
  { role: 'assistant', content: [{ type: 'text', text: `Done with ${run}.` }] },
];

test(
  `${TURNS} turns of one thread, each with a kill -9: the thread is the undisturbed one`,
  { timeout: 120_000 + TURNS * 8_000 },
  async () => {
    const workflow = await createWorkflow('one');
    const ids: string[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const id = await begin(workflow, `run-${turn}`);
      // Every other kill comes while a call of the model is open or has just ended.
      if (turn % 2 === 1)
        await waitUntil(
          () => Promise.resolve(countChats(`run-${turn}`)),
          (count) => count > 0,
        );
      await new Promise((resolve) => setTimeout(resolve, random() * (turn % 2 === 1 ? 80 : 450)));
      await service.kill9();
      await start();
      // At any moment: the turns before, and that of this run once or not at all.
      const now = (await readThread('one')).map((one) => one.execution_id);
      expect([ids, [...ids, id]]).toContainEqual(now);
      await awaitEnd(id);
      ids.push(id);
      const conversation = await readThread('one');
      expect(conversation.map((one) => one.execution_id)).toEqual(ids);
      expect(conversation.map(({ messages }) => messages)).toMatchObject(
        ids.map((_, i) => expectTurn(`run-${i}`)),
      );
    }
    // Each run read all turns before it, and nothing else.
    for (let turn = 0; turn < TURNS; turn++)
      for (const { messages } of models.chats.filter((one) => last(one.messages) === `run-${turn}`))
        expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
          Array.from({ length: turn + 1 }, (_, i) => `run-${i}`),
        );
    const repeated = models.chats.length - TURNS * 2;
    console.log(`memory: seed ${seed}, ${TURNS} kills, ${repeated} repeated calls of the model`);
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(TURNS);
  },
);

test(
  `${CONCURRENCY} runs of one thread at once, killed: each turn is there once`,
  { timeout: 120_000 },
  async () => {
    const workflow = await createWorkflow('many');
    const runs = Array.from({ length: CONCURRENCY }, (_, i) => `at-once-${i}`);
    const ids = await Promise.all(runs.map((run) => begin(workflow, run)));
    for (let kill = 0; kill < 3; kill++) {
      await new Promise((resolve) => setTimeout(resolve, random() * 250));
      await service.kill9();
      await start();
    }
    await Promise.all(ids.map(awaitEnd));
    const conversation = await readThread('many');
    expect(conversation.map((one) => one.execution_id).toSorted()).toEqual(ids.toSorted());
    for (const { execution_id: id, messages } of conversation)
      expect(messages).toMatchObject(expectTurn(runs[ids.indexOf(id)]!));
  },
);
