import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
} from '../support/service.ts';
import { createEchoWorkflow } from '../api/definitions.ts';
import { sendBytes } from './wire.ts';

/**
 * Malformed HTTP from clients and proxies: each connection gets one clear response, and no unsent request is
 * read.
 */
const folder = createTempFolder();
let weft: SpawnedService;
let port: number;
let bearer: string;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  port = Number(new URL(weft.url).port);
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  bearer = `Authorization: Bearer ${(login.body as { token: string }).token}\r\n`;
  const call = await weft.login();
  const made = await call('POST', '/workflows', {
    body: { name: 'hook', definition: createEchoWorkflow('hook/:id'), status: 'active' },
  });
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';
const post = (headers: string, body = '', path = '/v1/webhooks/hook/1'): string =>
  `POST ${path} HTTP/1.1\r\n${host}${json}${headers}\r\n${body}`;
/** A whole request that a second reader of the same bytes would take for one. */
const hidden = `GET /v1/users/me HTTP/1.1\r\n${host}\r\n`;

describe('a length that two readers may read in two ways', () => {
  test.each([
    [
      'chunks and a length',
      post(`Content-Length: 3\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${hidden}`),
    ],
    [
      'a length and chunks',
      post(`Transfer-Encoding: chunked\r\nContent-Length: 3\r\n`, `0\r\n\r\n${hidden}`),
    ],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n`, hidden)],
    ['the same length twice', post(`Content-Length: 2\r\nContent-Length: 2\r\n`, '{}')],
    ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}')],
    ['a length with a sign', post('Content-Length: +2\r\n', '{}')],
    ['a negative length', post('Content-Length: -1\r\n', '{}')],
    ['a length in hex', post('Content-Length: 0x2\r\n', '{}')],
    ['a length that is none', post('Content-Length: two\r\n', '{}')],
    ['a length beyond any', post('Content-Length: 99999999999999999999\r\n', '{}')],
    ['another coding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
    ['chunks that are not the last coding', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')],
    [
      'two codings in two lines',
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'),
    ],
    ['a name with a space behind it', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n')],
    ['a folded line', post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n')],
    ['a folded line of something else', post('X-Note: a\r\n b\r\nContent-Length: 2\r\n', '{}')],
    ['a chunk size that is not a number', post('Transfer-Encoding: chunked\r\n', `x\r\n{}\r\n0\r\n\r\n`)],
    ['a chunk beyond any', post('Transfer-Encoding: chunked\r\n', `ffffffffffffffffff\r\n{}`)],
    ['a chunk with a space', post('Transfer-Encoding: chunked\r\n', `2 \r\n{}\r\n0\r\n\r\n`)],
    ['a chunk that is longer than it says', post('Transfer-Encoding: chunked\r\n', `1\r\n{}\r\n0\r\n\r\n`)],
    [
      'lines that end with a line feed only',
      `POST /v1/webhooks/hook/1 HTTP/1.1\nHost: localhost\nContent-Length: 2\n\n{}`,
    ],
    [
      'a carriage return inside a header',
      post('X-Note: a\rContent-Length: 9\r\nContent-Length: 2\r\n', '{}'),
    ],
    ['NUL in a header', post('X-Note: a\0b\r\nContent-Length: 2\r\n', '{}')],
    ['a header without a name', post(': x\r\nContent-Length: 2\r\n', '{}')],
    ['a header without a colon', post('X-Note\r\nContent-Length: 2\r\n', '{}')],
  ])('%s: 400, and the connection ends', async (_, bytes) => {
    const { statuses, text, isClosed } = await sendBytes(port, bytes);
    expect(statuses, text).toEqual([400]);
    expect(text).toContain('"code":"VALIDATION_ERROR"');
    expect(isClosed).toBe(true);
  });

  test('none of these requests started an execution', async () => {
    const call = await weft.login();
    expect((await call('GET', '/executions')).body).toMatchObject({ pagination: { total: 0 } });
  });

  test('a request in the body of a rejected request is not processed', async () => {
    const bytes = `${post(`Content-Length: ${hidden.length}\r\n`, hidden, '/v1/workflows')}GET /v1/health/live HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    const { statuses, text } = await sendBytes(port, bytes);
    expect(statuses, text).toEqual([401, 200]);
    expect(text.match(/UNAUTHORIZED/g)).toHaveLength(1);
  });
});

describe('the first line and the host', () => {
  const get = (path: string, more = '', version = 'HTTP/1.1'): string =>
    `GET ${path} ${version}\r\n${host}Connection: close\r\n${more}\r\n`;
  test.each([
    ['HTTP/1.0 without a host', 'GET /v1/health/live HTTP/1.0\r\n\r\n', 200],
    ['HTTP/0.9', 'GET /v1/health/live\r\n\r\n', 400],
    ['HTTP/2 by its first line', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a version of the future', get('/v1/health/live', '', 'HTTP/9.9'), 400],
    ['no host', 'GET /v1/health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', get('/v1/health/live', 'Host: evil.example\r\n'), 400],
    ['a whole address', get('http://evil.example/v1/health/live'), 200],
    ['a path that begins like a host', get('//evil.example/v1/health/live'), 404],
    ['a way up', get('/v1/../v1/users/me'), 404],
    ['an encoded way up', get('/v1/%2e%2e/v1/users/me'), 404],
    ['an encoded slash', get('/v1%2fhealth'), 404],
    ['a path that cannot be decoded', get('/v1/workflows/%zz'), 400],
    ['TRACE', `TRACE /v1/health HTTP/1.1\r\n${host}X-Note: mirror\r\nConnection: close\r\n\r\n`, 404],
    ['CONNECT', `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n`, 404],
    ['the star', `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 404],
    ['headers beyond 16 KiB', get('/v1/health', `X: ${'y'.repeat(17_000)}\r\n`), 400],
  ])('%s', async (_, bytes, status) => {
    const { statuses, text } = await sendBytes(port, bytes);
    expect(statuses, text.slice(0, 500)).toEqual([status]);
    expect(text).not.toContain('mirror');
    expect(text).not.toContain('evil.example');
  });

  test('headers of the client about its host and route are in no response', async () => {
    const lies = `${host}X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example\r\n`;
    for (const path of [
      '/v1/workflows?limit=1',
      '/.well-known/oauth-authorization-server',
      '/v1/openapi.json',
      '/v1/health',
      '/v1/docs',
    ]) {
      const { statuses, text } = await sendBytes(
        port,
        `GET ${path} HTTP/1.1\r\n${lies}${bearer}Connection: close\r\n\r\n`,
      );
      expect(statuses, path).toEqual([200]);
      expect(text, path).not.toContain('evil.example');
    }
  });

  test('pipelined requests are answered in order', async () => {
    const asks = [
      '/v1/health/live',
      '/v1/users/me',
      '/v1/nothing',
      '/v1/workflows?page=0',
      '/v1/health/live',
    ];
    const bytes = asks
      .map((path, at) => `GET ${path} HTTP/1.1\r\n${host}${at === 3 ? bearer : ''}\r\n`)
      .join('');
    expect((await sendBytes(port, bytes)).statuses).toEqual([200, 401, 404, 400, 200]);
  });
});

describe('credentials are read from two headers only', () => {
  const me = (headers: string, query = ''): string =>
    `GET /v1/users/me${query} HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n`;
  test('a token anywhere else is ignored', async () => {
    const token = bearer.slice('Authorization: Bearer '.length, -2);
    expect((await sendBytes(port, me(bearer))).statuses).toEqual([200]);
    for (const [headers, query = ''] of [
      [`Cookie: token=${token}; session=${token}; authorization=Bearer ${token}\r\n`],
      [`X-API-Key: ${token}\r\n`],
      [`X_Authorization: Bearer ${token}\r\n`],
      [`Proxy-Authorization: Bearer ${token}\r\n`],
      [`X-Forwarded-User: admin\r\nX-Remote-User: admin\r\nX-User-Id: usr_1\r\n`],
      ['', `?access_token=${token}`],
      ['', `?token=${token}`],
      [`Authorization: Basic ${Buffer.from(`${adminEmail}:${adminPassword}`).toString('base64')}\r\n`],
      [`Authorization: ${token}\r\n`],
      [`Authorization: Bearer ${token}, Bearer ${token}\r\n`],
    ]) {
      const { statuses, text } = await sendBytes(port, me(headers!, query));
      expect(statuses, `${headers}${query}`).toEqual([401]);
      expect(text).toMatch(/www-authenticate: Bearer/i);
      expect(text).not.toContain(token);
    }
  });

  test('two Authorization headers are rejected', async () => {
    const { statuses, text } = await sendBytes(port, me(`Authorization: Bearer x\r\n${bearer}`));
    expect([400, 401], text).toContain(statuses[0]);
  });
});

describe('pages of other origins', () => {
  const form = (path: string, type: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\n${host}Origin: https://evil.example\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
  const login = JSON.stringify({ email: adminEmail, password: adminPassword });
  test.each(['/v1/auth/login', '/v1/auth/refresh', '/v1/resume/x', '/v1/graphql', '/v1/workflows'])(
    'what a form can post to %s without a preflight is refused',
    async (path) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain; a=application/json',
      ])
        for (const body of [login, `${login}=`, 'a=b']) {
          const { statuses, text } = await sendBytes(port, form(path, type, body));
          // The token of an address to resume by is looked up before the body is read.
          const refusals = path.startsWith('/v1/resume/') ? [404] : [400, 401];
          expect(refusals, `${type} ${text}`).toContain(statuses[0]);
          expect(text).not.toContain('"token"');
          expect(text.toLowerCase()).not.toContain('access-control-allow');
        }
    },
  );

  test('no response allows them, and a preflight grants nothing', async () => {
    for (const method of ['GET', 'OPTIONS'])
      for (const path of [
        '/v1/health',
        '/v1/workflows',
        '/v1/openapi.json',
        '/v1/graphql',
        '/v1/webhooks/hook/1',
        '/metrics',
      ]) {
        const bytes = `${method} ${path} HTTP/1.1\r\n${host}Origin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n`;
        const { text } = await sendBytes(port, bytes);
        expect(text.toLowerCase(), `${method} ${path}`).not.toContain('access-control-allow');
      }
  });

  test('private responses are not cached by intermediaries', async () => {
    for (const path of [
      '/v1/users/me',
      '/v1/workflows',
      '/v1/secrets',
      '/v1/executions/none',
      '/v1/nothing',
      '/v1/graphql?query=%7Bme%7Bid%7D%7D',
    ]) {
      const { text } = await sendBytes(
        port,
        `GET ${path} HTTP/1.1\r\n${host}${bearer}Connection: close\r\n\r\n`,
      );
      expect(text, path).toMatch(/cache-control: no-store/i);
      expect(text, path).toMatch(/x-content-type-options: nosniff/i);
      expect(text, path).not.toMatch(/^(?:server|x-powered-by|set-cookie):/im);
    }
  });
});
