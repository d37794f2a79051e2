import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createChatPageWorkflow } from '../support/ai/chat-page-workflow.ts';
import { startModelServer, type ChatMessage, type ModelServer } from '../support/ai/model-server.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let models: ModelServer;
let pace: (word: number) => Promise<boolean> = () => Promise.resolve(true);

const last = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');

beforeAll(async () => {
  models = await startModelServer(
    ({ messages }) => {
      if (last(messages).includes('break')) return { status: 400, text: 'A detail of the service.' };
      return messages.at(-1)?.role === 'user' && last(messages).includes('pay')
        ? { calls: [{ name: 'pay', arguments: { amount: 20 } }] }
        : { text: `This is the response to ${last(messages)}` };
    },
    { pace: (word) => pace(word) },
  );
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterEach(() => {
  pace = () => Promise.resolve(true);
});
afterAll(async () => {
  await weft.stop();
  await models.close();
  folder.remove();
});

type Trigger = { url: string; links?: { name: string; url: string }[] };
type Opened = { token: string; messages: string; history: { ref: string; role: string; text: string }[] };
type PageEvent = {
  type: string;
  text?: string | null;
  part?: string;
  decision?: object | null;
  ref?: string;
};

async function create(name: string, page: object): Promise<{ id: string; trigger: Trigger }> {
  const created = await api('POST', '/workflows', { body: createChatPageWorkflow(models, name, page) });
  expect(created.status, created.text).toBe(201);
  const { id, triggers } = created.body as { id: string; triggers: Trigger[] };
  return { id, trigger: triggers[0]! };
}

async function open(url: string, headers: Record<string, string> = {}): Promise<Opened> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  const [, data] = /<script type="application\/json" id="config">(.*?)<\/script>/s.exec(
    await response.text(),
  )!;
  return JSON.parse(data!) as Opened;
}

let count = 0;
const createId = (): string => `message-${String(++count).padStart(10, '0')}`;

function post({ token, messages }: Opened, fields: Record<string, string | Blob>): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, 'a.txt');
  return fetch(messages, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
}

const authorize = ({ token }: Opened): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

/** Reads events until `isEnough`, or to the end. */
async function follow(
  { token, messages }: Opened,
  id: string,
  lastId: string | null = null,
  isEnough: (events: readonly PageEvent[]) => boolean = () => false,
): Promise<{ events: PageEvent[]; lastId: string | null }> {
  const ended = new AbortController();
  const response = await fetch(`${messages}/${id}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastId !== null && { 'last-event-id': lastId }) },
    signal: ended.signal,
  });
  expect(response.status).toBe(200);
  const events: PageEvent[] = [];
  let rest = '';
  let seen = lastId;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data === undefined) continue;
      events.push(JSON.parse(data) as PageEvent);
      seen = /^id: (.*)$/m.exec(block)?.[1] ?? seen;
    }
    if (isEnough(events)) {
      ended.abort();
      break;
    }
  }
  return { events, lastId: seen };
}

const textOf = (events: readonly PageEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

test('a message starts one execution, whose text is streamed, and continues by Last-Event-ID', async () => {
  const { id: workflow, trigger } = await create('streams', {});
  const page = await open(trigger.url);
  const id = createId();
  let release = (): void => {};
  const held = new Promise<boolean>((resolve) => (release = () => resolve(true)));
  pace = (word) => (word < 4 ? Promise.resolve(true) : held);
  const sent = await post(page, { id, text: 'Hello' });
  expect(sent.status).toBe(202);
  expect((await post(page, { id, text: 'Hello' })).status).toBe(202);
  expect((await post(page, { id, text: 'Other' })).status).toBe(400);
  const first = await follow(page, id, null, (events) => textOf(events).length > 0);
  expect(first.events.map(({ type }) => type)).not.toContain('done');
  release();
  const second = await follow(page, id, first.lastId);
  expect(textOf(first.events) + textOf(second.events)).toBe('This is the response to "Hello"');
  const { ref } = (await sent.json()) as { ref: string };
  expect(second.events.at(-1)).toEqual({ type: 'done', ref, text: 'This is the response to "Hello"' });
  const { body } = await api('GET', `/workflows/${workflow}/executions`);
  expect((body as { pagination: { total: number } }).pagination.total).toBe(1);
});

test('a page shows no calls of tools, no errors, and only that a person is asked', async () => {
  const { trigger } = await create('quiet', {});
  const page = await open(trigger.url);
  const failing = createId();
  await post(page, { id: failing, text: 'break it' });
  expect((await follow(page, failing)).events).toEqual([
    { type: 'done', ref: expect.any(String) as string, text: null },
  ]);
  const paying = createId();
  await post(page, { id: paying, text: 'Please pay' });
  const { events } = await follow(page, paying, null, (all) => all.some(({ type }) => type === 'approval'));
  expect(events).toEqual([{ type: 'approval', decision: null }]);
});

test('the history has the texts of the conversation, and no other page reads it', async () => {
  const { trigger } = await create('history', {});
  const response = await fetch(trigger.url, { redirect: 'manual' });
  expect(response.status).toBe(303);
  const url = new URL(response.headers.get('location')!, trigger.url).href;
  const page = await open(url);
  const id = createId();
  await post(page, { id, text: 'Remember me' });
  await follow(page, id);
  expect((await open(url)).history.map(({ role, text }) => [role, text])).toEqual([
    ['user', 'Remember me'],
    ['assistant', 'This is the response to "Remember me"'],
  ]);
  expect((await open(trigger.url)).history).toEqual([]);
  // A thread that a caller of the API named as the address of a page.
  const named = 'customer_0123456789';
  const called = await api('POST', '/chat/completions', {
    body: { model: 'history', user: named, messages: [{ role: 'user', content: 'A secret' }] },
  });
  expect(called.status, called.text).toBe(200);
  expect((await open(`${trigger.url}?chat=${named}`)).history).toEqual([]);
  const other = await open(trigger.url);
  const foreign = await fetch(`${other.messages}/${id}`, {
    headers: { authorization: `Bearer ${other.token}` },
  });
  expect(foreign.status).toBe(404);
});

test('a token belongs to its page, and ends with its link', async () => {
  const links = [{ name: 'customers', expires_at: '2099-01-31' }];
  const { id: workflow, trigger } = await create('linked', { access: 'link', links });
  expect(trigger.links).toMatchObject([{ name: 'customers' }]);
  expect((await fetch(`${trigger.url}?chat=0123456789abcdef`)).status).toBe(404);
  const page = await open(trigger.links![0]!.url);
  const { trigger: otherTrigger } = await create('other-page', {});
  const other = await open(otherTrigger.url);
  expect((await post({ ...page, token: other.token }, { id: createId(), text: 'x' })).status).toBe(401);
  expect((await post({ ...page, token: 'made-up' }, { id: createId(), text: 'x' })).status).toBe(401);
  expect((await post(page, { id: createId(), text: 'x' })).status).toBe(202);
  const changed = createChatPageWorkflow(models, 'linked', {
    access: 'link',
    links: [{ name: 'partners', expires_at: '2099-01-31' }],
  });
  const saved = await api('PUT', `/workflows/${workflow}`, { body: { definition: changed.definition } });
  expect(saved.status, saved.text).toBe(200);
  await api('POST', `/workflows/${workflow}/publish`);
  await waitUntil(
    async () => (await post(page, { id: createId(), text: 'x' })).status,
    (status) => status === 401,
  );
});

test('messages are bounded, and a page that is closed is not found', async () => {
  const { id: workflow, trigger } = await create('bounded', {});
  const page = await open(trigger.url);
  const statusOf = async (fields: Record<string, string | Blob>): Promise<number> =>
    (await post(page, fields)).status;
  expect(await statusOf({ id: 'short', text: 'x' })).toBe(400);
  expect(await statusOf({ id: createId(), text: ' ' })).toBe(400);
  expect(await statusOf({ id: createId(), text: 'x'.repeat(16_385) })).toBe(400);
  expect(await statusOf({ id: createId(), text: 'x', files: new Blob(['a']) })).toBe(400);
  expect(await statusOf({ id: createId(), text: 'x', files: new Blob(['a'.repeat(11_000_000)]) })).toBe(400);
  expect(await statusOf({ id: createId(), text: 'x', others: new Blob(['a']) })).toBe(400);
  const invented = {
    $file: { id: 'file_0123456789abcdefghjkmnpqrs', name: 'a', content_type: 'a/b', size: 1 },
  };
  const sent = await fetch(page.messages, {
    method: 'POST',
    headers: { authorization: `Bearer ${page.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: createId(), text: 'x', files: [invented] }),
  });
  expect(sent.status).toBeGreaterThanOrEqual(400);
  expect(sent.status).toBeLessThan(500);
  await api('PUT', `/workflows/${workflow}`, { body: { status: 'inactive' } });
  expect((await fetch(trigger.url)).status).toBe(404);
  expect(await statusOf({ id: createId(), text: 'x' })).toBe(404);
});

test('what a page cannot be is refused', async () => {
  const refuse = async (page: object): Promise<string> =>
    JSON.stringify(
      (await api('POST', '/workflows', { body: createChatPageWorkflow(models, 'no', page) })).body,
    );
  expect(await refuse({ access: 'link' })).toContain('page.links');
  expect(await refuse({ embed_origins: ['https://www.example.com/path'] })).toContain('must be an origin');
  expect(await refuse({ embed_origins: ['https://a.example'], access: 'users' })).toContain(
    'is not supported by the access users',
  );
  expect(await refuse({ brand: { colour: 'red' } })).toContain('page.brand.colour');
});

test('a page of a deleted user accepts nothing more', async () => {
  const { trigger } = await create('for-users', { access: 'users' });
  const account = { email: 'grace@example.com', password: 'a password of twenty' };
  const created = await api('POST', '/users', { body: { ...account, name: 'Grace' } });
  expect(created.status, created.text).toBe(201);
  const login = await fetch(`${weft.url}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-weft-csrf': '1', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(account),
  });
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
  const page = await open(trigger.url, { cookie });
  const sent = createId();
  expect((await post(page, { id: sent, text: 'x' })).status).toBe(202);
  expect((await api('DELETE', `/users/${(created.body as { id: string }).id}`)).status).toBe(200);
  expect((await post(page, { id: createId(), text: 'x' })).status).toBe(401);
  expect((await fetch(`${page.messages}/${sent}`, authorize(page))).status).toBe(401);
});

test('one address has at most 20 open streams, and can open another when one closes', async () => {
  pace = () => new Promise(() => {});
  const { trigger } = await create('streamed', {});
  const page = await open(trigger.url);
  const id = createId();
  expect((await post(page, { id, text: 'x' })).status).toBe(202);
  const streams: AbortController[] = [];
  const follow = async (): Promise<number> => {
    const controller = new AbortController();
    const init = { ...authorize(page), signal: controller.signal };
    const { status } = await fetch(`${page.messages}/${id}`, init);
    if (status === 200) streams.push(controller);
    return status;
  };
  for (let i = 0; i < 20; i++) expect(await follow()).toBe(200);
  expect(await follow()).toBe(429);
  streams[0]!.abort();
  await waitUntil(follow, (status) => status === 200);
  for (const stream of streams) stream.abort();
});

test('too many messages from one address are refused', async () => {
  const { trigger } = await create('flooded', {});
  const page = await open(trigger.url);
  const statuses: number[] = [];
  for (let i = 0; i < 35; i++) statuses.push((await post(page, { id: createId(), text: ' ' })).status);
  expect(statuses.at(-1)).toBe(429);
});
