import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { applyTexts } from '../support/ai/streams.ts';
import { readEvents, type StreamedEvent } from '../support/servers/event-stream.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

const TEXT = 'one two three, the key is top-secret-value and four five.';
const REDACTED = TEXT.replace('top-secret-value', '•••');

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let models: ModelServer;
/** Called before each word of the text. */
let pace: (word: number) => Promise<boolean> = () => Promise.resolve(true);

beforeAll(async () => {
  models = await startModelServer(() => ({ text: TEXT }), { pace: (word) => pace(word) });
  await start('0');
  await api('PUT', '/secrets/KEY', { body: { value: 'top-secret-value' } });
  const created = await api('POST', '/workflows', {
    body: {
      name: 'Stream',
      status: 'active',
      definition: {
        nodes: [
          {
            id: 'start',
            type: 'trigger',
            config: { triggerType: 'webhook', endpoint: 'stream', authentication: 'none', respond: 'stream' },
          },
          {
            id: 'write',
            type: 'llm',
            config: {
              provider: 'openai_compatible',
              baseUrl: models.url,
              model: 'm',
              prompt: '{{ trigger.body.text }}',
              stream: true,
            },
          },
        ],
        connections: [{ from: 'start', to: 'write' }],
      },
    },
  });
  expect(created.status, created.text).toBe(201);
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

const request = (
  headers: Record<string, string> = {},
  enough?: (events: StreamedEvent[]) => boolean,
): Promise<StreamedEvent[]> =>
  readEvents(`${weft.url}/webhooks/stream`, {
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"text":"Write."}',
    ...(enough === undefined ? {} : { enough }),
  });

const isOver = (events: readonly StreamedEvent[]): boolean => events.at(-1)?.event === 'done';

test('the caller gets the events of its execution, with secrets redacted', async () => {
  const events = await request();
  expect(applyTexts(events)).toEqual({ write: REDACTED });
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
});

test('the same request continues after the last event, also after kill -9', async () => {
  const headers = { 'idempotency-key': 'continued' };
  let isWaiting = false;
  let release = (_continues: boolean): void => {};
  const held = new Promise<boolean>((resolve) => (release = resolve));
  pace = (word) => {
    isWaiting ||= word === 5;
    return word === 5 ? held : Promise.resolve(true);
  };
  const before: StreamedEvent[] = [];
  const first = request(headers, (events) => {
    before.splice(0, before.length, ...events);
    return false;
  }).then(
    () => 'complete',
    () => 'cut',
  );
  await waitUntil(() => Promise.resolve(isWaiting && before.length > 0), Boolean);
  const { port } = new URL(weft.url);
  await weft.kill9();
  expect(await first).toBe('cut');
  expect(isOver(before)).toBe(false);
  pace = () => Promise.resolve(true);
  release(false);
  await start(port);
  const { id } = before.at(-1)!;
  const rest = await request({ ...headers, 'last-event-id': id! });
  expect(applyTexts([...before, ...rest])).toEqual({ write: REDACTED });
  expect(isOver(rest)).toBe(true);
  const { body } = await api('GET', '/executions?trigger=webhook');
  expect((body as { pagination: { total: number } }).pagination.total).toBe(2);
});

test.each([
  ['x', 'must be the id of an event of this stream'],
  ['3.2', 'needs the Idempotency-Key of the request whose stream it continues'],
])('the id %s without a key starts nothing', async (lastEventId, issue) => {
  const response = await fetch(`${weft.url}/webhooks/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'last-event-id': lastEventId },
    body: '{}',
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(issue);
  const { body } = await api('GET', '/executions?trigger=webhook');
  expect((body as { pagination: { total: number } }).pagination.total).toBe(2);
});

test('a test URL streams, too', async () => {
  const created = (await api('GET', '/workflows')).body as { workflows: { id: string }[] };
  const { id } = created.workflows[0]!;
  const listening = await api('POST', `/workflows/${id}/listen`, { body: { node_id: 'start' } });
  expect(listening.status, listening.text).toBe(201);
  const { url } = listening.body as { url: string };
  const events = await readEvents(url, {
    headers: { 'content-type': 'application/json' },
    body: '{"text":"Write."}',
  });
  expect(applyTexts(events)).toEqual({ write: REDACTED });
});
