import { describe, expect, test } from 'vitest';
import { openAccountsServer } from '../support/servers/accounts-server.ts';

describe('the limit of the plan', () => {
  test('fifty concurrent requests are counted exactly, and every authenticated response shows it', async () => {
    const limited = await openAccountsServer({ rateLimits: { standard: 40, pro: 1000, enterprise: null } });
    try {
      const user = await limited.member();
      const before = Math.floor(limited.clock.now() / 1000);
      const calls = Array.from({ length: 50 }, (_, i) =>
        limited.call('GET', i % 5 === 0 ? '/users' : i % 7 === 0 ? '/users/me?x=1' : '/users/me', {
          token: user.token,
        }),
      );
      const responses = await Promise.all(calls);
      const refused = responses.filter((one) => one.status === 429);
      expect(refused).toHaveLength(10);
      const left = responses
        .filter((one) => one.status !== 429)
        .map((one) => Number(one.headers['x-ratelimit-remaining']));
      expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      for (const { headers } of responses) {
        expect(headers['x-ratelimit-limit']).toBe('40');
        expect(Number(headers['x-ratelimit-reset']) - before).toBeGreaterThan(3_590);
        expect(Number(headers['x-ratelimit-reset']) - before).toBeLessThan(3_630);
      }
      for (const { headers, body } of refused) {
        expect(headers['x-ratelimit-remaining']).toBe('0');
        expect(Number(headers['retry-after'])).toBeGreaterThan(3_590);
        expect(body['error']).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'plan', limit: 40 } });
      }
      // An unlimited plan shows nothing, a wrong credential neither; a session and a key of one user count
      // together.
      const root = await limited.call('GET', '/users/me', { token: await limited.login() });
      expect(root.headers['x-ratelimit-limit']).toBeUndefined();
      expect(
        (await limited.call('GET', '/users/me', { token: 'x' })).headers['x-ratelimit-limit'],
      ).toBeUndefined();
      limited.forward(3_600_000);
      const token = await limited.login(user.email, user.password);
      expect((await limited.call('GET', '/users/me', { token })).headers['x-ratelimit-remaining']).toBe('39');
      const { body } = await limited.call('POST', '/api-keys', { token, body: { name: 'k' } });
      expect(
        (await limited.call('GET', '/users/me', { key: body['key']! })).headers['x-ratelimit-remaining'],
      ).toBe('37');
    } finally {
      await limited.close();
    }
  });

  test('logging out is never limited', async () => {
    const limited = await openAccountsServer({ rateLimits: { standard: 1, pro: 1000, enterprise: null } });
    try {
      const { token } = await limited.member();
      await limited.call('GET', '/users/me', { token });
      expect((await limited.call('GET', '/users/me', { token })).status).toBe(429);
      expect((await limited.call('POST', '/auth/logout', { token })).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('an unknown path counts for a caller with a valid credential, and reveals nothing to others', async () => {
    const limited = await openAccountsServer({ rateLimits: { standard: 3, pro: 1000, enterprise: null } });
    try {
      const { token } = await limited.member();
      const left = [];
      for (let i = 0; i < 4; i++) {
        const { status, headers } = await limited.call('GET', '/nothing', { token });
        left.push([status, headers['x-ratelimit-remaining']]);
      }
      expect(left).toEqual([
        [404, '2'],
        [404, '1'],
        [404, '0'],
        [429, '0'],
      ]);
      for (const credential of [{}, { token: 'x' }, { key: 'x' }]) {
        const { status, headers } = await limited.call('GET', '/nothing', credential);
        expect([status, headers['x-ratelimit-remaining']]).toEqual([404, undefined]);
      }
    } finally {
      await limited.close();
    }
  });

  test('of five hundred concurrent requests, exactly the limit succeed, by session and key together', async () => {
    const limited = await openAccountsServer({ rateLimits: { standard: 300, pro: 1000, enterprise: null } });
    try {
      const { token, id } = await limited.member();
      const made = await limited.call('POST', '/api-keys', { token, body: { name: 'k' } });
      const key: string = made.body['key']!;
      const responses = await Promise.all(
        Array.from({ length: 500 }, (_, i) =>
          limited.call('GET', '/users/me', i % 2 === 0 ? { token } : { key }),
        ),
      );
      expect(responses.filter((one) => one.status === 200)).toHaveLength(299);
      expect(responses.filter((one) => one.status === 429)).toHaveLength(201);
      const admin = await limited.login();
      // An administrator's change of the plan acts on the next request, in the same window.
      await limited.call('PUT', `/users/${id}`, { token: admin, body: { plan: 'pro' } });
      const raised = await limited.call('GET', '/users/me', { token });
      expect([raised.status, raised.headers['x-ratelimit-remaining']]).toEqual([200, '699']);
      await limited.call('PUT', `/users/${id}`, { token: admin, body: { plan: 'standard' } });
      expect((await limited.call('GET', '/users/me', { key })).status).toBe(429);
    } finally {
      await limited.close();
    }
  });
});
