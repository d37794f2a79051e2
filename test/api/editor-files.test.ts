import { request } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, type SpawnedService, createTempFolder } from '../support/service.ts';

const folder = createTempFolder();
let service: SpawnedService;

beforeAll(async () => {
  const builder = path.resolve(import.meta.dirname, '../../scripts/build.mjs');
  const { ensureBuilt } = (await import(builder)) as {
    ensureBuilt: (root: string, say: () => void) => Promise<void>;
  };
  await ensureBuilt(path.resolve(import.meta.dirname, '../..'), () => {});
  service = await spawnService({ dataDir: folder.path });
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

type RawResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** As it is on the wire: fetch would decode the body. */
function get(where: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const sent = request({ hostname, port, path: where, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('the page is at the root, and revalidated by its ETag', async () => {
  const page = await get('/', browser);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['cache-control']).toBe('no-cache');
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.body.toString()).not.toMatch(/<script>|<style|style="|https?:\/\//);
  const again = await get('/', { ...browser, 'if-none-match': `"x", W/${String(page.headers['etag'])}` });
  expect(again.status).toBe(304);
  expect(again.body).toHaveLength(0);
  const head = await get('/', browser, 'HEAD');
  expect(head.status).toBe(200);
  expect(head.headers['content-length']).toBe(String(page.body.length));
});

test('editor paths return the page to browsers, and not to other clients', async () => {
  const { body } = await get('/', browser);
  for (const where of ['/workflows', '/workflows/wf_1?tab=runs', '/settings/api-keys', '/login']) {
    const page = await get(where, browser);
    expect(page.status, where).toBe(200);
    expect(page.body.equals(body), where).toBe(true);
    const program = await get(where, { accept: '*/*' });
    expect(program.status, where).toBe(404);
    expect(JSON.parse(program.body.toString())).toMatchObject({ error: { code: 'NOT_FOUND' } });
  }
});

test('API paths return a JSON 404, also for a browser', async () => {
  const paths = [
    '/v1',
    '/v1/nope',
    '/oauth/nope',
    '/.well-known/nope',
    '/metrics',
    '/robots.txt',
    '/assets/nope.js',
  ];
  for (const where of [
    ...paths,
    '/assets/..%2f..%2fpackage.json',
    '/assets/..%2findex-ABCDEFGH.js',
    '/v1/ws',
  ]) {
    const reply = await get(where, browser);
    expect(reply.status, where).toBe(404);
    expect(JSON.parse(reply.body.toString()), where).toMatchObject({ error: { code: 'NOT_FOUND' } });
  }
  expect((await get('/workflows', browser, 'POST')).status).toBe(404);
});

test('files never change under their name, and travel packed', async () => {
  const page = (await get('/', browser)).body.toString();
  const names = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(4);
  for (const name of names) {
    const plain = await get(name);
    expect(plain.status, name).toBe(200);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const expected = name.endsWith('.js')
      ? 'text/javascript; charset=utf-8'
      : { css: 'text/css; charset=utf-8', svg: 'image/svg+xml', woff2: 'font/woff2' }[
          name.split('.').at(-1)!
        ];
    expect(plain.headers['content-type']).toBe(expected);
    if (name.endsWith('.woff2')) continue;
    const brotli = await get(name, { 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    const gzip = await get(name, { 'accept-encoding': 'gzip, br;q=0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  }
});
