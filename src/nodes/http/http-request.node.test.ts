import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { attemptOf, closeRunners, makeRunner } from '../../runner/testing/runner.ts';
import { serve } from '../../runner/testing/server.ts';
import type { TestServer } from '../../runner/testing/server.ts';
import { checkConfig } from '../config-check.ts';
import { httpRequest } from './http-request.node.ts';

type Made = ReturnType<typeof makeRunner>;
const secrets = {
  TOKEN: { value: 'tok-123456', hosts: null },
  CLIENT: { value: 'client-secret-1', hosts: null },
  REFRESH: { value: 'refresh-1', hosts: null },
};

let made: Made;
let echo: TestServer;
const servers: TestServer[] = [];

beforeEach(async () => {
  made = makeRunner({ secrets });
  echo = await server((q, r, body) => {
    r.setHeader('content-type', 'application/json; charset=utf-8');
    r.end(JSON.stringify({ method: q.method, url: q.url, headers: q.headers, body }));
  });
});
afterEach(async () => {
  await closeRunners();
  await Promise.all(servers.splice(0).map((one) => one.close()));
});

async function server(...args: Parameters<typeof serve>): Promise<TestServer> {
  const one = await serve(...args);
  servers.push(one);
  return one;
}

function run(config: JsonObject, input: Json = {}): Promise<Outcome> {
  expect(checkConfig(httpRequest, config)).toEqual([]);
  return Promise.resolve(made.runner.run(attemptOf(httpRequest, config, { input })));
}

type Answer = { status: number; headers: Record<string, string>; body: Json };
type Echo = { method: string; url: string; headers: Record<string, string>; body: string };

async function answer(config: JsonObject, input: Json = {}): Promise<Answer> {
  const outcome = await run(config, input);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs['out'] as Answer;
}

async function echoed(config: JsonObject, input: Json = {}): Promise<Echo> {
  return (await answer({ url: echo.url, method: 'POST', ...config }, input)).body as unknown as Echo;
}

async function failure(config: JsonObject, input: Json = {}) {
  const outcome = await run(config, input);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.error;
}

describe('what is sent', () => {
  it('is a GET by default, with an idempotency key', async () => {
    const seen = await echoed({ method: undefined as never, url: `${echo.url}/a?b=c` });
    expect([seen.method, seen.url, seen.body]).toEqual(['GET', '/a?b=c', '']);
    expect(seen.headers).toMatchObject({ 'idempotency-key': 'key-of-this-run', 'user-agent': 'weft' });
    expect(seen.headers).not.toHaveProperty('content-type');
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])('is a %s', async (method) => {
    expect((await echoed({ method })).method).toBe(method);
  });

  it('keeps an idempotency key that the headers set', async () => {
    const seen = await echoed({ headers: { 'Idempotency-Key': 'mine', 'X-N': 5, 'X-B': true } });
    expect(seen.headers).toMatchObject({ 'idempotency-key': 'mine', 'x-n': '5', 'x-b': 'true' });
  });

  it('adds the query to the one of the URL, encoded', async () => {
    const seen = await echoed(
      {
        url: `${echo.url}/x?a=1`,
        query: { q: '{{ input.q }}', list: [1, 'two'], none: null, flag: false },
      },
      { q: 'a&b=c d/ü' },
    );
    expect(seen.url).toBe('/x?a=1&q=a%26b%3Dc+d%2F%C3%BC&list=1&list=two&flag=false');
  });

  it.each([
    ['an object as JSON', { body: { a: '{{ input.n }}' } }, 'application/json', '{"a":7}'],
    ['a list as JSON', { body: [1, '{{ input.n }}'] }, 'application/json', '[1,7]'],
    ['a text as text', { body: 'n = {{ input.n }}' }, 'text/plain; charset=utf-8', 'n = 7'],
    ['a text as JSON', { body: 'n', body_type: 'json' }, 'application/json', '"n"'],
    ['a number as text', { body: 5, body_type: 'text' }, 'text/plain; charset=utf-8', '5'],
    [
      'a form',
      { body: { a: 'x y', b: [1, 2], c: { d: 1 }, e: null }, body_type: 'form-urlencoded' },
      'application/x-www-form-urlencoded',
      'a=x+y&b=1&b=2&c=%7B%22d%22%3A1%7D',
    ],
    [
      'with a content type of its own',
      { body: '<a/>', headers: { 'Content-Type': 'application/xml' } },
      'application/xml',
      '<a/>',
    ],
  ])('is %s', async (_title, config, type, body) => {
    const seen = await echoed(config as JsonObject, { n: 7 });
    expect([seen.headers['content-type'], seen.body]).toEqual([type, body]);
  });

  it('is a form with files: texts and files of the execution', async () => {
    const image = await server((_q, r) =>
      r.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80, 0, 255])),
    );
    const { body: file } = await answer({ url: `${image.url}/pic/logo.png?x=1` });
    expect(file).toMatchObject({ $file: { name: 'logo.png', content_type: 'image/png', size: 4 } });
    const seen = await echoed(
      {
        body: { title: 'T', n: 5 },
        files: {
          doc: { filename: 'a.txt', content: 'hello', content_type: 'text/plain' },
          pic: { content: '{{ input.file }}' },
        },
      },
      { file },
    );
    expect(seen.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen.body).toMatch(/name="title"\r\n\r\nT\r\n/);
    expect(seen.body).toMatch(/name="n"\r\n\r\n5\r\n/);
    expect(seen.body).toMatch(/name="doc"; filename="a.txt"\r\nContent-Type: text\/plain\r\n\r\nhello\r\n/);
    expect(seen.body).toMatch(
      /name="pic"; filename="logo.png"\r\nContent-Type: image\/png\r\n\r\n\x89P\0\xff\r\n/,
    );
    const binary = await echoed({ body: '{{ input.file }}', body_type: 'binary' }, { file });
    expect([binary.headers['content-type'], binary.body]).toEqual(['image/png', '\x89P\0\xff']);
  });

  it.each([
    [{ body: '{{ input.x }}', body_type: 'binary' }, { x: 'text' }, 'body'],
    [{ body: '{{ input.x }}', body_type: 'binary' }, { x: { $file: { id: 'file_9' } } }, 'body'],
    [{ body: '{{ input.x }}', body_type: 'form-urlencoded' }, { x: 'text' }, 'body'],
    [{ body: '{{ input.x }}', body_type: 'form-data' }, { x: [1] }, 'body'],
    [{ body: '{{ input.x }}', body_type: 'text' }, { x: {} }, 'body'],
    [{ files: { doc: { content: '{{ input.x }}' } } }, { x: 5 }, 'files.doc.content'],
    [{ query: { a: '{{ input.x }}' } }, { x: {} }, 'query.a'],
    [{ headers: { a: '{{ input.x }}' } }, { x: {} }, 'headers.a'],
  ])('is refused when it does not fit: %#', async (config, input, field) => {
    const error = await failure(
      { url: echo.url, method: 'POST', ...config } as JsonObject,
      input as unknown as Json,
    );
    expect([error.type, (error.data as JsonObject)['field']]).toEqual(['validation', field]);
    expect(echo.received).toHaveLength(0);
  });

  it('cannot smuggle a header', async () => {
    const error = await failure({ url: echo.url, headers: { a: '{{ input.x }}' } }, { x: 'b\r\nC: d' });
    expect(error.type).toBe('validation');
    expect(echo.connections()).toBe(0);
  });
});

describe('authentication', () => {
  it.each([
    [{ type: 'bearer', token: '{{ secrets.TOKEN }}' }, 'authorization', 'Bearer tok-123456'],
    [
      { type: 'basic', username: 'ada', password: '{{ secrets.TOKEN }}' },
      'authorization',
      `Basic ${Buffer.from('ada:tok-123456').toString('base64')}`,
    ],
    [{ type: 'header', name: 'X-Key', value: '{{ secrets.TOKEN }}' }, 'x-key', 'tok-123456'],
  ])('sends %j', async (authentication, name, value) => {
    expect((await echoed({ authentication })).headers[name]).toBe(value);
  });

  it('goes over headers of the same name', async () => {
    const seen = await echoed({
      headers: { Authorization: 'x' },
      authentication: { type: 'bearer', token: 't' },
    });
    expect(seen.headers['authorization']).toBe('Bearer t');
  });

  it('is not shown when the server answers with it in an error', async () => {
    const target = await server((q, r) =>
      r.writeHead(400).end(`bad ${q.headers.authorization ?? ''} ${q.url ?? ''}`),
    );
    const error = await failure({
      url: `${target.url}/?key={{ secrets.TOKEN }}`,
      authentication: { type: 'basic', username: 'ada', password: '{{ secrets.TOKEN }}' },
    });
    expect(JSON.stringify(error)).not.toContain('tok-123456');
    expect(JSON.stringify(error)).not.toContain(Buffer.from('ada:tok-123456').toString('base64').slice(8));
  });
});

describe('OAuth 2.0', () => {
  type Issuer = { expires_in?: number; onlyBody?: boolean; rotate?: boolean; status?: number; wait?: number };
  async function issuer({
    expires_in = 3600,
    onlyBody = false,
    rotate = false,
    status = 200,
    wait = 0,
  }: Issuer = {}) {
    let count = 0;
    return server((q, r, body) => {
      r.setHeader('content-type', 'application/json');
      const form = new URLSearchParams(body);
      if (status !== 200) {
        r.writeHead(status).end(JSON.stringify({ error: 'invalid_scope' }));
      } else if (onlyBody && form.get('client_secret') === null) {
        r.writeHead(401).end(JSON.stringify({ error: 'invalid_client', seen: q.headers.authorization }));
      } else {
        count++;
        const tokens = {
          access_token: `at-${count}`,
          token_type: 'Bearer',
          expires_in,
          ...(rotate ? { refresh_token: `rt-${count}` } : {}),
        };
        setTimeout(() => r.end(JSON.stringify(tokens)), wait);
      }
    });
  }
  const oauth2 = (token: TestServer, more: JsonObject = {}): JsonObject => ({
    type: 'oauth2',
    grant_type: 'client_credentials',
    token_url: `${token.url}/token`,
    client_id: 'weft',
    client_secret: '{{ secrets.CLIENT }}',
    scope: 'a b',
    ...more,
  });

  it('gets a token once and uses it again', async () => {
    const token = await issuer();
    for (let i = 0; i < 3; i++)
      expect((await echoed({ authentication: oauth2(token) })).headers['authorization']).toBe('Bearer at-1');
    expect(token.received).toHaveLength(1);
    expect(token.received[0]).toMatchObject({
      method: 'POST',
      url: '/token',
      body: 'grant_type=client_credentials&scope=a+b',
    });
    expect(token.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('weft:client-secret-1').toString('base64')}`,
    );
  });

  it('asks once for many nodes at a time', async () => {
    const token = await issuer({ wait: 50 });
    await Promise.all(Array.from({ length: 10 }, () => echoed({ authentication: oauth2(token) })));
    expect(token.received).toHaveLength(1);
  });

  it('keeps owners and requests apart', async () => {
    const token = await issuer();
    await echoed({ authentication: oauth2(token) });
    await echoed({ authentication: oauth2(token, { scope: 'c' }) });
    const config = { url: echo.url, authentication: oauth2(token) };
    await made.runner.run(attemptOf(httpRequest, config, { ownerId: 'usr_2' }));
    expect(token.received).toHaveLength(3);
  });

  it('asks again when the token has ended', async () => {
    const token = await issuer({ expires_in: 0.04 });
    await echoed({ authentication: oauth2(token) });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await echoed({ authentication: oauth2(token) })).headers['authorization']).toBe('Bearer at-2');
  });

  it('gets one fresh token after a 401, and then lets it stand', async () => {
    const token = await issuer();
    const api = await server((q, r) =>
      r.writeHead(q.headers.authorization === 'Bearer at-2' ? 200 : 401).end(),
    );
    expect((await answer({ url: api.url, authentication: oauth2(token) })).status).toBe(200);
    expect([api.received.length, token.received.length]).toEqual([2, 2]);
    const closed = await server((_q, r) => r.writeHead(401).end());
    const error = await failure({ url: closed.url, authentication: oauth2(token) });
    expect([error.type, error.status, closed.received.length]).toEqual(['client_error', 401, 2]);
  });

  it('sends the credentials in the body to a server that takes them only there', async () => {
    const token = await issuer({ onlyBody: true });
    expect((await echoed({ authentication: oauth2(token) })).headers['authorization']).toBe('Bearer at-1');
    expect(token.received[1]?.body).toBe(
      'grant_type=client_credentials&scope=a+b&client_id=weft&client_secret=client-secret-1',
    );
  });

  it('refreshes, and goes on with a refresh token that replaced the first', async () => {
    const token = await issuer({ rotate: true, expires_in: 0.04 });
    const authentication = oauth2(token, {
      refresh_token: '{{ secrets.REFRESH }}',
      grant_type: 'refresh_token',
      scope: '',
    });
    await echoed({ authentication });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await echoed({ authentication });
    expect(token.received.map(({ body }) => body)).toEqual([
      'grant_type=refresh_token&refresh_token=refresh-1',
      'grant_type=refresh_token&refresh_token=rt-1',
    ]);
  });

  it.each([
    [400, 'client_error'],
    [429, 'rate_limited'],
    [503, 'server_error'],
  ])('fails with %d of the token endpoint', async (status, type) => {
    const error = await failure({ url: echo.url, authentication: oauth2(await issuer({ status })) });
    expect(error).toMatchObject({
      type,
      status,
      message: `The token endpoint answered ${status}: invalid_scope`,
    });
    expect(echo.received).toHaveLength(0);
  });

  it('refuses a token endpoint that may not be called', async () => {
    const token = await server((_q, r) => r.end(), '127.0.0.2');
    const error = await failure({ url: echo.url, authentication: oauth2(token) });
    expect([error.type, token.connections()]).toEqual(['forbidden', 0]);
  });

  it('keeps a client secret at its host and still calls the service', async () => {
    await closeRunners();
    const token = await server(
      (_q, r) => r.setHeader('content-type', 'application/json').end('{"access_token":"at"}'),
      '127.0.0.2',
    );
    made = makeRunner({
      secrets: { CLIENT: { value: 'client-secret-1', hosts: ['127.0.0.2'] } },
      allowedHosts: '127.0.0.0/8',
    });
    const authentication = oauth2(token);
    expect((await echoed({ authentication })).headers['authorization']).toBe('Bearer at');
    const error = await failure({ url: `${echo.url}/?{{ secrets.CLIENT }}`, authentication });
    expect(error.type).toBe('forbidden');
  });
});

describe('what comes back', () => {
  async function answering(
    headers: Record<string, string>,
    body: string | Uint8Array,
    status = 200,
  ): Promise<Answer> {
    const target = await server((_q, r) => r.writeHead(status, headers).end(body));
    return answer({ url: `${target.url}/files/re%20port.bin` });
  }

  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{"a":[1]}', { a: [1] }],
    ['problem JSON', { 'content-type': 'application/problem+json; charset=utf-8' }, '{"a":1}', { a: 1 }],
    ['JSON that is none', { 'content-type': 'application/json' }, '{"a":', '{"a":'],
    ['a text', { 'content-type': 'text/html; charset=utf-8' }, '<p>ü</p>', '<p>ü</p>'],
    ['a Latin-1 text', { 'content-type': 'text/plain; charset=iso-8859-1' }, Buffer.from([0xfc]), 'ü'],
    ['XML', { 'content-type': 'application/atom+xml' }, '<a/>', '<a/>'],
    ['nothing', { 'content-type': 'application/json' }, '', null],
    ['a text without a type', {}, 'plain', 'plain'],
  ])('reads %s', async (_title, headers, body, expected) => {
    expect((await answering(headers as Record<string, string>, body)).body).toEqual(expected);
  });

  it.each([
    [{ 'content-type': 'application/pdf' }, 're port.bin', 'application/pdf'],
    [{}, 're port.bin', 'application/octet-stream'],
    [
      { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="../a b.zip"' },
      'a b.zip',
      'application/zip',
    ],
    [
      {
        'content-type': 'application/zip',
        'content-disposition': "attachment; filename=x.zip; filename*=UTF-8''%C3%BC.zip",
      },
      'ü.zip',
      'application/zip',
    ],
  ])('keeps anything else as a file: %j', async (headers, name, type) => {
    const bytes = new Uint8Array([1, 2, 0, 255]);
    const { body } = await answering(headers as Record<string, string>, bytes);
    expect(body).toMatchObject({ $file: { name, content_type: type, size: 4 } });
    expect([...made.contents.values()].map((content) => [...content])).toEqual([[1, 2, 0, 255]]);
  });

  it('has the status and lower-case headers', async () => {
    const { status, headers } = await answering({ 'X-Thing': 'a' }, '', 204);
    expect([status, headers['x-thing']]).toEqual([204, 'a']);
  });
});

describe('what a status comes to', () => {
  const at = async (status: number, config: JsonObject, headers: Record<string, string> = {}) => {
    const target = await server((q, r) =>
      q.url === '/next'
        ? r.end('next')
        : r.writeHead(status, { location: '/next', ...headers }).end('{"why":1}'),
    );
    return run({ url: `${target.url}/x?key=1`, ...config });
  };

  it.each([
    [400, 'client_error'],
    [404, 'client_error'],
    [408, 'client_error'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('%d is a %s', async (status, type) => {
    const outcome = await at(status, {}, { 'content-type': 'application/json' });
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { type, status, data: { status, body: { why: 1 } } },
    });
    expect((outcome as { error?: { message: string } }).error?.message).toMatch(
      /^GET http:\/\/127[^?]*\/x answered \d+$/,
    );
  });

  it.each([
    ['7', 7000],
    ['0', 0],
    [new Date(Date.now() + 60_000).toUTCString(), 60_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After %j is honoured', async (text, ms) => {
    const outcome = await at(429, {}, { 'retry-after': text });
    const { retryAfter } = (outcome as unknown as { error: { retryAfter?: number } }).error;
    if (ms === undefined) expect(retryAfter).toBeUndefined();
    else expect(Math.abs((retryAfter ?? -1) - ms)).toBeLessThan(3000);
  });

  it.each([
    [404, { '4xx': 'return' }, 404],
    [429, { '4xx': 'return' }, 429],
    [503, { '5xx': 'return' }, 503],
    [302, { '3xx': 'return' }, 302],
    [302, { '3xx': 'follow' }, 200],
    [302, {}, 200],
  ])('%d with %j is the result %d', async (status, responses, expected) => {
    expect(await at(status, { responses })).toMatchObject({
      kind: 'done',
      outputs: { out: { status: expected } },
    });
  });

  it('a redirect may be an error', async () => {
    expect(await at(302, { responses: { '3xx': 'error' } })).toMatchObject({
      error: { type: 'client_error', status: 302 },
    });
  });
});

describe('faults at save', () => {
  it.each([
    [{}, 'url', /is required/],
    [{ url: 'example.com' }, 'url', /takes an http or https URL/],
    [{ url: 'ftp://example.com' }, 'url', /takes an http or https URL/],
    [{ url: 'ftp://{{ input.host }}' }, 'url', /takes an http or https URL/],
    [{ url: 'https://ada:pw@example.com' }, 'url', /must not hold credentials/],
    [{ url: 'https://x', method: 'HEAD' }, 'method', /takes one of GET, POST/],
    [{ url: 'https://x', headers: { Host: 'y' } }, 'headers.Host', /cannot be set/],
    [{ url: 'https://x', body_type: 'json' }, 'body', /is required by body_type json/],
    [{ url: 'https://x', body_type: 'form-data' }, 'body', /or files/],
    [{ url: 'https://x', body: 'x', body_type: 'form-data' }, 'body', /takes an object of fields/],
    [
      { url: 'https://x', body: {}, body_type: 'json', files: { a: { content: 'x' } } },
      'files',
      /only for body_type form-data/,
    ],
    [{ url: 'https://x', files: { a: { contents: 'x' } } }, 'files.a.content', /is required/],
    [
      { url: 'https://x', authentication: { type: 'digest' } },
      'authentication.type',
      /takes one of bearer, basic, header, oauth2/,
    ],
    [{ url: 'https://x', authentication: { type: 'bearer' } }, 'authentication.token', /is required/],
    [
      { url: 'https://x', authentication: { type: 'header', name: 'a b', value: 'x' } },
      'authentication.name',
      /not a name/,
    ],
    [
      { url: 'https://x', authentication: { type: 'oauth2', credential: 'CRM' } },
      'authentication.credential',
      /is not available yet/,
    ],
    [
      { url: 'https://x', authentication: { type: 'oauth2', token_url: 'https://t', client_id: 'a' } },
      'authentication.client_secret',
      /is required/,
    ],
    [
      {
        url: 'https://x',
        authentication: {
          type: 'oauth2',
          token_url: 'https://t',
          client_id: 'a',
          grant_type: 'refresh_token',
        },
      },
      'authentication.refresh_token',
      /is required/,
    ],
    [
      {
        url: 'https://x',
        authentication: { type: 'oauth2', token_url: 'nope', client_id: 'a', client_secret: 'x' },
      },
      'authentication.token_url',
      /takes an http/,
    ],
    [{ url: 'https://x', responses: { '4xx': 'follow' } }, 'responses["4xx"]', /takes one of error, return/],
    [{ url: 'https://x', timeout: '5' }, 'timeout', /takes a duration/],
  ])('%j', (config, field, issue) => {
    const [first] = checkConfig(httpRequest, config as unknown as JsonObject);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });
});
