import { describe, expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import type { Route } from '../rest/route.ts';
import { createEchoServers } from '../../../test/support/servers/echo-server.ts';

const { server, lines, routes } = createEchoServers();

describe('every response', () => {
  test.each([
    ['GET', '/v1/things/1', 200],
    ['GET', '/v1/nowhere', 404],
    ['GET', '/', 404],
    ['DELETE', '/v1/echo', 404],
    ['GET', '/v1/conflict', 400],
    ['GET', '/v1/broken', 500],
    ['POST', '/v1/ping', 401],
  ] as const)('%s %s: %i with request id and version', async (method, url, status) => {
    const response = await server().inject({ method, url });
    expect(response.statusCode).toBe(status);
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    expect(response.headers['weft-version']).toBe('9.8.7');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    if (status !== 200) {
      expect(Object.keys(response.json())).toEqual(['error']);
      expect(Object.keys(response.json().error)).toEqual(['code', 'message', 'details']);
    }
  });

  test('an unknown path and an unknown method are NOT_FOUND', async () => {
    for (const [method, url] of [
      ['GET', '/v1/x'],
      ['PUT', '/v1/ping'],
      ['GET', '/v2/ping'],
      ['QUERY', '/v1/ping'],
    ] as const) {
      expect((await server().inject({ method, url })).json().error).toMatchObject({
        code: 'NOT_FOUND',
        details: {},
      });
    }
  });

  test('a 401 response has WWW-Authenticate', async () => {
    const response = await server().inject({ method: 'POST', url: '/v1/ping' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="weft"');
    expect(response.json().error.code).toBe('UNAUTHORIZED');
  });

  test('an internal error exposes no details; its log line has the request id and the stack', async () => {
    const response = await server().inject({ url: '/v1/broken' });
    expect(response.json()).toEqual({
      error: { code: 'INTERNAL_ERROR', message: 'An internal error occurred.', details: {} },
    });
    const line = JSON.parse(lines[0]!);
    expect(line).toMatchObject({ level: 'error', request_id: response.headers['x-request-id'] });
    expect(line.err.stack).toContain('SELECT password');
  });

  test('HEAD responds like GET without a body', async () => {
    const response = await server().inject({ method: 'HEAD', url: '/v1/things/1' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
  });

  test('OPTIONS lists the methods of a path; without the setting CORS is disabled', async () => {
    const response = await server().inject({
      method: 'OPTIONS',
      url: '/v1/things/1',
      headers: { origin: 'https://a.example' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a route without a scope is rejected at startup', () => {
    const { scope: _scope, ...row } = routes[0]!;
    expect(() => server({ routes: [row as Route] })).toThrow('POST /echo must declare a scope');
  });
});

describe('CORS', () => {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  test('an allowed origin gets CORS headers on the preflight and on the response', async () => {
    const app = server({}, { corsOrigins: ['https://a.example'] });
    const preflight = await app.inject({ method: 'OPTIONS', url: '/v1/echo', headers });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    const response = await app.inject({ url: '/v1/conflict', headers: { origin: 'https://a.example' } });
    expect(response.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(response.headers.vary).toBe('Origin');
    expect(response.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
  });
  test('another origin gets no CORS headers', async () => {
    const app = server({}, { corsOrigins: ['https://a.example'] });
    const response = await app.inject({
      method: 'OPTIONS',
      url: '/v1/echo',
      headers: { ...headers, origin: 'https://b.example' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('query parameters', () => {
  test('numbers and booleans are parsed according to the schema of the route', async () => {
    const response = await server().inject({ url: '/v1/things/a%20b?page=2&name=7&flag=true' });
    expect(response.json()).toMatchObject({ id: 'a b', query: { page: 2, name: '7', flag: true } });
  });
  test('text that is not a number stays text, which the service rejects', async () => {
    expect((await server().inject({ url: '/v1/things/1?page=1e1' })).json().query).toEqual({ page: '1e1' });
  });
  test.each([
    ['?stauts=failed', 'stauts', 'is not a known query parameter; known are page, name, flag'],
    ['?page=1&page=2', 'page', 'must not be repeated'],
    ['?__proto__=1', '__proto__', 'is not a known query parameter; known are page, name, flag'],
    ['?constructor=1', 'constructor', 'is not a known query parameter; known are page, name, flag'],
  ])('%s is rejected with its name', async (query, field, issue) => {
    const response = await server().inject({ url: `/v1/things/1${query}` });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field, issue, errors: [{ field, issue }] },
    });
  });
  test('a path that cannot be decoded is rejected', async () => {
    const response = await server().inject({ url: '/v1/things/%zz' });
    expect([response.statusCode, response.json().error.details.field]).toEqual([400, 'path']);
    expect(response.headers['x-request-id']).toMatch(/^req_/);
  });
  test('a segment longer than any id is NOT_FOUND', async () => {
    expect((await server().inject({ url: `/v1/things/${'x'.repeat(5000)}` })).statusCode).toBe(404);
  });
});

describe('the webhook plugin', () => {
  test('receives bytes of any type, and its errors are sent like all others', async () => {
    const app = server({
      webhooks: (scope) => {
        scope.post('/webhooks/*', (request) => {
          if (request.body === undefined) throw new WeftError('FORBIDDEN');
          return { bytes: (request.body as Buffer).toString('latin1') };
        });
      },
    });
    const post = (payload?: string, type = 'text/weird') =>
      app.inject({
        method: 'POST',
        url: '/v1/webhooks/a/b',
        ...(payload === undefined ? {} : { payload, headers: { 'content-type': type } }),
      });
    expect((await post('{"a"', 'application/json')).json()).toEqual({ bytes: '{"a"' });
    expect((await post('x=1', 'application/x-www-form-urlencoded')).json()).toEqual({ bytes: 'x=1' });
    expect((await post()).statusCode).toBe(403);
    const big = await post('x'.repeat(16 * 1024 * 1024 + 1));
    expect(big.json().error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 16 * 1024 * 1024 },
    });
    // The plugins do not share their parsers.
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/v1/echo',
          payload: 'x',
          headers: { 'content-type': 'text/weird' },
        })
      ).statusCode,
    ).toBe(400);
  });
});
