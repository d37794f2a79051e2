import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { loopbackCertificate, loopbackKey } from '../support/servers/tls-certificates.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';

const folder = createTempFolder();
const authority = path.join(folder.path, 'authority.pem');
const received: string[] = [];
let upstream: Server;
let service: SpawnedService;
let isHeld = true;

beforeAll(async () => {
  writeFileSync(authority, loopbackCertificate);
  upstream = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    request.resume();
    received.push(`${request.method} ${request.url}`);
    if (!isHeld) response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await service.kill9();
  upstream.closeAllConnections();
  upstream.close();
  folder.remove();
});

test('a kill during an action: one that may not run twice ends as interrupted, another one runs again', async () => {
  const address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const start = () => spawnService({ dataDir: folder.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  service = await start();
  const first = await service.login();
  const installed = await first('POST', '/packs', {
    body: { archive: packFixture('demo').toString('base64') },
  });
  expect(installed.status, installed.text).toBe(201);
  const authentication = { type: 'token', token: 'x' };
  const executions: string[] = [];
  for (const config of [
    { operation: 'create_item', name: 'x' },
    { operation: 'get_item', id: '1' },
  ]) {
    const definition = {
      nodes: [manual, { id: 'call', type: 'npm.demo', config: { ...config, address, authentication } }],
      connections: [{ from: 'start', to: 'call' }],
    };
    const made = await first('POST', '/workflows', { body: { name: 'W', definition } });
    const { id } = made.body as { id: string };
    const began = await first('POST', `/workflows/${id}/execute`, { body: {} });
    executions.push((began.body as { id: string }).id);
  }
  await waitUntil(
    () => Promise.resolve(received.length),
    (n) => n === 2,
    20_000,
  );
  await service.kill9();
  isHeld = false;
  service = await start();
  const second = await service.login();
  const [created, read] = await Promise.all(
    executions.map((id) =>
      waitUntil(
        async () =>
          (await second('GET', `/executions/${id}`)).body as {
            status: string;
            error: { type: string } | null;
          },
        ({ status }) => status === 'completed' || status === 'failed',
        30_000,
      ),
    ),
  );
  expect(created).toMatchObject({ status: 'failed', error: { type: 'interrupted' } });
  expect(read).toMatchObject({ status: 'completed', output: { ok: true } });
  expect(received.toSorted()).toEqual(['GET /items/1', 'GET /items/1', 'POST /items']);
});
