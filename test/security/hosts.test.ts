import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

/** DNS rebinding: another site may resolve its name to 127.0.0.1; the service must reject that name. */
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(env: Record<string, string> = {}): Promise<SpawnedService> {
  const folder = createTempFolder();
  const weft = await spawnService({ dataDir: folder.path, env });
  ends.push(async () => {
    await weft.kill9();
    folder.remove();
  });
  return weft;
}

async function ask(
  weft: SpawnedService,
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { port } = new URL(weft.url);
  const call = request({ host: '127.0.0.1', port, path, headers: { host, ...headers } }).end();
  const [response] = (await Promise.race([once(call, 'response'), once(call, 'upgrade')])) as [
    IncomingMessage,
  ];
  let text = '';
  if (response.statusCode === 101) response.destroy();
  else for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('on a loopback address', () => {
  test('only loopback hosts are served', async () => {
    const weft = await start();
    for (const path of ['/v1/health/live', '/', '/v1/webhooks/x', '/.well-known/openid-configuration'])
      for (const host of ['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', '10.0.0.1']) {
        const { status, text } = await ask(weft, host, path);
        expect([status, JSON.parse(text)], `${host} ${path}`).toMatchObject([
          400,
          { error: { code: 'VALIDATION_ERROR', details: { field: 'host' } } },
        ]);
      }
    expect((await ask(weft, 'evil.example', '/v1/ws', upgrade)).status).toBe(400);
    for (const host of [
      'localhost',
      'LOCALHOST:80',
      '127.0.0.1',
      '127.1.2.3:8080',
      '[::1]:8080',
      'weft.localhost',
    ])
      expect((await ask(weft, host, '/v1/health/live')).status, host).toBe(200);
    expect((await ask(weft, 'localhost', '/v1/ws', upgrade)).status).toBe(101);
  });

  test('with WEFT_PUBLIC_URL every host is served, since a proxy may pass on any', async () => {
    const weft = await start({ WEFT_PUBLIC_URL: 'https://weft.example.com' });
    for (const host of ['weft.example.com', 'upstream', 'localhost'])
      expect((await ask(weft, host, '/v1/health/live')).status, host).toBe(200);
  });
});
