import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type StreamEvent } from '../../sdk/src/index.ts';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { applyTexts, createGate } from '../support/ai/streams.ts';
import { readEvents, type StreamedEvent } from '../support/servers/event-stream.ts';
import {
  adminEmail,
  adminPassword,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { freePort } from '../support/servers/free-port.ts';

const LONG = 'one two three four five, the key is top-secret-value and seven eight.';
const REDACTED = LONG.replace('top-secret-value', '•••');

/** The events of a run whose refund is approved or rejected. */
const WITH_APPROVAL =
  'usage tool_start tool_start tool_end tool_end usage tool_start approval tool_end text usage done';

const folder = createTempFolder();
/** Clients reconnect to it after a restart. */
const port = await freePort();
let weft: SpawnedService;
let api: Call;
let models: ModelServer;
let token: string;
let pace: (word: number) => Promise<boolean> = () => Promise.resolve(true);

beforeAll(async () => {
  models = await startModelServer(
    ({ messages }, turn) =>
      turn === 0 && !JSON.stringify(messages[0]).includes('write')
        ? {
            calls: [
              { name: 'find_order', arguments: { number: 'A-17' } },
              { name: 'find_order', arguments: { wrong: true } },
            ],
          }
        : JSON.stringify(messages[0]).includes('write')
          ? { text: LONG }
          : turn === 1 && JSON.stringify(messages[0]).includes('refund')
            ? { calls: [{ name: 'refund', arguments: { amount: 15 } }] }
            : { text: 'Done, and the key is top-secret-value.' },
    {
      tool: (name) => ({ body: { from: name } }),
      pace: (word) => pace(word),
    },
  );
  await start();
  await api('PUT', '/secrets/KEY', { body: { value: 'top-secret-value' } });
});
afterAll(async () => {
  await weft.stop();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  weft = await spawnService({ dataDir: folder.path, env: { PORT: String(port) } });
  api = await weft.login();
  const { body } = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  ({ token } = body as { token: string });
}

const number = { type: 'object', required: ['number'], properties: { number: { type: 'string' } } };
const writing = () => createAgentWorkflow(models, { tools: [], llm: { stream: true } });

const workflow = () =>
  createAgentWorkflow(models, {
    tools: [
      { name: 'find_order', parameters: number },
      { name: 'refund', parameters: { type: 'object' }, approval: { required: true } },
    ],
    approval: { title: 'Refund {{ item.amount }}?', deadline: '1d' },
  });

async function execute(message: string, wait?: string, definition: object = workflow()): Promise<string> {
  const created = await api('POST', '/workflows', { body: { name: 'x', definition } });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const started = await api('POST', `/workflows/${id}/execute`, {
    body: { input: { message }, ...(wait === undefined ? {} : { wait }) },
  });
  expect(started.status, started.text).toBe(201);
  return (started.body as { id: string }).id;
}

const follow = (
  id: string,
  after?: string | null,
  enough?: (events: StreamedEvent[]) => boolean,
): Promise<StreamedEvent[]> =>
  readEvents(`${weft.url}/executions/${id}/stream`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(typeof after === 'string' ? { 'last-event-id': after } : {}),
    },
    ...(enough === undefined ? {} : { enough }),
  });

const types = (events: readonly StreamedEvent[]): (string | null)[] => events.map(({ event }) => event);

test('the calls of tools, the text, the usage and the end, in order and with secrets redacted', async () => {
  const id = await execute('hello', '20s');
  const events = await follow(id);
  expect(types(events)).toEqual([
    'usage',
    'tool_start',
    'tool_start',
    'tool_end',
    'tool_end',
    'text',
    'usage',
    'done',
  ]);
  const at = { path: 'agent', node_id: 'agent', timestamp: expect.stringMatching(/Z$/) as string };
  expect(events[0]!.data).toEqual({
    type: 'usage',
    ...at,
    node_id: 'chat',
    path: 'agent[0]/chat',
    model: 'test',
    finish_reason: 'tool_calls',
    usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, reasoning_tokens: 0 },
    cost: null,
  });
  expect(events[1]!.data).toEqual({
    type: 'tool_start',
    ...at,
    call_id: 'call_0_0',
    tool: 'find_order',
    arguments: { number: 'A-17' },
  });
  // The arguments of the second call do not fit, so it ends first.
  expect(events[3]!.data).toMatchObject({ type: 'tool_end', call_id: 'call_0_1', is_error: true });
  expect(events[4]!.data).toMatchObject({
    type: 'tool_end',
    call_id: 'call_0_0',
    tool: 'find_order',
    result: { body: { from: 'find_order' } },
    is_error: false,
  });
  expect(events[5]!.data).toMatchObject({ type: 'text', text: 'Done, and the key is •••.' });
  expect(events.at(-1)!.data).toMatchObject({
    type: 'done',
    status: 'completed',
    output: { turns: 2 },
    error: null,
  });
  expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
});

test('a client continues after any event, also when the service was killed, and gets each once', async () => {
  const id = await execute('please refund');
  const isAsked = (events: readonly StreamedEvent[]): boolean => types(events).includes('approval');
  const before = await follow(id, null, isAsked);
  expect(types(before), JSON.stringify(before.at(-1))).toContain('approval');
  const asked = before.find(({ event }) => event === 'approval')!.data as {
    decision_id: string;
    title: string;
    choices: unknown;
    status: string;
  };
  expect(asked).toMatchObject({ title: 'Refund 15?', status: 'open', path: 'agent[1.0.approval]/ask' });
  await weft.kill9();
  await start();
  const after = before.at(-1)!.id;
  const rest = follow(id, after);
  // The stream is open before the decision is made.
  const decided = await api('POST', `/decisions/${asked.decision_id}/respond`, {
    body: { choice: 'approved' },
  });
  expect(decided.status, decided.text).toBe(200);
  const all = [...before, ...(await rest)];
  expect(types(all).join(' ')).toBe(WITH_APPROVAL);
  const whole = await follow(id);
  const settle = ({ id: own, event }: StreamedEvent) => `${own} ${event}`;
  expect(whole.map(settle)).toEqual(all.map(settle));
  for (const [i, { id: last }] of whole.entries())
    expect((await follow(id, last)).map(settle)).toEqual(whole.slice(i + 1).map(settle));
});

test('an execution that fails or is stopped ends its stream with the reason', async () => {
  const stop = { outcome: 'failed', message: 'No stock' };
  const failed = await execute('hello', '20s', {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'stop', type: 'stop', config: stop },
    ],
    connections: [{ from: 'start', to: 'stop' }],
  });
  expect(await follow(failed)).toMatchObject([
    { event: 'done', data: { status: 'failed', output: null, error: { message: 'No stock' } } },
  ]);
  const id = await execute('please refund');
  await waitUntil(
    async () => (await api('GET', `/executions/${id}`)).body as { status: string },
    ({ status }) => status === 'waiting',
  );
  const events = follow(id);
  await api('POST', `/executions/${id}/stop`);
  expect((await events).at(-1)).toMatchObject({ event: 'done', data: { status: 'stopped' } });
});

test('the client yields the events, and continues when the service is restarted', async () => {
  const id = await execute('please refund');
  const client = createClient({ baseUrl: weft.url });
  await client.auth.login({ email: adminEmail, password: adminPassword });
  const seen: StreamEvent[] = [];
  for await (const event of client.executions.stream(id)) {
    seen.push(event);
    if (event.type !== 'approval') continue;
    await weft.kill9();
    await start();
    await client.decisions.respond(event.decision_id, { choice: 'rejected', comment: 'Too much' });
  }
  expect(seen.map(({ type }) => type).join(' ')).toBe(WITH_APPROVAL);
  expect(seen.at(8)).toMatchObject({ tool: 'refund', is_error: true });
});

async function releaseWord(gate: ReturnType<typeof createGate>): Promise<void> {
  await waitUntil(
    () => Promise.resolve(gate.isWaiting()),
    (isWaiting) => isWaiting,
  );
  gate.release(true);
}

test('a text arrives while the model writes it, and a client continues it anywhere', async () => {
  const gate = createGate();
  ({ pace } = gate);
  const id = await execute('write', undefined, writing());
  const seen: StreamedEvent[] = [];
  // A new connection for each event. The model writes a word when the client has the one before.
  let left = LONG.split(' ').length;
  while (seen.at(-1)?.event !== 'done') {
    if (left-- > 0) await releaseWord(gate);
    const [next] = await follow(id, seen.at(-1)?.id, (events) => events.length > 0);
    seen.push(next!);
  }
  expect(types(seen).filter((type) => type === 'text').length).toBeGreaterThan(10);
  expect(types(seen)).not.toContain('reset');
  expect(applyTexts(seen)).toEqual({ 'agent[0]/chat': REDACTED });
  pace = () => Promise.resolve(true);
});

test('a call that was cut by a crash begins its text anew, and says so unless the text is the same', async () => {
  const gate = createGate();
  ({ pace } = gate);
  const id = await execute('write', undefined, writing());
  const before: StreamedEvent[] = [];
  const reading = follow(id, null, (events) => {
    before.splice(0, before.length, ...events);
    return applyTexts(events)['agent[0]/chat']?.includes('three') === true;
  });
  for (let word = 0; word < 4; word++) await releaseWord(gate);
  await reading;
  await weft.kill9();
  pace = () => Promise.resolve(true);
  gate.release(false);
  await start();
  const rest = await follow(id, before.at(-1)!.id);
  expect(types(rest).at(-1)).toBe('done');
  expect(applyTexts([...before, ...rest])).toEqual({ 'agent[0]/chat': REDACTED });
  // A client whose text is another one.
  const wrong = before.at(-1)!.id!.replace(/.{16}$/, '0123456789abcdef');
  const corrected = await follow(id, wrong);
  expect(types(corrected)).toEqual(['reset', 'text', 'usage', 'done']);
  expect(applyTexts([...before, ...corrected])).toEqual({ 'agent[0]/chat': REDACTED });
});

test('a connection that the provider cuts begins the text anew with the next attempt', async () => {
  let cuts = 0;
  pace = (word) => Promise.resolve(word !== 4 || cuts++ > 0);
  const id = await execute('write', '20s', {
    ...createAgentWorkflow(models, {
      tools: [],
      llm: { stream: true, retryPolicy: { maxAttempts: 2, initialDelay: '10ms' } },
    }),
  });
  pace = () => Promise.resolve(true);
  expect(cuts).toBe(2);
  expect(applyTexts(await follow(id))).toEqual({ 'agent[0]/chat': REDACTED });
});

test('a wrong Last-Event-ID and a missing execution are refused before the stream begins', async () => {
  const id = await execute('hello', '20s');
  const wrong = await api('GET', `/executions/${id}/stream`, { headers: { 'last-event-id': 'x' } });
  expect(wrong.status).toBe(400);
  expect(wrong.body).toMatchObject({
    error: { code: 'VALIDATION_ERROR', details: { field: 'Last-Event-ID' } },
  });
  const [last] = (await follow(id)).at(-1)!.id!.split('~', 1);
  expect(await follow(id, last)).toEqual([]);
  const beyond = await api('GET', `/executions/${id}/stream`, {
    headers: { 'last-event-id': last!.replace(/^\d+/, (number) => String(Number(number) + 1)) },
  });
  expect(beyond.status).toBe(400);
  expect(beyond.body).toMatchObject({
    error: {
      code: 'VALIDATION_ERROR',
      details: { field: 'Last-Event-ID', issue: 'must be the id of an event of this stream' },
    },
  });
  expect((await api('GET', '/executions/missing/stream')).status).toBe(404);
  expect((await weft.call('GET', `/executions/${id}/stream`)).status).toBe(401);
});
