import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  adminEmail,
  adminPassword,
  caller,
  runWeft,
  spawnService,
  createTempFolder,
  waitUntil,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream } from '../support/upstream.ts';
import { freePort } from '../support/servers/free-port.ts';
import { createCallingWorkflow, createEchoWorkflow, greeting } from './definitions.ts';

const folders: { path: string; remove(): void }[] = [];
const services: SpawnedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.kill9();
  for (const folder of folders.splice(0)) folder.remove();
});
function createFolder(): string {
  const folder = createTempFolder();
  folders.push(folder);
  return folder.path;
}
async function start(dataDir: string, env: Record<string, string> = {}): Promise<SpawnedService> {
  const service = await spawnService({ dataDir, env });
  services.push(service);
  return service;
}

test('from a first start over a kill -9 to the end of the running executions', async () => {
  let isReady = false;
  const upstream = await startUpstream(() => (isReady ? { body: 'done' } : { after: 60_000 }));
  const dataDir = createFolder();
  let service = await start(dataDir);
  let api = await service.login();
  const create = async (definition: object): Promise<string> => {
    const response = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  };
  const quick = await create(greeting);
  const call = await create(createCallingWorkflow(`${upstream.url}/job`));
  await create(createEchoWorkflow('hook/:n'));
  expect(
    (await api('POST', `/workflows/${quick}/execute`, { body: { input: { name: 'Ada' }, wait: '20s' } }))
      .body,
  ).toMatchObject({ output: { text: 'Dear Ada' } });
  const hooked = await service.call('POST', '/webhooks/hook/1', { body: { a: 1 } });
  expect(hooked.status).toBe(200);
  const running = (await api('POST', `/workflows/${call}/execute`, { body: { input: { n: 1 } } })).body as {
    id: string;
  };
  await waitUntil(
    async () => upstream.received.length,
    (count) => count === 1,
  );

  await service.kill9();
  isReady = true;
  service = await start(dataDir);
  api = await service.login();
  const ended = await waitUntil(
    async () => (await api('GET', `/executions/${running.id}`)).body as { status: string; output: unknown },
    ({ status }) => status === 'completed',
    20_000,
  );
  expect(ended.output).toEqual({ answer: 'done' });
  expect(new Set(upstream.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect((await api('GET', `/executions/${hooked.headers.get('x-weft-execution-id')}`)).body).toMatchObject({
    status: 'completed',
    output: { body: { a: 1 } },
  });
  expect((await service.call('POST', '/webhooks/hook/2', { body: 2 })).body).toEqual({ body: 2 });
  const logs = await api('GET', `/executions/${running.id}/logs?limit=100`);
  expect((logs.body as { logs: object[] }).logs.length).toBeGreaterThan(4);
  expect(await service.stop()).toBe(0);
  await upstream.close();
});

describe('starting', () => {
  test('the first start makes an administrator and prints the password, once; the second does not', async () => {
    const dataDir = createFolder();
    const env = { WEFT_ADMIN_EMAIL: '', WEFT_ADMIN_PASSWORD: '' };
    const first = await start(dataDir, env);
    expect(first.logs()).toMatch(
      /^Weft \d+\.\d+\.\d+ is ready at http:\/\/127\.0\.0\.1:\d+\/v1 \(data in .+\)$/m,
    );
    const password = /admin@localhost with the password (\S+)/.exec(
      await waitUntil(
        async () => first.logs(),
        (text) => text.includes('with the password'),
      ),
    )?.[1];
    expect(
      (await first.call('POST', '/auth/login', { body: { email: 'admin@localhost', password } })).status,
    ).toBe(200);
    expect(await first.stop()).toBe(0);
    const second = await start(dataDir, env);
    await second.call('GET', '/health');
    expect(second.logs()).not.toContain('password');
    expect(statSync(path.join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('a second process on the same folder fails and names the first', async () => {
    const dataDir = createFolder();
    const service = await start(dataDir);
    const second = await runWeft(['start'], { WEFT_DATA_DIR: dataDir, PORT: '0' });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${service.child.pid}`);
    expect(second.stderr.trim().split('\n').length).toBe(1);
    expect((await service.call('GET', '/health')).status).toBe(200);
  });

  test('while it drains, ready is 500 on a connection that is still open, and what runs finishes', async () => {
    const upstream = await startUpstream(() => ({ after: 1_500, body: 'done' }));
    const service = await start(createFolder());
    const api = await service.login();
    const { id } = (
      await api('POST', '/workflows', {
        body: { name: 'x', definition: createCallingWorkflow(upstream.url) },
      })
    ).body as { id: string };
    const waiting = api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
    await waitUntil(
      async () => upstream.received.length,
      (count) => count === 1,
    );
    let received = '';
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write('GET /v1/health/ready HTTP/1.1\r\nHost: localhost\r\n');
    // The service has read half of the body before it receives the signal.
    await service.call('GET', '/health/ready');
    const stopped = service.stop();
    await waitUntil(
      async () => service.logs(),
      (text) => text.includes('is stopping'),
    );
    socket.write('\r\n');
    await waitUntil(
      async () => received,
      (text) => text.includes('draining'),
    );
    expect(received).toMatch(/^HTTP\/1\.1 500 [^]*connection: close[^]*\{"status":"draining"\}$/i);
    const response = await waiting;
    expect([response.status, (response.body as { status: string }).status]).toEqual([201, 'completed']);
    expect(await stopped).toBe(0);
    await upstream.close();
  });

  test('a port in use and a wrong setting are reported in one line each', async () => {
    const service = await start(createFolder());
    const port = new URL(service.url).port;
    const taken = await runWeft(['start'], { WEFT_DATA_DIR: createFolder(), PORT: port });
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(`^weft: Port ${port} [^\n]+\n$`)]);
    const wrong = await runWeft(['start'], { WEFT_DATA_DIR: createFolder(), PORT: 'http' });
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/^weft: PORT is "http"; it must be .+\n$/),
    ]);
  });
});

describe('the command', () => {
  test('help, version, and wrong use', async () => {
    const env = { WEFT_DATA_DIR: createFolder() };
    const help = await runWeft(['--help'], env);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('weft <command>')]);
    expect((await runWeft(['--version'], env)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const args of [
      [],
      ['strat'],
      ['start', 'x'],
      ['backup'],
      ['user'],
      ['user', 'reset-password'],
      ['--nope'],
    ]) {
      const wrong = await runWeft(args, env);
      expect([wrong.code, wrong.stderr], args.join(' ')).toEqual([2, expect.stringMatching(/^weft: .+/)]);
    }
  });

  test('a new password while the service runs: the old one and its sessions end', async () => {
    const dataDir = createFolder();
    const service = await start(dataDir);
    const api = await service.login();
    expect((await api('GET', '/workflows')).status).toBe(200);
    const env = { WEFT_DATA_DIR: dataDir };
    const reset = await runWeft(['user', 'reset-password', adminEmail], env, 'a new long password\n');
    expect([reset.code, reset.stderr]).toEqual([0, '']);
    expect(reset.stdout).not.toContain('a new long password');
    const login = (password: string) =>
      service.call('POST', '/auth/login', { body: { email: adminEmail, password } });
    expect((await login(adminPassword)).status).toBe(401);
    expect((await login('a new long password')).status).toBe(200);
    await waitUntil(
      async () => (await api('GET', '/workflows')).status,
      (status) => status === 401,
      8_000,
    );
    const made = await runWeft(['user', 'reset-password', adminEmail], env);
    const password = /is (\S+)$/m.exec(made.stdout)?.[1] ?? '';
    expect((await login(password)).status).toBe(200);
    const unknown = await runWeft(['user', 'reset-password', 'nobody@example.com'], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('The user does not exist')]);
    const short = await runWeft(['user', 'reset-password', adminEmail], env, 'short\n');
    expect(short.code).toBe(1);
  });

  test('a backup while the service runs comes back whole in another folder', async () => {
    const dataDir = createFolder();
    const service = await start(dataDir);
    const api = await service.login();
    await api('PUT', '/secrets/KEPT', { body: { value: 'a value that is kept' } });
    const { id } = (
      await api('POST', '/workflows', {
        body: {
          name: 'kept',
          definition: createEchoWorkflow('kept', { authentication: 'bearer', secret: 'KEPT' }),
          status: 'active',
        },
      })
    ).body as { id: string };
    const hook = (url: string) =>
      caller(url)('POST', '/webhooks/kept', {
        body: 1,
        headers: { authorization: 'Bearer a value that is kept' },
      });
    expect((await hook(service.url)).status).toBe(200);
    const target = path.join(createFolder(), 'backup');
    const backup = await runWeft(['backup', target], { WEFT_DATA_DIR: dataDir });
    expect([backup.code, backup.stderr]).toEqual([0, '']);
    expect(backup.stdout).toContain('1 workflows, 1 executions');
    expect((await runWeft(['backup', target], { WEFT_DATA_DIR: dataDir })).code).toBe(1);
    await service.kill9();

    const other = path.join(createFolder(), 'data');
    const restore = await runWeft(['restore', target], { WEFT_DATA_DIR: other }).catch(String);
    expect(restore).toMatchObject({ code: 0 });
    expect((await runWeft(['restore', target], { WEFT_DATA_DIR: other })).code).toBe(1);
    const restored = await start(other);
    const again = await restored.login();
    expect((await again('GET', `/workflows/${id}`)).body).toMatchObject({
      name: 'kept',
      execution_count: 1,
      status: 'active',
    });
    expect((await hook(restored.url)).body).toEqual({ body: 1 });
    expect(existsSync(path.join(other, 'weft.db'))).toBe(true);
  });
});

test('a login that comes the moment the service listens finds the first administrator', async () => {
  const port = await freePort();
  const starting = start(createFolder(), { PORT: String(port) });
  const login = caller(`http://127.0.0.1:${port}/v1`);
  const body = { email: adminEmail, password: adminPassword };
  const end = performance.now() + 30_000;
  let first = null;
  while (first === null && performance.now() < end)
    first = await login('POST', '/auth/login', { body }).catch(() => null);
  expect(first?.status, first?.text).toBe(200);
  await starting;
});

describe('what a start refuses', () => {
  test('a port in use; the next start prints the generated password', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const dataDir = createFolder();
    const anonymous = { WEFT_ADMIN_EMAIL: '', WEFT_ADMIN_PASSWORD: '' };
    await expect(start(dataDir, { ...anonymous, PORT: String(port) })).rejects.toThrow(`Port ${port}`);
    taken.close();
    const service = await start(dataDir, anonymous);
    await waitUntil(
      () => Promise.resolve(service.logs()),
      (logs) => logs.includes('with the password'),
    );
    const password = /with the password (\S+)/.exec(service.logs())?.[1];
    const login = await service.call('POST', '/auth/login', { body: { email: 'admin@localhost', password } });
    expect(login.status, login.text).toBe(200);
  });

  test('a missing or different key, while secrets exist that it cannot decrypt', async () => {
    const dataDir = createFolder();
    const file = path.join(dataDir, 'secret.key');
    const first = await start(dataDir);
    const key = readFileSync(file);
    const other = randomBytes(32).toString('base64');
    await first.stop();
    // Nothing is sealed yet.
    rmSync(file);
    const second = await start(dataDir);
    const api = await second.login();
    const right = readFileSync(file);
    expect(right).not.toEqual(key);
    expect((await api('PUT', '/secrets/KEY', { body: { value: 'v' } })).status).toBe(200);
    await second.stop();

    await expect(start(dataDir, { WEFT_SECRET_KEY: other })).rejects.toThrow(
      'encrypted with a different key than the one in WEFT_SECRET_KEY',
    );
    writeFileSync(file, other);
    await expect(start(dataDir)).rejects.toThrow(`encrypted with a different key than the one in ${file}`);
    rmSync(file);
    await expect(start(dataDir)).rejects.toThrow(`${file} is missing`);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, right, { mode: 0o600 });
    await (await start(dataDir)).stop();
  });
});
