import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';
import { useHttpNodeFixture } from '../support/http-node-fixture.ts';

const bench = useHttpNodeFixture();

describe('the request', () => {
  it('is a GET by default, with an idempotency key', async () => {
    const seen = await bench.echoed({ method: undefined as never, url: `${bench.echo.url}/a?b=c` });
    expect([seen.method, seen.url, seen.body]).toEqual(['GET', '/a?b=c', '']);
    expect(seen.headers).toMatchObject({ 'idempotency-key': 'key-of-this-run', 'user-agent': 'weft' });
    expect(seen.headers).not.toHaveProperty('content-type');
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])('is a %s', async (method) => {
    expect((await bench.echoed({ method })).method).toBe(method);
  });

  it('keeps an idempotency key that the headers set', async () => {
    const seen = await bench.echoed({ headers: { 'Idempotency-Key': 'mine', 'X-N': 5, 'X-B': true } });
    expect(seen.headers).toMatchObject({ 'idempotency-key': 'mine', 'x-n': '5', 'x-b': 'true' });
  });

  it('adds the query to the one of the URL, encoded', async () => {
    const seen = await bench.echoed(
      {
        url: `${bench.echo.url}/x?a=1`,
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
    const seen = await bench.echoed(config as JsonObject, { n: 7 });
    expect([seen.headers['content-type'], seen.body]).toEqual([type, body]);
  });

  it('is a form with files: texts and files of the execution', async () => {
    const image = await bench.server((_q, r) =>
      r.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80, 0, 255])),
    );
    const { body: file } = await bench.answer({ url: `${image.url}/pic/logo.png?x=1` });
    expect(file).toMatchObject({ $file: { name: 'logo.png', content_type: 'image/png', size: 4 } });
    const seen = await bench.echoed(
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
    const binary = await bench.echoed({ body: '{{ input.file }}', body_type: 'binary' }, { file });
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
    const error = await bench.failure(
      { url: bench.echo.url, method: 'POST', ...config } as JsonObject,
      input as unknown as Json,
    );
    expect([error.type, (error.data as JsonObject)['field']]).toEqual(['validation', field]);
    expect(bench.echo.received).toHaveLength(0);
  });

  it('cannot smuggle a header', async () => {
    const error = await bench.failure(
      { url: bench.echo.url, headers: { a: '{{ input.x }}' } },
      { x: 'b\r\nC: d' },
    );
    expect(error.type).toBe('validation');
    expect(bench.echo.connections()).toBe(0);
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
    expect((await bench.echoed({ authentication })).headers[name]).toBe(value);
  });

  it('goes over a header whose name it only gets by a template', async () => {
    const seen = await bench.echoed({
      headers: { 'X-Key': 'x' },
      authentication: { type: 'header', name: '{{ "x-key" }}', value: 't' },
    });
    expect(seen.headers['x-key']).toBe('t');
  });

  it('is not shown when the server returns it in an error', async () => {
    const target = await bench.server((q, r) =>
      r.writeHead(400).end(`bad ${q.headers.authorization ?? ''} ${q.url ?? ''}`),
    );
    const error = await bench.failure({
      url: `${target.url}/?key={{ secrets.TOKEN }}`,
      authentication: { type: 'basic', username: 'ada', password: '{{ secrets.TOKEN }}' },
    });
    expect(JSON.stringify(error)).not.toContain('tok-123456');
    expect(JSON.stringify(error)).not.toContain(Buffer.from('ada:tok-123456').toString('base64').slice(8));
  });
});

describe('errors on save', () => {
  it.each([
    [{}, 'url', /is required/],
    [{ url: 'example.com' }, 'url', /must be an http or https URL/],
    [{ url: 'ftp://example.com' }, 'url', /must be an http or https URL/],
    [{ url: 'ftp://{{ input.host }}' }, 'url', /must be an http or https URL/],
    [{ url: 'https://ada:pw@example.com' }, 'url', /must not contain credentials; use authentication/],
    [{ url: 'https://x', method: 'HEAD' }, 'method', /must be one of GET, POST/],
    [{ url: 'https://x', headers: { Host: 'y' } }, 'headers.Host', /is set by Weft and cannot be overridden/],
    [{ url: 'https://x', body_type: 'json' }, 'body', /is required by body_type json/],
    [
      { url: 'https://x', body_type: 'form-data' },
      'body',
      /is required by body_type form-data unless files is set/,
    ],
    [{ url: 'https://x', body: 'x', body_type: 'form-data' }, 'body', /must be an object of fields/],
    [
      { url: 'https://x', body: {}, body_type: 'json', files: { a: { content: 'x' } } },
      'files',
      /is only allowed with body_type form-data, not json/,
    ],
    [{ url: 'https://x', files: { a: { contents: 'x' } } }, 'files.a.content', /is required/],
    [
      { url: 'https://x', authentication: { type: 'digest' } },
      'authentication.type',
      /must be one of connection, bearer, basic, header, oauth2/,
    ],
    [{ url: 'https://x', authentication: { type: 'bearer' } }, 'authentication.token', /is required/],
    [
      {
        url: 'https://x',
        headers: { authorization: 'Basic x' },
        authentication: { type: 'bearer', token: 'x' },
      },
      'headers.authorization',
      /must not be set with authentication, which sets this header/,
    ],
    [
      { url: 'https://x', authentication: { type: 'basic', username: 'a:b', password: 'c' } },
      'authentication.username',
      /must not contain a colon \(RFC 7617\)/,
    ],
    [
      { url: 'https://x', authentication: { type: 'header', name: 'a b', value: 'x' } },
      'authentication.name',
      /must be a valid header name/,
    ],
    [
      { url: 'https://x', authentication: { type: 'oauth2', credential: 'CRM', scope: 'a' } },
      'authentication.scope',
      /must not be set with credential; the connection provides it/,
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
      /must be an http/,
    ],
    [
      { url: 'https://x', responses: { '4xx': 'follow' } },
      'responses["4xx"]',
      /must be one of error, return/,
    ],
    [{ url: 'https://x', timeout: '5' }, 'timeout', /must be a duration/],
  ])('%j', (config, field, issue) => {
    const [first] = validateConfig(httpRequest, config as unknown as JsonObject);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });
});
