import { describe, expect, test } from 'vitest';
import {
  expectUnauthorized,
  useWebSocketFixture,
  sleep,
} from '../../../test/support/websocket/websocket-fixture.ts';

const fixture = useWebSocketFixture();

describe('expiry and revocation of credentials', () => {
  test('logout closes the connection immediately', async () => {
    const userId = await fixture.server.user();
    const session = await fixture.server.session(userId);
    const other = await fixture.connectAuthenticated(userId);
    const client = await fixture.open();
    await client.auth(session.token);
    await fixture.server.store.accounts.endSession(session.id, fixture.clock.now());
    fixture.server.cache.forget({ sessionId: session.id });
    expect((await expectUnauthorized(client)).data?.['message']).toBe('The token is no longer valid.');
    fixture.server.publish(userId);
    await other.next('execution_update');
  });

  test('a session ended by another process closes it within 5 s', async () => {
    const userId = await fixture.server.user();
    const session = await fixture.server.session(userId);
    const client = await fixture.open();
    await client.auth(session.token);
    await fixture.server.store.accounts.endSession(session.id, fixture.clock.now());
    await fixture.wait(5_000);
    await expectUnauthorized(client);
  });

  test('a refresh does not close the connection', async () => {
    const userId = await fixture.server.user();
    const session = await fixture.server.session(userId);
    const row = await fixture.server.store.accounts.session(session.id);
    const client = await fixture.open();
    await client.auth(session.token);
    const next = { tokenId: 'next', at: fixture.clock.now(), expiresAt: row!.expiresAt };
    await fixture.server.store.accounts.rotateSession(session.id, row!.tokenId, next);
    fixture.server.cache.forget({ sessionId: session.id });
    await fixture.wait(10_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('a deleted API key closes it immediately here and within 5 s in other processes', async () => {
    const userId = await fixture.server.user();
    const [here, elsewhere] = [await fixture.server.key(userId), await fixture.server.key(userId)];
    const [first, second] = [await fixture.open(), await fixture.open()];
    await first.auth(here.key);
    await second.auth(elsewhere.key);
    await fixture.server.store.accounts.removeApiKey(userId, here.id);
    await fixture.server.store.accounts.removeApiKey(userId, elsewhere.id);
    fixture.server.cache.forget({ keyId: here.id });
    await expectUnauthorized(first);
    await fixture.wait(5_000);
    await expectUnauthorized(second);
  });

  test('a deleted user closes the connection', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    await fixture.server.store.accounts.removeUser(userId);
    fixture.server.cache.forget({ userId });
    await expectUnauthorized(client);
  });

  test('an expired token or API key closes the connection', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    const keyed = await fixture.open();
    await keyed.auth((await fixture.server.key(userId, { expiresAt: fixture.clock.now() + 30_000 })).key);
    await fixture.wait(29_000);
    expect(keyed.socket.readyState).toBe(keyed.socket.OPEN);
    await fixture.wait(1_000);
    await expectUnauthorized(keyed);
    await fixture.wait(3_568_000, 5_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await fixture.wait(2_000);
    expect((await expectUnauthorized(client)).data?.['message']).toBe('The token has expired.');
  });

  test('authenticating with a newer token extends the connection', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.open();
    await client.auth((await fixture.server.key(userId, { expiresAt: fixture.clock.now() + 5_000 })).key);
    const later = fixture.clock.now() + 60_000;
    expect(
      (await client.auth((await fixture.server.key(userId, { expiresAt: later })).key)).data?.['expires_at'],
    ).toBe(new Date(later).toISOString());
    await fixture.wait(10_000);
    fixture.server.publish(userId);
    await client.next('execution_update');
    await fixture.wait(51_000);
    await expectUnauthorized(client);
  });

  test('the end of a replaced credential has no effect', async () => {
    const userId = await fixture.server.user();
    const old = await fixture.server.session(userId);
    const client = await fixture.open();
    await client.auth(old.token);
    await client.auth((await fixture.server.session(userId)).token);
    await fixture.server.store.accounts.endSession(old.id, fixture.clock.now());
    fixture.server.cache.forget({ sessionId: old.id });
    await fixture.wait(6_000);
    client.send({ type: 'ping' });
    await client.next('pong');
  });

  test('a token of another user and an invalid token close the connection', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    client.send({ type: 'auth', token: (await fixture.server.session(await fixture.server.user())).token });
    expect((await expectUnauthorized(client)).data?.['message']).toBe(
      'This connection is authenticated as another user.',
    );
    const second = await fixture.connectAuthenticated(userId);
    second.send({ type: 'auth', token: 'wrong' });
    await expectUnauthorized(second);
    expect(fixture.server.bus.hasSubscriber(userId)).toBe(false);
  });

  test('a credential that ends during authentication closes the connection', async () => {
    const userId = await fixture.server.user();
    const session = await fixture.server.session(userId);
    const first = await fixture.open();
    await first.auth(session.token);
    first.end();
    // Authentication still succeeds, but the watcher reads the credential again.
    await fixture.server.store.accounts.endSession(session.id, fixture.clock.now());
    await sleep();
    const client = await fixture.open();
    client.send({ type: 'auth', token: session.token });
    await client.closed();
    expect(client.messages.at(-1)).toMatchObject({ type: 'error', data: { code: 'UNAUTHORIZED' } });
  });
});
