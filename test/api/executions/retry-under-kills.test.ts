import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../../support/ai/agent-workflow.ts';
import { startModelServer, type ChatMessage, type ModelServer } from '../../support/ai/model-server.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/*
 * Retries from inside a body on the built program, with kill -9 while they run. The model and the tools are a
 * process that survives and counts each request.
 */
const TURNS = 6;
const ITEMS = 40;
const look = {
  name: 'look',
  parameters: { type: 'object', required: ['turn'], properties: { turn: { type: 'integer' } } },
};

const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let call: Call;
/** The turn at which the model fails, and the item at which the tool does. */
let failing = Infinity;
/** Holds the response to this turn or item back. */
let held = Infinity;

const turnOf = (messages: readonly ChatMessage[]): number =>
  messages.filter(({ role }) => role === 'assistant').length;

beforeAll(async () => {
  models = await startModelServer(
    (_request, turn) => {
      if (turn === failing) return { status: 400 };
      if (turn === TURNS - 1) return { text: 'Done.' };
      // The call of the second position does not fit, which is a result for the model.
      return {
        calls: [
          { name: 'look', arguments: { turn } },
          { name: 'look', arguments: { turn: 'x' } },
        ],
      };
    },
    {
      tool: (_name, body) => {
        const { index } = body as { index?: number };
        return index === failing ? { status: 400 } : { body: { seen: body } };
      },
      before: ({ messages }) => (turnOf(messages) === held ? new Promise(() => {}) : Promise.resolve()),
    },
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

type Execution = { id: string; status: string; output: unknown; usage: unknown };

async function create(definition: object): Promise<string> {
  const created = await call('POST', '/workflows', { body: { name: 'Bodies', definition } });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

async function begin(path: string, body: object): Promise<string> {
  const started = await call('POST', path, { body });
  expect(started.status, started.text).toBe(201);
  return (started.body as Execution).id;
}

const end = (id: string): Promise<Execution> =>
  waitUntil(
    async () => (await call('GET', `/executions/${id}`)).body as Execution,
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    30_000,
  );

async function kill(): Promise<void> {
  await service.kill9();
  await start();
}

/** The turns of which the model received a request, and the turns or items of which the tool did. */
function countCalls(): { model: number[]; tool: number[] } {
  const counted = {
    model: models.chats.map(({ messages }) => turnOf(messages)),
    tool: models.toolCalls.map(({ body }) => {
      const { turn, index } = body as { turn?: number; index?: number };
      return turn ?? index ?? -1;
    }),
  };
  models.chats.length = 0;
  models.toolCalls.length = 0;
  return counted;
}

test('an agent continues at the turn that failed, also after a kill, and at any earlier turn', async () => {
  const workflow = await create(createAgentWorkflow(models, { tools: [look] }));
  const message = { message: 'Look around.' };
  failing = 4;
  const first = await begin(`/workflows/${workflow}/execute`, { input: message });
  expect((await end(first)).status).toBe('failed');
  expect(countCalls()).toEqual({ model: [0, 1, 2, 3, 4], tool: [0, 1, 2, 3] });

  failing = Infinity;
  held = 5;
  const second = await begin(`/executions/${first}/retry`, {});
  await waitUntil(
    () => Promise.resolve(models.chats.length),
    (count) => count === 2,
    30_000,
  );
  // The request that is held stays so. The one after the restart is not.
  held = Infinity;
  await kill();
  const ended = await end(second);
  // The call that the kill interrupted is the only one that is repeated.
  expect(countCalls()).toEqual({ model: [4, 5, 5], tool: [4] });
  const whole = { text: 'Done.', turns: TURNS, tool_calls: 10, failed_tool_calls: 5 };
  expect(ended).toMatchObject({ status: 'completed', output: whole });
  expect(ended.usage).toMatchObject({ calls: 2 });

  const third = await begin(`/executions/${second}/retry`, { from: 'agent[2.0]/look' });
  expect(await end(third)).toMatchObject({ status: 'completed', output: whole });
  expect(countCalls()).toEqual({ model: [3, 4, 5], tool: [2, 3, 4] });
});

test('a loop continues at the item that failed, also after a kill, and repeats one item alone', async () => {
  const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
  const config = { items: Array.from({ length: ITEMS }, (_, i) => i), nodes: ['send'] };
  const send = {
    id: 'send',
    type: 'http_request',
    config: { method: 'POST', url: models.toolUrl('send'), body: '{{ input }}' },
  };
  const workflow = await create({
    nodes: [start, { id: 'loop', type: 'for_each', config }, send],
    connections: [{ from: 'start', to: 'loop' }],
  });
  failing = 30;
  const first = await begin(`/workflows/${workflow}/execute`, {});
  expect((await end(first)).status).toBe('failed');
  expect(countCalls().tool).toHaveLength(31);

  failing = Infinity;
  const second = await begin(`/executions/${first}/retry`, { from: 'loop[30]' });
  await waitUntil(
    () => Promise.resolve(models.toolCalls.length),
    (count) => count >= 2,
    30_000,
  );
  await kill();
  const { status, output } = await end(second);
  expect(status).toBe('completed');
  expect((output as { results: unknown[] }).results).toHaveLength(ITEMS);
  const { tool } = countCalls();
  expect([...new Set(tool)]).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
  // A kill repeats at most the call that it interrupted.
  expect(tool.length).toBeLessThanOrEqual(11);

  const third = await begin(`/executions/${second}/retry`, {
    from: 'loop[7]/send',
    input: { index: 7, item: 'x' },
  });
  expect((await end(third)).status).toBe('completed');
  expect(countCalls().tool).toEqual([7]);
});
