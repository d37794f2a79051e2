import { describe, expect, test } from 'vitest';
import { refused, useWebSocketFixture, turns } from '../../../test/support/websocket-fixture.ts';

const house = useWebSocketFixture();

describe('a credential ends', () => {
  test('logout: at once', async () => {
    const userId = await house.server.user();
    const session = await house.server.session(userId);
    const other = await house.proved(userId);
    const client = await house.open();
    await client.auth(session.token);
    await house.server.store.people.endSession(session.id, house.clock.now());
    house.server.cache.forget({ sessionId: session.id });
    expect((await refused(client)).data?.['message']).toBe('The token is no longer valid.');
    house.server.publish(userId);
    await other.next('execution_update');
  });

  test('a session that another process ended: within 5 s', async () => {
    const userId = await house.server.user();
    const session = await house.server.session(userId);
    const client = await house.open();
    await client.auth(session.token);
    await house.server.store.people.endSession(session.id, house.clock.now());
    await house.wait(5_000);
    await refused(client);
  });

  test('a refresh ends nothing', async () => {
    const userId = await house.server.user();
    const session = await house.server.session(userId);
    const row = await house.server.store.people.session(session.id);
    const client = await house.open();
    await client.auth(session.token);
    const next = { tokenId: 'next', at: house.clock.now(), expiresAt: row!.expiresAt };
    await house.server.store.people.rotateSession(session.id, row!.tokenId, next);
    house.server.cache.forget({ sessionId: session.id });
    await house.wait(10_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('an API key that is removed: at once here, within 5 s elsewhere', async () => {
    const userId = await house.server.user();
    const [here, elsewhere] = [await house.server.key(userId), await house.server.key(userId)];
    const [first, second] = [await house.open(), await house.open()];
    await first.auth(here.key);
    await second.auth(elsewhere.key);
    await house.server.store.people.removeApiKey(userId, here.id);
    await house.server.store.people.removeApiKey(userId, elsewhere.id);
    house.server.cache.forget({ keyId: here.id });
    await refused(first);
    await house.wait(5_000);
    await refused(second);
  });

  test('a user who is removed', async () => {
    const userId = await house.server.user();
    const client = await house.proved(userId);
    await house.server.store.people.removeUser(userId);
    house.server.cache.forget({ userId });
    await refused(client);
  });

  test('an expired token, and a key', async () => {
    const userId = await house.server.user();
    const client = await house.proved(userId);
    const keyed = await house.open();
    await keyed.auth((await house.server.key(userId, { expiresAt: house.clock.now() + 30_000 })).key);
    await house.wait(29_000);
    expect(keyed.socket.readyState).toBe(keyed.socket.OPEN);
    await house.wait(1_000);
    await refused(keyed);
    await house.wait(3_568_000, 5_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await house.wait(2_000);
    expect((await refused(client)).data?.['message']).toBe('The token has expired.');
  });

  test('auth with a newer token puts the end off', async () => {
    const userId = await house.server.user();
    const client = await house.open();
    await client.auth((await house.server.key(userId, { expiresAt: house.clock.now() + 5_000 })).key);
    const later = house.clock.now() + 60_000;
    expect(
      (await client.auth((await house.server.key(userId, { expiresAt: later })).key)).data?.['expires_at'],
    ).toBe(new Date(later).toISOString());
    await house.wait(10_000);
    house.server.publish(userId);
    await client.next('execution_update');
    await house.wait(51_000);
    await refused(client);
  });

  test('the credential that was replaced may end', async () => {
    const userId = await house.server.user();
    const old = await house.server.session(userId);
    const client = await house.open();
    await client.auth(old.token);
    await client.auth((await house.server.session(userId)).token);
    await house.server.store.people.endSession(old.id, house.clock.now());
    house.server.cache.forget({ sessionId: old.id });
    await house.wait(6_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test("another user's token, and a wrong one, end it", async () => {
    const userId = await house.server.user();
    const client = await house.proved(userId);
    client.send({ type: 'auth', token: (await house.server.session(await house.server.user())).token });
    expect((await refused(client)).data?.['message']).toBe('This connection belongs to another user.');
    const second = await house.proved(userId);
    second.send({ type: 'auth', token: 'wrong' });
    await refused(second);
    expect(house.server.bus.wanted(userId)).toBe(false);
  });

  test('a credential that ended between its proof and the answer', async () => {
    const userId = await house.server.user();
    const session = await house.server.session(userId);
    const first = await house.open();
    await first.auth(session.token);
    first.end();
    // The proof is still believed, but the watch reads anew.
    await house.server.store.people.endSession(session.id, house.clock.now());
    await turns();
    const client = await house.open();
    client.send({ type: 'auth', token: session.token });
    await client.closed();
    expect(client.messages.at(-1)).toMatchObject({ type: 'error', data: { code: 'UNAUTHORIZED' } });
  });
});
