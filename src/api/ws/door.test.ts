import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { check } from '../../contract/check.ts';
import { serverMessages } from '../../contract/schemas-socket.ts';
import { ManualClock } from '../../engine/testing/manual-clock.ts';
import {
  connectSocket,
  endSocketClients,
  type Message,
  type SocketClient,
} from '../testing/socket-client.ts';
import { openSocketServer, type SocketServer } from './testing/socket-server.ts';

/** One server for all: every test has users of its own. */
const clock = new ManualClock(Date.now());
let server: SocketServer;
const clients: SocketClient[] = [];

beforeAll(async () => {
  server = await openSocketServer({ clock });
});
afterEach(() => {
  // Whatever was sent is what the contract says.
  for (const { messages } of clients.splice(0)) {
    for (const message of messages)
      check(serverMessages[message.type as keyof typeof serverMessages], message);
  }
  endSocketClients();
});
afterAll(async () => {
  await server.close();
  expect(server.lines.filter((line) => line.includes('"error"'))).toEqual([]);
});

async function open(): Promise<SocketClient> {
  const client = await connectSocket(server.url);
  clients.push(client);
  return client;
}
async function proved(userId: string): Promise<SocketClient> {
  const client = await open();
  const { token } = await server.session(userId);
  expect((await client.auth(token)).type).toBe('auth_success');
  return client;
}
/** Gives the network its turns. */
const turns = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await turns(10);
  expect(holds()).toBe(true);
}

/** Time goes on, in steps between which the network has its turns. */
async function wait(ms: number, step = 1_000): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left));
    await turns(3);
  }
  await turns();
}
async function refused(client: SocketClient): Promise<Message> {
  const message = await client.next('error');
  expect(await client.closed()).toMatchObject({ code: 4401 });
  expect(message.data).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(client.messages.at(-1)).toBe(message);
  return message;
}

describe('auth', () => {
  test('a session token: until when it holds', async () => {
    const userId = await server.user();
    const { token } = await server.session(userId);
    const client = await open();
    const expires = new Date(Math.floor(clock.now() / 1000) * 1000 + 3_600_000).toISOString();
    expect(await client.auth(token)).toEqual({
      type: 'auth_success',
      data: { user_id: userId, expires_at: expires },
    });
  });

  test('an API key, with and without an end', async () => {
    const userId = await server.user();
    const forever = await open();
    expect(await forever.auth((await server.key(userId)).key)).toEqual({
      type: 'auth_success',
      data: { user_id: userId, expires_at: null },
    });
    const expiresAt = clock.now() + 60_000;
    const ending = await open();
    expect((await ending.auth((await server.key(userId, { expiresAt })).key)).data).toEqual({
      user_id: userId,
      expires_at: new Date(expiresAt).toISOString(),
    });
  });

  test.each([
    ['no token at all', 'nonsense'],
    ['no key at all', `weft_${'x'.repeat(43)}`],
  ])('%s is refused', async (_what, token) => {
    const client = await open();
    client.send({ type: 'auth', token });
    await refused(client);
  });

  test.each([
    ['ping', { type: 'ping' }, {}],
    ['subscribe', { type: 'subscribe', data: {} }, {}],
    ['no token', { type: 'auth' }, { field: 'token', issue: 'is required' }],
    ['a token of another type', { type: 'auth', token: 5 }, { field: 'token', issue: 'must be a string' }],
    ['a field too many', { type: 'auth', token: 'x', data: {} }, { field: 'data' }],
    ['an unknown type', { type: 'hello' }, { field: 'type' }],
    ['no object', '[]', {}],
    ['broken JSON', '{"type":', {}],
    ['nothing', '', {}],
    ['bytes', Buffer.from('{"type":"auth","token":"x"}'), { field: 'message' }],
  ])('%s before auth ends the connection', async (_what, message, details) => {
    const client = await open();
    client.send(message);
    expect((await refused(client)).data?.['details']).toMatchObject(details);
  });

  test('10 s without a message end it, and not a moment earlier', async () => {
    const client = await open();
    clock.advance(9_999);
    await turns();
    expect(client.messages).toEqual([]);
    clock.advance(1);
    expect((await refused(client)).data?.['message']).toBe('No auth message came within 10 s.');
  });

  test('what is sent behind auth without waiting is served after it', async () => {
    const userId = await server.user();
    const { token } = await server.session(userId);
    const { workflowId } = await server.owned(userId);
    const client = await open();
    client.send({ type: 'auth', token });
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    client.send({ type: 'ping' });
    await client.next('pong');
    expect(client.messages.map(({ type }) => type)).toEqual(['auth_success', 'subscribed', 'pong']);
  });

  test('what is sent behind a refused auth is not served', async () => {
    const client = await open();
    client.send({ type: 'auth', token: 'wrong' });
    client.send({ type: 'ping' });
    await refused(client);
    expect(client.messages).toHaveLength(1);
  });

  test('without executions:read one is proved, is told, and hears nothing', async () => {
    const userId = await server.user();
    const { key } = await server.key(userId, { scopes: ['workflows:read'] });
    const { workflowId } = await server.owned(userId);
    const client = await open();
    expect((await client.auth(key)).type).toBe('auth_success');
    const error = await client.next('error');
    expect(error.data).toEqual({
      code: 'FORBIDDEN',
      message: 'This credential lacks the scope executions:read.',
      details: { scope: 'executions:read' },
    });
    expect(server.bus.wanted(userId)).toBe(false);
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    expect((await client.next()).data).toEqual(error.data);
    server.publish(userId);
    client.send({ type: 'ping' });
    expect((await client.next()).type).toBe('pong');
  });

  test('another credential of the same user widens, and narrows', async () => {
    const userId = await server.user();
    const client = await open();
    await client.auth((await server.key(userId, { scopes: ['nodes:read'] })).key);
    await client.next('error');
    await client.auth((await server.key(userId, { scopes: ['executions:read'] })).key);
    server.publish(userId);
    await client.next('execution_update');
    expect((await client.auth((await server.key(userId, { scopes: [] })).key)).type).toBe('auth_success');
    await client.next('error');
    expect(server.bus.wanted(userId)).toBe(false);
  });
});

describe('a credential ends', () => {
  test('logout: at once', async () => {
    const userId = await server.user();
    const session = await server.session(userId);
    const other = await proved(userId);
    const client = await open();
    await client.auth(session.token);
    await server.store.people.endSession(session.id, clock.now());
    server.cache.forget({ sessionId: session.id });
    expect((await refused(client)).data?.['message']).toBe('The token is no longer valid.');
    server.publish(userId);
    await other.next('execution_update');
  });

  test('a session that another process ended: within 5 s', async () => {
    const userId = await server.user();
    const session = await server.session(userId);
    const client = await open();
    await client.auth(session.token);
    await server.store.people.endSession(session.id, clock.now());
    await wait(5_000);
    await refused(client);
  });

  test('a refresh ends nothing', async () => {
    const userId = await server.user();
    const session = await server.session(userId);
    const row = await server.store.people.session(session.id);
    const client = await open();
    await client.auth(session.token);
    const next = { tokenId: 'next', at: clock.now(), expiresAt: row!.expiresAt };
    await server.store.people.rotateSession(session.id, row!.tokenId, next);
    server.cache.forget({ sessionId: session.id });
    await wait(10_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('an API key that is removed: at once here, within 5 s elsewhere', async () => {
    const userId = await server.user();
    const [here, elsewhere] = [await server.key(userId), await server.key(userId)];
    const [first, second] = [await open(), await open()];
    await first.auth(here.key);
    await second.auth(elsewhere.key);
    await server.store.people.removeApiKey(userId, here.id);
    await server.store.people.removeApiKey(userId, elsewhere.id);
    server.cache.forget({ keyId: here.id });
    await refused(first);
    await wait(5_000);
    await refused(second);
  });

  test('a user who is removed', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    await server.store.people.removeUser(userId);
    server.cache.forget({ userId });
    await refused(client);
  });

  test('an expired token, and a key', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    const keyed = await open();
    await keyed.auth((await server.key(userId, { expiresAt: clock.now() + 30_000 })).key);
    await wait(29_000);
    expect(keyed.socket.readyState).toBe(keyed.socket.OPEN);
    await wait(1_000);
    await refused(keyed);
    await wait(3_568_000, 5_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await wait(2_000);
    expect((await refused(client)).data?.['message']).toBe('The token has expired.');
  });

  test('auth with a newer token puts the end off', async () => {
    const userId = await server.user();
    const client = await open();
    await client.auth((await server.key(userId, { expiresAt: clock.now() + 5_000 })).key);
    const later = clock.now() + 60_000;
    expect(
      (await client.auth((await server.key(userId, { expiresAt: later })).key)).data?.['expires_at'],
    ).toBe(new Date(later).toISOString());
    await wait(10_000);
    server.publish(userId);
    await client.next('execution_update');
    await wait(51_000);
    await refused(client);
  });

  test('the credential that was replaced may end', async () => {
    const userId = await server.user();
    const old = await server.session(userId);
    const client = await open();
    await client.auth(old.token);
    await client.auth((await server.session(userId)).token);
    await server.store.people.endSession(old.id, clock.now());
    server.cache.forget({ sessionId: old.id });
    await wait(6_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test("another user's token, and a wrong one, end it", async () => {
    const userId = await server.user();
    const client = await proved(userId);
    client.send({ type: 'auth', token: (await server.session(await server.user())).token });
    expect((await refused(client)).data?.['message']).toBe('This connection belongs to another user.');
    const second = await proved(userId);
    second.send({ type: 'auth', token: 'wrong' });
    await refused(second);
    expect(server.bus.wanted(userId)).toBe(false);
  });

  test('a credential that ended between its proof and the answer', async () => {
    const userId = await server.user();
    const session = await server.session(userId);
    const first = await open();
    await first.auth(session.token);
    first.end();
    // The proof is still believed, but the watch reads anew.
    await server.store.people.endSession(session.id, clock.now());
    await turns();
    const client = await open();
    client.send({ type: 'auth', token: session.token });
    await client.closed();
    expect(client.messages.at(-1)).toMatchObject({ type: 'error', data: { code: 'UNAUTHORIZED' } });
  });
});

describe('events', () => {
  test('an update and a notification, as they are sent', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    const at = Date.parse('2026-01-31T12:00:00.123Z');
    server.publish(userId, {
      executionId: 'ex_a',
      workflowId: 'wf_a',
      currentNode: '',
      progress: 1,
      timestamp: at,
    });
    expect(await client.next()).toEqual({
      type: 'execution_update',
      data: {
        execution_id: 'ex_a',
        workflow_id: 'wf_a',
        status: 'running',
        progress: 1,
        current_node: '',
        timestamp: '2026-01-31T12:00:00.123Z',
      },
    });
    server.bus.publish({
      kind: 'notification',
      ownerId: userId,
      level: 'warning',
      message: 'Grüße 🧵',
      timestamp: at,
      data: { hidden: 1 },
    });
    expect(await client.next()).toEqual({
      type: 'notification',
      data: { level: 'warning', message: 'Grüße 🧵', timestamp: '2026-01-31T12:00:00.123Z' },
    });
    server.bus.publish({ kind: 'log', ownerId: userId, executionId: 'ex_a', entries: [] });
    client.send({ type: 'ping' });
    expect((await client.next()).type).toBe('pong');
  });

  test.each([0, 1, 60, 61, 62, 65_460, 65_470, 65_471, 65_472, 200_000])(
    'a message of %i characters more arrives whole',
    async (more) => {
      const userId = await server.user();
      const client = await proved(userId);
      const message = 'x'.repeat(more);
      server.bus.publish({ kind: 'notification', ownerId: userId, level: 'info', message, timestamp: 0 });
      expect((await client.next('notification')).data?.['message']).toBe(message);
    },
  );

  test("others' events are never seen, and nothing is wanted of who is not there", async () => {
    const [alice, bob] = [await server.user(), await server.user()];
    const [a, b] = [await proved(alice), await proved(bob)];
    for (let i = 0; i < 50; i++) {
      server.publish(alice, { executionId: `ex_alice_${i}` });
      server.publish(bob, { executionId: `ex_bob_${i}` });
    }
    await a.next((message) => message.data?.['execution_id'] === 'ex_alice_49');
    await b.next((message) => message.data?.['execution_id'] === 'ex_bob_49');
    expect(JSON.stringify(a.messages)).not.toContain('bob');
    expect(JSON.stringify(b.messages)).not.toContain('alice');
    a.end();
    await until(() => !server.bus.wanted(alice));
    expect(server.bus.wanted(bob)).toBe(true);
  });

  test('while the client keeps up nothing is merged, however fast it goes', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    for (let i = 0; i <= 60; i++) server.publish(userId, { executionId: 'ex_a', progress: i / 60 });
    await client.next((message) => message.data?.['progress'] === 1);
    expect(client.messages.filter(({ type }) => type === 'execution_update')).toHaveLength(61);
  });

  test('the order of one execution is kept and its last update comes, whatever is merged', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    for (let i = 0; i <= 1_000; i++) {
      for (const executionId of ['ex_a', 'ex_b'])
        server.publish(userId, { executionId, progress: i / 1_000 });
      if (i % 100 === 0) await turns(1);
    }
    for (const id of ['ex_a', 'ex_b']) {
      if (!client.messages.some((m) => m.data?.['execution_id'] === id && m.data?.['progress'] === 1))
        await client.next(
          (message) => message.data?.['execution_id'] === id && message.data?.['progress'] === 1,
        );
      const seen = client.messages
        .filter((message) => message.data?.['execution_id'] === id)
        .map((message) => message.data?.['progress'] as number);
      expect(seen).toEqual([...seen].sort((one, other) => one - other));
      expect(seen.length).toBeLessThan(1_000);
    }
  });
});

describe('narrowing', () => {
  /** Which of these executions come through. */
  async function heard(client: SocketClient, userId: string, updates: [string, string][]): Promise<string[]> {
    const before = client.messages.length;
    for (const [executionId, workflowId] of updates) server.publish(userId, { executionId, workflowId });
    await turns();
    client.send({ type: 'ping' });
    await client.next('pong');
    return client.messages
      .slice(before)
      .filter(({ type }) => type === 'execution_update')
      .map((message) => message.data?.['execution_id'] as string);
  }

  test('several add up, the same data takes one back, and after the last everything comes', async () => {
    const userId = await server.user();
    const [one, two] = [await server.owned(userId), await server.owned(userId)];
    const client = await proved(userId);
    const all: [string, string][] = [
      [one.executionId, one.workflowId],
      ['ex_more', one.workflowId],
      [two.executionId, two.workflowId],
      ['ex_other', two.workflowId],
    ];
    const ids = all.map(([id]) => id);
    expect(await heard(client, userId, all)).toEqual(ids);

    client.send({ type: 'subscribe', data: { workflow_id: one.workflowId } });
    expect(await client.next()).toEqual({ type: 'subscribed', data: { workflow_id: one.workflowId } });
    expect(await heard(client, userId, all)).toEqual(ids.slice(0, 2));

    client.send({ type: 'subscribe', data: { execution_id: two.executionId } });
    await client.next('subscribed');
    expect(await heard(client, userId, all)).toEqual(ids.slice(0, 3));

    client.send({ type: 'unsubscribe', data: { workflow_id: one.workflowId } });
    expect(await client.next()).toEqual({ type: 'unsubscribed', data: { workflow_id: one.workflowId } });
    expect(await heard(client, userId, all)).toEqual([two.executionId]);

    // Both ids: another narrowing than the execution alone.
    const both = { workflow_id: two.workflowId, execution_id: two.executionId };
    client.send({ type: 'subscribe', data: both });
    expect((await client.next('subscribed')).data).toEqual(both);
    client.send({ type: 'unsubscribe', data: { execution_id: two.executionId } });
    await client.next('unsubscribed');
    expect(await heard(client, userId, all)).toEqual([two.executionId]);

    client.send({ type: 'subscribe', data: {} });
    await client.next('subscribed');
    expect(await heard(client, userId, all)).toEqual(ids);
    client.send({ type: 'unsubscribe', data: {} });
    client.send({
      type: 'unsubscribe',
      data: { execution_id: two.executionId, workflow_id: two.workflowId },
    });
    await client.next('unsubscribed');
    await client.next('unsubscribed');
    expect(await heard(client, userId, all)).toEqual(ids);
  });

  test('twice is once, and what was never there is taken back all the same', async () => {
    const userId = await server.user();
    const { workflowId } = await server.owned(userId);
    const client = await proved(userId);
    for (const type of ['subscribe', 'subscribe', 'unsubscribe', 'unsubscribe'])
      client.send({ type, data: { workflow_id: workflowId } });
    await client.next('unsubscribed');
    await client.next('unsubscribed');
    expect(await heard(client, userId, [['ex_x', 'wf_x']])).toEqual(['ex_x']);
  });

  test('notifications come whatever is narrowed', async () => {
    const userId = await server.user();
    const { workflowId } = await server.owned(userId);
    const client = await proved(userId);
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    await client.next('subscribed');
    server.bus.publish({ kind: 'notification', ownerId: userId, level: 'info', message: 'm', timestamp: 0 });
    await client.next('notification');
  });

  test("what is missing and what is another's look the same", async () => {
    const [userId, other] = [await server.user(), await server.user()];
    const [mine, theirs] = [await server.owned(userId), await server.owned(other)];
    const client = await proved(userId);
    const ask = async (data: object): Promise<unknown> => {
      client.send({ type: 'subscribe', data });
      return (await client.next()).data;
    };
    const workflow = { code: 'NOT_FOUND', message: 'There is no such workflow.', details: {} };
    const execution = { code: 'NOT_FOUND', message: 'There is no such execution.', details: {} };
    expect(await ask({ workflow_id: 'wf_none' })).toEqual(workflow);
    expect(await ask({ workflow_id: theirs.workflowId })).toEqual(workflow);
    expect(await ask({ execution_id: 'ex_none' })).toEqual(execution);
    expect(await ask({ execution_id: theirs.executionId })).toEqual(execution);
    const another = await server.owned(userId);
    expect(await ask({ workflow_id: mine.workflowId, execution_id: another.executionId })).toEqual(execution);
    expect(await heard(client, userId, [['ex_x', 'wf_x']])).toEqual(['ex_x']);
  });

  test('a hundred, not more', async () => {
    const userId = await server.user();
    const client = await proved(userId);
    const ids: string[] = [];
    for (let i = 0; i < 101; i++) ids.push((await server.owned(userId)).workflowId);
    for (const id of ids) {
      client.send({ type: 'subscribe', data: { workflow_id: id } });
      clock.advance(50);
    }
    await client.next('error');
    expect(client.messages.filter(({ type }) => type === 'subscribed')).toHaveLength(100);
    expect(client.messages.at(-1)?.data).toMatchObject({ code: 'CONFLICT', details: { limit: 100 } });
    client.send({ type: 'subscribe', data: { workflow_id: ids[0] } });
    await client.next('subscribed');
  });
});

describe('what is no message', () => {
  test.each([
    ['broken JSON', '{"type":"ping"', 'INVALID_JSON', {}],
    ['nothing', '', 'INVALID_JSON', {}],
    ['bytes', Buffer.from('{"type":"ping"}'), 'VALIDATION_ERROR', { field: 'message' }],
    ['no object', '"ping"', 'VALIDATION_ERROR', { field: '' }],
    ['a list', '[{"type":"ping"}]', 'VALIDATION_ERROR', { field: '' }],
    ['null', 'null', 'VALIDATION_ERROR', { field: '' }],
    ['no type', '{}', 'VALIDATION_ERROR', { field: 'type', issue: 'is required' }],
    ['an unknown type', '{"type":"pong"}', 'VALIDATION_ERROR', { field: 'type' }],
    ['a name of every object', '{"type":"constructor"}', 'VALIDATION_ERROR', { field: 'type' }],
    ['a type of another kind', '{"type":["ping"]}', 'VALIDATION_ERROR', { field: 'type' }],
    ['an unknown field', '{"type":"ping","id":1}', 'VALIDATION_ERROR', { field: 'id' }],
    ['a field given twice', '{"type":"ping","type":"ping"}', 'VALIDATION_ERROR', {}],
    ['__proto__', '{"type":"ping","__proto__":{}}', 'VALIDATION_ERROR', {}],
    ['no data', '{"type":"subscribe"}', 'VALIDATION_ERROR', { field: 'data', issue: 'is required' }],
    ['data of another kind', '{"type":"subscribe","data":[]}', 'VALIDATION_ERROR', { field: 'data' }],
    [
      'an id of another kind',
      '{"type":"subscribe","data":{"workflow_id":1}}',
      'VALIDATION_ERROR',
      { field: 'data.workflow_id', issue: 'must be a string' },
    ],
    [
      'an empty id',
      '{"type":"unsubscribe","data":{"execution_id":""}}',
      'VALIDATION_ERROR',
      { field: 'data.execution_id', issue: 'must not be empty' },
    ],
    [
      'an unknown narrowing',
      '{"type":"subscribe","data":{"owner_id":"usr_a"}}',
      'VALIDATION_ERROR',
      { field: 'data.owner_id' },
    ],
    ['too deep', `{"type":${'['.repeat(1000)}${']'.repeat(1000)}}`, 'VALIDATION_ERROR', { field: 'type' }],
    [
      'a long token',
      JSON.stringify({ type: 'auth', token: 'x'.repeat(8_193) }),
      'VALIDATION_ERROR',
      { field: 'token' },
    ],
  ])('%s: an error, and the connection stays', async (_what, message, code, details) => {
    const client = await proved(await server.user());
    client.send(message);
    const error = await client.next();
    expect(error).toMatchObject({ type: 'error', data: { code, details } });
    client.send({ type: 'ping' });
    expect(await client.next()).toEqual({ type: 'pong' });
  });

  test('64 KiB are read, one more byte is 1009', async () => {
    const client = await proved(await server.user());
    const fill = (size: number): string => `{"type":"${'x'.repeat(size - 11)}"}`;
    client.send(fill(64 * 1024));
    expect((await client.next()).data).toMatchObject({ code: 'VALIDATION_ERROR' });
    client.send(fill(64 * 1024 + 1));
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('1009 before auth too, and for a message in many frames', async () => {
    const early = await open();
    early.send('x'.repeat(70_000));
    expect(await early.closed()).toMatchObject({ code: 1009 });
    const client = await proved(await server.user());
    for (let i = 0; i < 40; i++) client.socket.send('x'.repeat(2_000), { fin: false });
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  test('what is no UTF-8 is 1007', async () => {
    const client = await proved(await server.user());
    client.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect(await client.closed()).toMatchObject({ code: 1007 });
  });

  test('200 messages at once and 50 a second: past that the connection ends', async () => {
    const userId = await server.user();
    const { token } = await server.session(userId);
    const client = await open();
    client.send({ type: 'auth', token });
    for (let i = 0; i < 199; i++) client.send({ type: 'ping' });
    for (let i = 0; i < 199; i++) await client.next('pong');
    clock.advance(1_000);
    for (let i = 0; i < 50; i++) client.send({ type: 'ping' });
    for (let i = 0; i < 50; i++) await client.next('pong');
    client.send({ type: 'ping' });
    expect((await client.next('error')).data).toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'capacity', limit: 50, burst: 200 },
    });
    expect(await client.closed()).toMatchObject({ code: 4429 });
  });

  test('a flood behind auth is bounded too', async () => {
    const client = await open();
    client.send({ type: 'auth', token: 'x'.repeat(2_000) });
    for (let i = 0; i < 5_000 && client.socket.readyState === client.socket.OPEN; i++)
      client.send({ type: 'auth', token: 'x'.repeat(2_000) });
    expect([4401, 4429]).toContain((await client.closed()).code);
    expect(client.messages.length).toBeLessThanOrEqual(1);
  });
});

/** A peer without a library: it has asked for the upgrade, and does nothing by itself. */
function rawPeer(): Socket {
  const peer = connect(Number(new URL(server.url).port), '127.0.0.1');
  peer.on('error', () => {}).resume();
  peer.write(
    `GET /v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
  );
  return peer;
}
/** A masked frame (with a mask of zeros) of 126 to 65,535 bytes. */
function frame(payload: Buffer, first = 0x81): Buffer {
  const head = Buffer.alloc(8);
  head[0] = first;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
/** The code of the close that is in what a peer got; null: there is none. */
function closeCodeIn(bytes: Buffer): number | null {
  const at = bytes.indexOf(0x88);
  return at === -1 ? null : bytes.readUInt16BE(at + 2);
}

describe('what is no WebSocket', () => {
  test.each([
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a reserved bit', frame(Buffer.alloc(200), 0xc1), 1002],
    ['an unknown opcode', frame(Buffer.alloc(200), 0x83), 1002],
    ['a long ping', frame(Buffer.alloc(200), 0x89), 1002],
    ['a part of nothing', frame(Buffer.alloc(200), 0x80), 1002],
    ['a length of 2^63', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  ])('%s is closed', async (_what, bytes, code) => {
    const peer = rawPeer();
    const got: Buffer[] = [];
    peer.once('data', () => peer.on('data', (chunk: Buffer) => got.push(chunk)));
    await new Promise((resolve) => peer.once('data', resolve));
    peer.write(bytes);
    await until(() => got.length > 0);
    expect(closeCodeIn(Buffer.concat(got))).toBe(code);
    peer.destroy();
  });

  test('random bytes harm nobody', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`seed ${seed}`);
    let state = seed;
    const random = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) / 2 ** 31;
    const client = await proved(await server.user());
    for (let round = 0; round < 60; round++) {
      const peer = rawPeer();
      const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 2_000) }, () => random() * 256));
      // Half of them begin like a message.
      peer.write(random() < 0.5 ? bytes : frame(Buffer.concat([bytes, Buffer.alloc(126)])));
      await turns(1);
      peer.destroy();
    }
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('a message in a thousand and more pieces is closed', async () => {
    const client = await proved(await server.user());
    for (let i = 0; i < 1_100; i++) client.socket.send('', { fin: false });
    expect((await client.closed()).code).toBe(1008);
  });
});

describe('half-open peers', () => {
  test('who answers pings stays', async () => {
    const client = await proved(await server.user());
    let pings = 0;
    client.socket.on('ping', () => pings++);
    await wait(300_000, 5_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    expect(pings).toBeGreaterThanOrEqual(9);
    expect(pings).toBeLessThanOrEqual(11);
  });

  test('who does not is dropped within 90 s', async () => {
    const userId = await server.user();
    const { token } = await server.session(userId);
    const peer = rawPeer();
    let ended = false;
    peer.on('close', () => (ended = true));
    peer.write(frame(Buffer.from(JSON.stringify({ type: 'auth', token }))));
    await until(() => server.bus.wanted(userId));
    await wait(65_000, 5_000);
    expect(ended).toBe(false);
    await wait(25_000, 5_000);
    await until(() => ended);
    expect(server.bus.wanted(userId)).toBe(false);
  });
});

test('at a drain every socket gets 1001 and the server ends', async () => {
  const draining = await openSocketServer();
  try {
    const { token } = await draining.session(await draining.user());
    const connected = [await connectSocket(draining.url), await connectSocket(draining.url)];
    expect((await connected[0]!.auth(token)).type).toBe('auth_success');
    const began = performance.now();
    const drained = draining.drain();
    for (const client of connected) expect(await client.closed()).toMatchObject({ code: 1001 });
    await drained;
    expect(performance.now() - began).toBeLessThan(2_500);
  } finally {
    await draining.close();
  }
});
