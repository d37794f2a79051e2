import { gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalog } from '../../contract/errors.ts';
import { clientMessages, serverMessages } from '../../contract/requests/websocket.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import { createSchema, printSchemaSorted } from '../graphql/schema/schema.ts';
import { routeGroups } from '../rest/routes.ts';
import { docsPlugin } from './plugin.ts';
import { style } from './site/style.ts';

const base = 'http://127.0.0.1:8080/v1';
const groups = routeGroups({} as never);
const { schema } = createSchema({} as never);
const app = fastify();
const pages = new Map<string, string>();

beforeAll(async () => {
  const mount = docsPlugin({
    version: '0.1.0',
    baseUrl: () => base,
    groups,
    nodeTypes: () => builtinNodes,
    sdl: () => Promise.resolve(printSchemaSorted(schema)),
  });
  await app.register(
    (scope, _options, ready) => {
      mount(scope);
      ready();
    },
    { prefix: '/v1' },
  );
  const open = ['/v1/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const { statusCode, body, headers } = await get(path);
    expect(statusCode, path).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    pages.set(path, body);
    for (const [, link] of body.matchAll(/href="(\/v1\/docs[^"#]*)/g))
      if (!/\.(?:css|js)$/.test(link!)) open.push(link!);
  }
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers });
const listIds = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);

describe('pages', () => {
  it('show every operation, error, node, message and GraphQL field', () => {
    const anchors = new Set([...pages.values()].flatMap(listIds));
    const expected = [
      ...groups.flatMap((group) => group.routes.map((route) => route.operation)),
      ...Object.keys(errorCatalog),
      ...builtinNodes.map(({ type }) => type),
      ...Object.keys(clientMessages),
      ...Object.keys(serverMessages),
      ...Object.keys(schema.getQueryType()!.getFields()).map((name) => `query-${name}`),
      ...Object.keys(schema.getMutationType()!.getFields()).map((name) => `mutation-${name}`),
      ...Object.keys(schema.getSubscriptionType()!.getFields()).map((name) => `subscription-${name}`),
    ];
    expect(expected.filter((name) => !anchors.has(name))).toEqual([]);
  });

  it('every link points to an existing page and anchor', () => {
    const broken: string[] = [];
    for (const [path, html] of pages)
      for (const [, link] of html.matchAll(/href="([^"]+)"/g)) {
        const [target = '', anchor] = link!.split('#');
        if (/^https?:/.test(target) || /\.(?:css|js|json|graphql)$/.test(target)) continue;
        const page = pages.get(target === '' ? path : target);
        if (page === undefined) broken.push(`${path} → ${link}`);
        else if (anchor !== undefined && !listIds(page).includes(anchor)) broken.push(`${path} → ${link}`);
      }
    expect(broken).toEqual([]);
  });

  it('have one first heading, no skipped levels and unique ids', () => {
    for (const [path, html] of pages) {
      const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map((match) => Number(match[1]));
      expect(
        levels.filter((level) => level === 1),
        path,
      ).toHaveLength(1);
      for (const [index, level] of levels.entries())
        if (index > 0) expect(level, `${path} ${levels.join()}`).toBeLessThanOrEqual(levels[index - 1]! + 1);
      const ids = listIds(html);
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        path,
      ).toEqual([]);
    }
  });

  it('load nothing from other origins and run no inline scripts', async () => {
    for (const html of pages.values()) {
      const loaded = [...html.matchAll(/<(?:link|script|img|iframe)\b[^>]*(?:href|src)="([^"]+)"/g)];
      expect(loaded.map((match) => match[1])).toEqual(['/v1/docs/style.css', '/v1/docs/script.js']);
      expect(html).not.toMatch(/<script(?![^>]* src=)|\son\w+=| style=/);
    }
    expect(style).not.toMatch(/url\(|@import/);
    const policy = String((await get('/v1/docs')).headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it('every scrollable region can be reached with the keyboard', () => {
    for (const html of pages.values())
      for (const [tag] of html.matchAll(/<(?:pre|div class="table")[^>]*>/g))
        expect(tag).toMatch(/tabindex="0".*aria-label|aria-label.*tabindex="0"/);
  });
});

describe('contrast', () => {
  const [light, dark] = [...style.matchAll(/:root\{([^}]*)\}/g)].map(
    (match) =>
      new Map(
        [...match[1]!.matchAll(/--([\w-]+):(#[0-9a-f]{3,6})/g)].map(([, name, value]) => [name!, value!]),
      ),
  );
  const luminance = (color: string): number => {
    const digits = color.length === 4 ? color.slice(1).replaceAll(/./g, '$&$&') : color.slice(1);
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
      const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const pairs: [string, string][] = [
    ['ink', 'page'],
    ['soft', 'page'],
    ['faint', 'page'],
    ['accent', 'page'],
    ['required', 'page'],
    ['ink', 'side'],
    ['soft', 'side'],
    ['faint', 'side'],
    ['ink', 'chip'],
    ['soft', 'chip'],
    ['faint', 'chip'],
    ['accent', 'tint'],
    ['code-ink', 'code'],
    ['code-soft', 'code-head'],
    ['key', 'code'],
    ['string', 'code'],
    ['number', 'code'],
    ...['get', 'post', 'put', 'delete', 'patch'].map((name): [string, string] => [name, `${name}-bg`]),
  ];
  it.each(['light', 'dark'])('is at least 4.5 in %s', (scheme) => {
    const values = scheme === 'light' ? light! : new Map([...light!, ...dark!]);
    const poor = pairs.flatMap(([ink, paper]) => {
      const [a, b] = [luminance(values.get(ink)!), luminance(values.get(paper)!)];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return contrast >= 4.5 ? [] : [`${ink} on ${paper}: ${contrast.toFixed(2)}`];
    });
    expect(poor).toEqual([]);
  });
});

describe('the plugin', () => {
  it('responds with 304 to a matching tag, which changes with the content', async () => {
    for (const url of ['/v1/docs', '/v1/openapi.json', '/v1/asyncapi.json', '/v1/docs/style.css']) {
      const { headers } = await get(url);
      const etag = String(headers['etag']);
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
      const again = await get(url, { 'if-none-match': `"other", ${etag}` });
      expect([again.statusCode, again.body]).toEqual([304, '']);
      expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    }
    expect((await get('/v1/docs')).headers['etag']).not.toBe((await get('/v1/docs/errors')).headers['etag']);
  });

  it('compresses responses when the client accepts it', async () => {
    const plain = await get('/v1/openapi.json');
    const packed = await get('/v1/openapi.json', { 'accept-encoding': 'br, gzip;q=0.8' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    for (const accept of ['identity', 'gzip;q=0', 'x-gzip'])
      expect(
        (await get('/v1/docs', { 'accept-encoding': accept })).headers['content-encoding'],
      ).toBeUndefined();
  });

  it('uses the public URL, responds to HEAD, and returns 404 for unknown documents', async () => {
    const document = (await get('/v1/openapi.json')).json() as { servers: object };
    expect(document.servers).toEqual([{ url: base }]);
    const head = await app.inject({ method: 'HEAD', url: '/v1/docs' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect((await get('/v1/docs/')).statusCode).toBe(200);
    for (const path of ['/none', '/rest', '/../package.json', '/%2e%2e/secret', '/constructor'])
      expect((await get(`/v1/docs${path}`)).statusCode, path).toBe(404);
  });
});
