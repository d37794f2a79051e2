import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';
import { useHttpNodeFixture } from '../support/http-node-fixture.ts';

const bench = useHttpNodeFixture();

type Page = { body: Json; headers?: Record<string, string>; status?: number };

/** A server whose answer depends on the query; gives what was asked of it. */
async function paged(respond: (query: URLSearchParams, url: string) => Page) {
  const asked: IncomingMessage[] = [];
  const server = await bench.server((request, response) => {
    asked.push(request);
    const { body, headers, status } = respond(
      new URL(request.url ?? '', 'http://x').searchParams,
      `http://${request.headers.host ?? ''}`,
    );
    response
      .writeHead(status ?? 200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  });
  return { url: server.url, asked, paths: () => asked.map(({ url }) => url) };
}

const byCursor = (last: number) =>
  paged((query) => {
    const page = Number(query.get('after') ?? 0);
    return { body: { data: [page * 2, page * 2 + 1], last_id: page + 1, has_more: page < last } };
  });
const cursor: JsonObject = {
  items: 'data',
  next: '{{ value.body.has_more ? {"after": value.body.last_id} : null }}',
};

describe('pagination', () => {
  it('joins the pages by a cursor; each is a request with a key of its own', async () => {
    const { url, asked, paths } = await byCursor(2);
    const reply = await bench.answer({
      url,
      query: { limit: 2 },
      authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
      pagination: cursor,
    });
    expect(reply).toMatchObject({ status: 200, body: [0, 1, 2, 3, 4, 5], pages: 3, next: null });
    expect(paths()).toEqual(['/?limit=2', '/?limit=2&after=1', '/?limit=2&after=2']);
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'key-of-this-run',
      'key-of-this-run-2',
      'key-of-this-run-3',
    ]);
    expect(new Set(asked.map(({ headers }) => headers.authorization)).size).toBe(1);
  });

  it('goes by URLs, relative ones too, and by Link headers', async () => {
    const { url } = await paged((query) =>
      query.has('b') ? { body: { list: [2], next: '' } } : { body: { list: [1], next: '/x?b' } },
    );
    const pagination = { items: 'list', next: '{{ value.body.next }}' };
    expect((await bench.answer({ url, pagination })).body).toEqual([1, 2]);

    const linked = await paged((query, origin) => ({
      body: [Number(query.get('page') ?? 1)],
      headers:
        query.get('page') === '3'
          ? { link: `<${origin}/?page=1>; rel="first"` }
          : {
              link: `<${origin}/?page=1>; rel="first", <${origin}/?page=${Number(query.get('page') ?? 1) + 1}>; rel="x next"`,
            },
    }));
    expect(await bench.answer({ url: linked.url, pagination: {} })).toMatchObject({
      body: [1, 2, 3],
      pages: 3,
    });
  });

  it('stops at maxPages and reports that more pages exist', async () => {
    const { url, asked } = await byCursor(50);
    const reply = await bench.answer({ url, pagination: { ...cursor, maxPages: 2 } });
    expect(reply).toMatchObject({ body: [0, 1, 2, 3], pages: 2, next: { after: 2 } });
    expect(asked).toHaveLength(2);
  });

  it('fails when a page does', async () => {
    const { url } = await paged((query) =>
      query.has('after') ? { body: {}, status: 503 } : { body: { data: [], last_id: 1, has_more: true } },
    );
    expect(await bench.failure({ url, pagination: cursor })).toMatchObject({
      type: 'server_error',
      status: 503,
    });
  });

  it.each<[string, Json, string, RegExp]>([
    ['no list', { data: 1 }, '{{ null }}', /pagination.items: must be the path of a list, and page 1/],
    [
      'another origin',
      { data: [] },
      'http://127.0.0.2:1/x',
      /pagination\.next: must not lead to another origin/,
    ],
    ['the same page', { data: [] }, '/', /pagination\.next: must not lead back to a page already fetched/],
    ['a number', { data: [] }, '{{ 7 }}', /pagination.next: must be a URL/],
    ['what is no URL', { data: [] }, 'http://[', /pagination.next: must be a URL/],
  ])('refuses %s', async (_title, body, next, message) => {
    const { url } = await paged(() => ({ body }));
    const failure = await bench.failure({ url, pagination: { items: 'data', next } });
    expect(failure.type).toBe('validation');
    expect(failure.message).toMatch(message);
  });

  it('treats a missing next page as an error, not as the end', async () => {
    const { url } = await paged(() => ({ body: { data: [] } }));
    const failure = await bench.failure({ url, pagination: { items: 'data', next: '{{ value.body.nxt }}' } });
    expect(failure).toMatchObject({ type: 'template', message: expect.stringContaining('nxt') as string });
  });

  it('is bounded in bytes over all pages', async () => {
    const { url } = await paged((query) => ({
      body: {
        data: ['x'.repeat(30 * 1024 * 1024)],
        last_id: Number(query.get('after') ?? 0) + 1,
        has_more: true,
      },
    }));
    expect((await bench.failure({ url, pagination: cursor })).type).toBe('limit');
  });

  it.each<[JsonObject, string, RegExp]>([
    [{ pagination: { maxPages: 0 } }, 'pagination.maxPages', /at least 1/],
    [{ pagination: { items: 'a[' } }, 'pagination.items', /path/],
    [{ pagination: {}, responseType: 'file' }, 'pagination', /must not be set with responseType file/],
  ])('is checked when it is saved: %j', (more, field, issue) => {
    const [error] = validateConfig(httpRequest, { url: 'https://a.example', ...more });
    expect(error?.field).toBe(field);
    expect(error?.issue).toMatch(issue);
  });
});

describe('files', () => {
  it('any response is a file when configured; a file as body is sent unchanged', async () => {
    const { url } = await paged(() => ({ body: { a: 1 } }));
    const { body } = await bench.answer({ url: `${url}/report.json`, responseType: 'file' });
    expect(body).toMatchObject({ $file: { name: 'report.json', content_type: 'application/json', size: 7 } });
    const sent = await bench.echoed({ body: '{{ file }}' }, { file: body });
    expect([sent.headers['content-type'], sent.body]).toEqual(['application/json', '{"a":1}']);
  });
});
