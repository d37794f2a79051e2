import { describe, expect, test } from 'vitest';
import { connectSocket } from '../../../test/support/websocket/websocket-client.ts';
import { encodeFrame, connectRawPeer } from '../../../test/support/websocket/raw-websocket-peer.ts';
import {
  expectUnauthorized,
  useWebSocketFixture,
  sleep,
  waitForCondition,
} from '../../../test/support/websocket/websocket-fixture.ts';
import { openSocketServer } from '../../../test/support/servers/websocket-server.ts';

const fixture = useWebSocketFixture();

describe('authentication', () => {
  test('a session token is accepted with its expiry', async () => {
    const userId = await fixture.server.user();
    const { token } = await fixture.server.session(userId);
    const client = await fixture.open();
    const expires = new Date(Math.floor(fixture.clock.now() / 1000) * 1000 + 3_600_000).toISOString();
    expect(await client.auth(token)).toEqual({
      type: 'auth_success',
      data: { user_id: userId, expires_at: expires },
    });
  });

  test('an API key is accepted with and without an expiry', async () => {
    const userId = await fixture.server.user();
    const forever = await fixture.open();
    expect(await forever.auth((await fixture.server.key(userId)).key)).toEqual({
      type: 'auth_success',
      data: { user_id: userId, expires_at: null },
    });
    const expiresAt = fixture.clock.now() + 60_000;
    const ending = await fixture.open();
    expect((await ending.auth((await fixture.server.key(userId, { expiresAt })).key)).data).toEqual({
      user_id: userId,
      expires_at: new Date(expiresAt).toISOString(),
    });
  });

  test.each([
    ['no token at all', 'nonsense'],
    ['no key at all', `weft_${'x'.repeat(43)}`],
  ])('%s is refused', async (_what, token) => {
    const client = await fixture.open();
    client.send({ type: 'auth', token });
    await expectUnauthorized(client);
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
    const client = await fixture.open();
    client.send(message);
    expect((await expectUnauthorized(client)).data?.['details']).toMatchObject(details);
  });

  test('a connection without a message is closed after 10 s, not earlier', async () => {
    const client = await fixture.open();
    fixture.clock.advance(9_999);
    await sleep();
    expect(client.messages).toEqual([]);
    fixture.clock.advance(1);
    expect((await expectUnauthorized(client)).data?.['message']).toBe('No auth message arrived within 10 s.');
  });

  test('messages sent right after auth are handled after it', async () => {
    const userId = await fixture.server.user();
    const { token } = await fixture.server.session(userId);
    const { workflowId } = await fixture.server.owned(userId);
    const client = await fixture.open();
    client.send({ type: 'auth', token });
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    client.send({ type: 'ping' });
    await client.next('pong');
    expect(client.messages.map(({ type }) => type)).toEqual(['auth_success', 'subscribed', 'pong']);
  });

  test('messages after a rejected auth are not handled', async () => {
    const client = await fixture.open();
    client.send({ type: 'auth', token: 'wrong' });
    client.send({ type: 'ping' });
    await expectUnauthorized(client);
    expect(client.messages).toHaveLength(1);
  });

  test('without executions:read the client is authenticated, gets an error and no events', async () => {
    const userId = await fixture.server.user();
    const { key } = await fixture.server.key(userId, { scopes: ['workflows:read'] });
    const { workflowId } = await fixture.server.owned(userId);
    const client = await fixture.open();
    expect((await client.auth(key)).type).toBe('auth_success');
    const error = await client.next('error');
    expect(error.data).toEqual({
      code: 'FORBIDDEN',
      message: 'This credential lacks the scope executions:read.',
      details: { scope: 'executions:read' },
    });
    expect(fixture.server.bus.hasSubscriber(userId)).toBe(false);
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    expect((await client.next()).data).toEqual(error.data);
    fixture.server.publish(userId);
    client.send({ type: 'ping' });
    expect((await client.next()).type).toBe('pong');
  });

  test('another credential of the same user changes the permissions', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.open();
    await client.auth((await fixture.server.key(userId, { scopes: ['nodes:read'] })).key);
    await client.next('error');
    await client.auth((await fixture.server.key(userId, { scopes: ['executions:read'] })).key);
    fixture.server.publish(userId);
    await client.next('execution_update');
    expect((await client.auth((await fixture.server.key(userId, { scopes: [] })).key)).type).toBe(
      'auth_success',
    );
    await client.next('error');
    expect(fixture.server.bus.hasSubscriber(userId)).toBe(false);
  });
});

describe('events', () => {
  test('updates and notifications have the documented form', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    const at = Date.parse('2026-01-31T12:00:00.123Z');
    fixture.server.publish(userId, {
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
    fixture.server.bus.publish({
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
    fixture.server.bus.publish({ kind: 'log', ownerId: userId, executionId: 'ex_a', entries: [] });
    client.send({ type: 'ping' });
    expect((await client.next()).type).toBe('pong');
  });

  test.each([0, 1, 60, 61, 62, 65_460, 65_470, 65_471, 65_472, 200_000])(
    'a message with %i more characters arrives complete',
    async (more) => {
      const userId = await fixture.server.user();
      const client = await fixture.connectAuthenticated(userId);
      const message = 'x'.repeat(more);
      fixture.server.bus.publish({
        kind: 'notification',
        ownerId: userId,
        level: 'info',
        message,
        timestamp: 0,
      });
      expect((await client.next('notification')).data?.['message']).toBe(message);
    },
  );

  test('events of other users are never sent, and events of absent users are not subscribed', async () => {
    const [alice, bob] = [await fixture.server.user(), await fixture.server.user()];
    const [a, b] = [await fixture.connectAuthenticated(alice), await fixture.connectAuthenticated(bob)];
    for (let i = 0; i < 50; i++) {
      fixture.server.publish(alice, { executionId: `ex_alice_${i}` });
      fixture.server.publish(bob, { executionId: `ex_bob_${i}` });
    }
    await a.next((message) => message.data?.['execution_id'] === 'ex_alice_49');
    await b.next((message) => message.data?.['execution_id'] === 'ex_bob_49');
    expect(JSON.stringify(a.messages)).not.toContain('bob');
    expect(JSON.stringify(b.messages)).not.toContain('alice');
    a.end();
    await waitForCondition(() => !fixture.server.bus.hasSubscriber(alice));
    expect(fixture.server.bus.hasSubscriber(bob)).toBe(true);
  });

  test('nothing is merged while the client and the service keep up', async () => {
    async function received(): Promise<number> {
      const userId = await fixture.server.user();
      const client = await fixture.connectAuthenticated(userId);
      for (let i = 0; i <= 60; i++) fixture.server.publish(userId, { executionId: 'ex_a', progress: i / 60 });
      await client.next((message) => message.data?.['progress'] === 1);
      return client.messages.filter(({ type }) => type === 'execution_update').length;
    }
    // On a busy machine the service may fall behind and merge, but not on every attempt.
    await expect.poll(received, { timeout: 40_000, interval: 100 }).toBe(61);
  });

  test('merging keeps the order of an execution and its last update', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    for (let i = 0; i <= 1_000; i++) {
      for (const executionId of ['ex_a', 'ex_b'])
        fixture.server.publish(userId, { executionId, progress: i / 1_000 });
      if (i % 100 === 0) await sleep(1);
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

describe('half-open connections', () => {
  test('a client that replies to pings stays connected', async () => {
    const client = await fixture.connectAuthenticated(await fixture.server.user());
    let pings = 0;
    client.socket.on('ping', () => pings++);
    await fixture.wait(300_000, 5_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    expect(pings).toBeGreaterThanOrEqual(9);
    expect(pings).toBeLessThanOrEqual(11);
  });

  test('a client that does not reply is dropped within 90 s', async () => {
    const userId = await fixture.server.user();
    const { token } = await fixture.server.session(userId);
    const peer = connectRawPeer(fixture.server.url);
    let ended = false;
    peer.on('close', () => (ended = true));
    peer.write(encodeFrame(Buffer.from(JSON.stringify({ type: 'auth', token }))));
    await waitForCondition(() => fixture.server.bus.hasSubscriber(userId));
    await fixture.wait(65_000, 5_000);
    expect(ended).toBe(false);
    await fixture.wait(25_000, 5_000);
    await waitForCondition(() => ended);
    expect(fixture.server.bus.hasSubscriber(userId)).toBe(false);
  });
});

test('a drain closes every socket with 1001 and the server stops', async () => {
  const draining = await openSocketServer();
  try {
    const { token } = await draining.session(await draining.user());
    const connected = [await connectSocket(draining.url), await connectSocket(draining.url)];
    expect((await connected[0]!.auth(token)).type).toBe('auth_success');
    const began = performance.now();
    const drained = draining.drain();
    for (const client of connected) expect(await client.closed()).toMatchObject({ code: 1001 });
    await drained;
    expect(performance.now() - began).toBeLessThan(10_000);
  } finally {
    await draining.close();
  }
});
