import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN, openAccountsServer, type AccountsServer } from '../support/servers/accounts-server.ts';

let server: AccountsServer;
beforeAll(async () => {
  server = await openAccountsServer();
});
afterAll(() => server.close());

const wrongLogin = { code: 'UNAUTHORIZED', message: 'The email or the password is wrong.', details: {} };

describe('POST /auth/login', () => {
  test('returns the token, expires_in in seconds and the user', async () => {
    const { status, body } = await server.call('POST', '/auth/login', { body: ADMIN });
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expires_in: 3600,
      user: { id: expect.stringMatching(/^usr_/), email: ADMIN.email, name: 'Administrator' },
    });
  });
  test('emails are compared without case', async () => {
    expect(
      (await server.call('POST', '/auth/login', { body: { ...ADMIN, email: 'ADMIN@example.COM' } })).status,
    ).toBe(200);
  });
  test('a wrong email and a wrong password look the same', async () => {
    const one = await server.call('POST', '/auth/login', {
      body: { email: 'who@example.com', password: 'some password' },
    });
    const two = await server.call('POST', '/auth/login', {
      body: { email: ADMIN.email, password: 'some password' },
    });
    expect([one.status, one.body['error']]).toEqual([401, wrongLogin]);
    expect([two.status, two.body['error']]).toEqual([401, wrongLogin]);
    expect(one.headers['www-authenticate']).toBe(two.headers['www-authenticate']);
    await server.login();
  });
  test('and take the same time', async () => {
    const user = await server.member();
    const times: Record<string, number[]> = { known: [], unknown: [] };
    for (let i = 0; i < 16; i++) {
      // Another unknown email each time, and a right login between: the throttle is not what is measured
      // here.
      const unknown = `nobody${i}@example.com`;
      for (const [kind, email] of [
        ['known', user.email],
        ['unknown', unknown],
      ] as const) {
        const began = performance.now();
        const { status } = await server.call('POST', '/auth/login', {
          body: { email, password: 'wrong password' },
        });
        times[kind]!.push(performance.now() - began);
        expect(status).toBe(401);
      }
      await server.login(user.email, user.password);
    }
    // The least of each, because other processes only add to the time.
    const known = Math.min(...times['known']!);
    const unknown = Math.min(...times['unknown']!);
    expect(unknown).toBeGreaterThan(5);
    expect(Math.abs(known - unknown)).toBeLessThan(0.5 * Math.max(known, unknown));
  });
  test.each([
    [{}, 'email', 'is required'],
    [{ email: 'a@b' }, 'password', 'is required'],
    [{ email: 1, password: 'x' }, 'email', 'must be a string'],
    [{ email: ['a@b'], password: 'x' }, 'email', 'must be a string'],
    [{ email: 'a@b', password: { $ne: '' } }, 'password', 'must be a string'],
    [{ email: 'a@b', password: '' }, 'password', 'must not be empty'],
    [{ email: 'a@b', password: 'x'.repeat(201) }, 'password', 'must have at most 200 characters'],
    [{ email: 'a'.repeat(300), password: 'x' }, 'email', 'must have at most 254 characters'],
    [
      { email: 'a@b', password: 'x', remember: true },
      'remember',
      'is not a known field; known are email, password',
    ],
    [[], '', 'must be an object'],
    [null, '', 'must be an object'],
    ['text', '', 'must be an object'],
  ])('%j: VALIDATION_ERROR at %s', async (body, field, issue) => {
    const response = await server.call('POST', '/auth/login', { body });
    expect(response.status).toBe(400);
    expect(response.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });
  test('all errors are listed', async () => {
    const { body } = await server.call('POST', '/auth/login', { body: { password: 5, more: 1 } });
    expect(
      (body['error']!['details'] as { errors: { field: string }[] }).errors.map((e) => e.field).sort(),
    ).toEqual(['email', 'more', 'password']);
  });
  test('a form posted by a page of another origin is rejected', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
    ]) {
      const response = await server.app.inject({
        method: 'POST',
        url: '/v1/auth/login',
        headers: { 'content-type': type },
        payload: JSON.stringify(ADMIN),
      });
      expect([response.statusCode, response.json().error.details.field]).toEqual([400, 'content-type']);
    }
  });
  test('a flood of logins is limited: some succeed, the rest receive Retry-After', async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => server.call('POST', '/auth/login', { body: ADMIN })),
    );
    const refused = responses.filter((response) => response.status === 429);
    expect(responses.filter((response) => response.status === 200).length + refused.length).toBe(100);
    // Two are computed and 64 wait; on a slow machine some end before the last ones come.
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(100 - 66);
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect(refused[0]!.body['error']).toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'capacity' },
    });
  });
  test('no password or token in a log line', () => {
    expect(server.lines.length).toBeGreaterThan(10);
    for (const line of server.lines) expect(line).not.toMatch(/correct horse|wrong password|eyJ/);
  });
});

describe('the throttle of logins', () => {
  // Failed logins of the other tests count for their address.
  let server: AccountsServer;
  beforeAll(async () => {
    server = await openAccountsServer();
  });
  afterAll(() => server.close());

  test('after five failures tries wait; the right password still works; too many waiting are refused', async () => {
    const user = await server.member();
    const fail = async (email: string) => {
      const began = performance.now();
      const { status } = await server.call('POST', '/auth/login', {
        body: { email, password: 'not this one' },
      });
      return { status, took: performance.now() - began };
    };
    for (const email of [user.email, 'unknown-and-slowed@example.com']) {
      for (let i = 0; i < 5; i++) expect((await fail(email)).status).toBe(401);
      const sixth = await fail(email);
      expect(sixth.status).toBe(401);
      expect(sixth.took).toBeGreaterThan(450);
    }
    const waiting = Array.from({ length: 5 }, () => fail(user.email));
    const refused = await server.call('POST', '/auth/login', {
      body: { email: user.email, password: 'x' },
    });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('4');
    // Another address is not held up by them.
    const elsewhere = await server.call('POST', '/auth/login', {
      body: { email: user.email, password: user.password },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    expect(elsewhere.status).toBe(200);
    for (const one of await Promise.all(waiting)) expect(one.status).toBe(401);
    // The five that were under way were counted after the success.
    const began = performance.now();
    await server.login(user.email, user.password);
    expect(performance.now() - began).toBeLessThan(5_000);
    // What a wrong password takes on this machine just now, without a wait.
    const least = async (email: string): Promise<number> =>
      Math.min((await fail(email)).took, (await fail(email)).took, (await fail(email)).took);
    const plain = await least('unknown-and-not-slowed@example.com');
    expect((await least(user.email)) - plain).toBeLessThan(450);
  });
});

describe('tokens', () => {
  test('a token works until it expires', async () => {
    const { token } = await server.member();
    expect((await server.call('GET', '/users/me', { token })).status).toBe(200);
    // Real time passes as well.
    server.forward(3_580_000);
    expect((await server.call('GET', '/users/me', { token })).status).toBe(200);
    server.forward(20_000);
    const response = await server.call('GET', '/users/me', { token });
    expect(response.status).toBe(401);
    expect(response.body['error']).toMatchObject({ code: 'UNAUTHORIZED', message: 'The token has expired.' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="weft"');
  });

  test('forged, altered and foreign tokens are refused', async () => {
    const { token } = await server.member();
    const [head = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const none = `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
    const guessed = `${head}.${payload}.${createHmac('sha256', 'secret').update(`${head}.${payload}`).digest('base64url')}`;
    const raised = `${head}.${encode({ ...claims, exp: claims.exp + 9999 })}.${signature}`;
    const other = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS512', typ: 'JWT' })
      .sign(Buffer.alloc(64, 1));
    for (const wrong of [
      none,
      guessed,
      raised,
      other,
      token.slice(0, -2),
      `${token}x`,
      'a.b.c',
      'x',
      '.',
      `${token}.${token}`,
      'x'.repeat(9000),
    ]) {
      const response = await server.call('GET', '/users/me', { token: wrong });
      expect([wrong.slice(0, 20), response.status]).toEqual([wrong.slice(0, 20), 401]);
      expect((await server.call('POST', '/auth/refresh', { token: wrong })).status).toBe(401);
    }
    expect((await server.call('GET', '/users/me', { token })).status).toBe(200);
  });

  test.each(['', 'Bearer', 'Bearer ', 'Basic dTpw', 'bearer a b', 'Token x', 'Bearer\tx'])(
    'Authorization %j is refused',
    async (authorization) => {
      const response = await server.call('GET', '/users/me', { headers: { authorization } });
      expect([response.status, response.body['error']!['code']]).toEqual([401, 'UNAUTHORIZED']);
    },
  );
  test('the scheme is read without case', async () => {
    const token = await server.login();
    expect(
      (await server.call('GET', '/users/me', { headers: { authorization: `bEARER ${token}` } })).status,
    ).toBe(200);
  });
});

describe('POST /auth/refresh', () => {
  const refresh = (token: string) => server.call('POST', '/auth/refresh', { token });
  const works = async (token: string) => (await server.call('GET', '/users/me', { token })).status === 200;

  test('returns a new token; the old one is invalid immediately', async () => {
    const { token, email, id } = await server.member();
    expect(await works(token)).toBe(true);
    const { status, body } = await refresh(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.any(String),
      expires_in: expect.any(Number),
      user: { id, email, name: '' },
    });
    // Whole seconds, of which some pass on the way on a busy machine.
    expect(Number(body['expires_in'])).toBeGreaterThan(3_580);
    expect(Number(body['expires_in'])).toBeLessThanOrEqual(3_600);
    expect(body['token']).not.toBe(token);
    expect(await works(body['token']!)).toBe(true);
    expect(await works(token)).toBe(false);
    // Being refused did not end the session.
    expect(await works(body['token']!)).toBe(true);
  });
  test('for 60 s the old token gets the same new one', async () => {
    const { token } = await server.member();
    const first = (await refresh(token)).body['token'];
    server.forward(45_000);
    const again = await refresh(token);
    expect([again.status, again.body['token']]).toEqual([200, first]);
    expect(again.body['expires_in']).toBeLessThanOrEqual(3_555);
  });
  test('a later reuse ends the session', async () => {
    const { token } = await server.member();
    const next: string = (await refresh(token)).body['token']!;
    expect(await works(next)).toBe(true);
    server.forward(61_000);
    expect((await refresh(token)).status).toBe(401);
    expect(await works(next)).toBe(false);
    expect((await refresh(next)).status).toBe(401);
  });
  test('so does reuse once the new one was refreshed itself', async () => {
    const { token } = await server.member();
    const second: string = (await refresh(token)).body['token']!;
    const third: string = (await refresh(second)).body['token']!;
    expect(await works(third)).toBe(true);
    expect((await refresh(token)).status).toBe(401);
    expect(await works(third)).toBe(false);
  });
  test('an expired token is refreshed, in the header or in the body', async () => {
    for (const way of ['header', 'body'] as const) {
      const { token } = await server.member();
      server.forward(7_200_000);
      const options = way === 'header' ? { token } : { body: { token } };
      const { status, body } = await server.call('POST', '/auth/refresh', options);
      expect([status, body['expires_in']]).toEqual([200, 3600]);
      expect(await works(body['token']!)).toBe(true);
    }
  });
  test('a session lasts 30 days from its last refresh', async () => {
    const { token } = await server.member();
    server.forward(29 * 86_400_000);
    const next: string = (await refresh(token)).body['token']!;
    server.forward(29 * 86_400_000);
    const last: string = (await refresh(next)).body['token']!;
    server.forward(30 * 86_400_000 + 1);
    expect((await refresh(last)).status).toBe(401);
  });
  test('fifty refreshes at once give one token', async () => {
    const { token } = await server.member();
    const responses = await Promise.all(Array.from({ length: 50 }, () => refresh(token)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect(new Set(responses.map((response) => response.body['token'])).size).toBe(1);
    expect(await works(responses[0]!.body['token']!)).toBe(true);
  });
  test('nothing, and wrong fields', async () => {
    expect((await server.call('POST', '/auth/refresh')).status).toBe(401);
    expect((await server.call('POST', '/auth/refresh', { body: {} })).status).toBe(401);
    const wrong = await server.call('POST', '/auth/refresh', { body: { refresh_token: 'x' } });
    expect(wrong.body['error']).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'refresh_token' },
    });
    expect((await server.call('POST', '/auth/refresh', { body: { token: 5 } })).status).toBe(400);
  });
});

describe('POST /auth/logout', () => {
  test('ends the session at once, and no other', async () => {
    const user = await server.member();
    const other = await server.login(user.email, user.password);
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(200);
    const response = await server.call('POST', '/auth/logout', { token: user.token });
    expect([response.status, response.text]).toEqual([200, '{"success":true}']);
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(401);
    expect((await server.call('POST', '/auth/refresh', { token: user.token })).status).toBe(401);
    expect((await server.call('POST', '/auth/logout', { token: user.token })).status).toBe(401);
    expect((await server.call('GET', '/users/me', { token: other })).status).toBe(200);
  });
  test('no credential works afterwards, also with concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const { token } = await server.member();
      const calls = Array.from({ length: 20 }, (_, i) =>
        i === 10
          ? server.call('POST', '/auth/logout', { token })
          : server.call(i % 5 === 0 ? 'POST' : 'GET', i % 5 === 0 ? '/auth/refresh' : '/users/me', { token }),
      );
      const responses = await Promise.all(calls);
      const tokens = new Set([
        token,
        ...responses
          .map((response) => response.body['token'] as string | undefined)
          .filter((one) => one !== undefined),
      ]);
      // A refresh may have spent the token before the logout came; then the logout is the one that is
      // refused.
      if (responses[10]!.status !== 200) continue;
      for (const one of tokens)
        expect((await server.call('GET', '/users/me', { token: one })).status).toBe(401);
    }
  });
});

describe('precedence', () => {
  test('Authorization takes precedence over X-API-Key, and an invalid credential fails', async () => {
    const user = await server.member();
    const made = await server.call('POST', '/api-keys', { token: user.token, body: { name: 'k' } });
    const key: string = made.body['key']!;
    const admin = await server.login();
    const who = async (options: { token?: string; key?: string }) => {
      const { status, body } = await server.call('GET', '/users/me', options);
      return status === 200 ? body['id'] : status;
    };
    expect(await who({ key })).toBe(user.id);
    expect(await who({ token: admin, key })).not.toBe(user.id);
    expect(await who({ token: 'wrong', key })).toBe(401);
    expect(await who({ token: admin, key: 'wrong' })).not.toBe(401);
    expect(await who({ key: 'wrong' })).toBe(401);
    expect(await who({ key: `${key}x` })).toBe(401);
    expect(await who({ key: '' })).toBe(401);
    expect(await who({})).toBe(401);
    // An API key is no Bearer token.
    expect(await who({ token: key })).toBe(401);
  });
});
