import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import {
  adminEmail,
  caller,
  runWeft,
  spawnService,
  createTempFolder,
  waitUntil,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream } from '../support/upstream.ts';
import { createCallingWorkflow, createEchoWorkflow, greeting, longWait } from '../api/definitions.ts';

const programs = needPostgres();

describe.skipIf(programs === null)('a service on PostgreSQL', () => {
  let server: TestServer;
  let folder: { path: string; remove(): void };
  let env: Record<string, string>;
  const services: SpawnedService[] = [];
  beforeAll(async () => {
    server = await startServer(programs!, { isDurable: true });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    folder = createTempFolder();
    env = {
      DATABASE_URL: await server.database(),
      WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
      WEFT_DATA_DIR: path.join(folder.path, 'unused'),
    };
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill9();
    folder.remove();
  });
  async function start(): Promise<SpawnedService> {
    const service = await spawnService({ dataDir: env['WEFT_DATA_DIR']!, env });
    services.push(service);
    return service;
  }

  test(
    'from the first start through kill -9 to the end of all executions, without files in the folder',
    { timeout: 300_000 },
    async () => {
      let isReady = false;
      const upstream = await startUpstream(() => (isReady ? { body: 'done' } : { after: 60_000 }));
      let service = await start();
      expect(service.logs()).toMatch(/data in PostgreSQL, 127\.0\.0\.1:\d+\/test_\d+\)/);
      let api = await service.login();
      const create = async (definition: object): Promise<string> => {
        const response = await api('POST', '/workflows', {
          body: { name: 'x', definition, status: 'active' },
        });
        expect(response.status, response.text).toBe(201);
        return (response.body as { id: string }).id;
      };
      const quick = await create(greeting);
      const call = await create(createCallingWorkflow(`${upstream.url}/job`));
      const wait = await create(longWait);
      await create(createEchoWorkflow('hook/:n'));
      const run = (id: string, body: object) => api('POST', `/workflows/${id}/execute`, { body });
      expect((await run(quick, { input: { name: 'Ada\0' }, wait: '20s' })).body).toMatchObject({
        output: { text: 'Dear Ada\0' },
      });
      // A value stored outside the rows, and a description with a character that PostgreSQL's text cannot
      // contain.
      const large = 'x'.repeat(1_000_000);
      expect((await service.call('POST', '/webhooks/hook/1', { body: { large } })).body).toEqual({
        body: { large },
      });
      const odd = await api('PUT', `/workflows/${quick}`, {
        body: { description: 'nul \0 \u0001', tags: ['ü'] },
      });
      expect(odd.body).toMatchObject({ description: 'nul \0 \u0001' });
      const graphql = await api('POST', '/graphql', {
        body: { query: '{ workflows(filter: {search: "NUL"}) { name executionCount } }' },
      });
      expect(graphql.text).toContain('"executionCount":1');
      const waiting = (await run(wait, { input: {} })).body as { id: string };
      const running = (await run(call, { input: { n: 1 } })).body as { id: string };
      await waitUntil(
        async () => upstream.received.length,
        (count) => count === 1,
      );

      await service.kill9();
      // If it waited for the lease of the killed process, it would wait for an hour.
      const extended = await server.sql(
        env['DATABASE_URL']!,
        'UPDATE workers SET lease_until = $1 RETURNING id',
        [Date.now() + 3_600_000],
      );
      expect(extended).toHaveLength(1);
      isReady = true;
      service = await start();
      api = await service.login();
      const ended = await waitUntil(
        async () =>
          (await api('GET', `/executions/${running.id}`)).body as { status: string; output: unknown },
        ({ status }) => status === 'completed',
        60_000,
      );
      expect(ended.output).toEqual({ answer: 'done' });
      expect(new Set(upstream.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect((await api('GET', `/executions/${waiting.id}`)).body).toMatchObject({ status: 'waiting' });
      const list = (await api('GET', '/executions?status=completed')).body as {
        executions: { id: string }[];
      };
      expect(list.executions).toHaveLength(3);
      expect(await service.stop()).toBe(0);
      await upstream.close();
      expect(existsSync(env['WEFT_DATA_DIR']!) ? readdirSync(env['WEFT_DATA_DIR']!) : []).toEqual([]);
    },
  );

  test('a second process is rejected with the reason while the first one runs; a command still works', async () => {
    const first = await start();
    const [second, ...copies] = await Promise.all([
      runWeft(['start'], { PORT: '0', ...env }),
      ...['backup', 'restore'].map((command) => runWeft([command, path.join(folder.path, 'copy')], env)),
    ]);
    expect(second.code).not.toBe(0);
    expect(second.stderr).not.toContain('    at ');
    expect(second.stderr + second.stdout).toMatch(
      /in use by process \d+ on \S+ \(all\)\. Several processes need REDIS_URL/,
    );
    for (const refused of copies) {
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(/the data is in PostgreSQL, 127.*pg_(dump|restore)/);
    }
    const reset = await runWeft(['user', 'reset-password', adminEmail], env, 'another password\n');
    expect(reset.stderr + reset.stdout).toContain(`${adminEmail} has the new password.`);
    const login = await caller(first.url)('POST', '/auth/login', {
      body: { email: adminEmail, password: 'another password' },
    });
    expect(login.status).toBe(200);
    await first.kill9();
    expect(await (await start()).stop()).toBe(0);
  });

  test('after a newer program changed the schema, an older one continues, or does not start and reports the reason', async () => {
    const first = await start();
    const sql = (text: string) => server.sql(env['DATABASE_URL']!, text);
    const addMigration = (name: string, isBreaking: boolean) =>
      sql(`INSERT INTO migrations (number, name, breaking, applied_at)
        SELECT max(number) + 1, '${name}', ${isBreaking}, 0 FROM migrations`);
    await sql('ALTER TABLE executions ADD COLUMN later TEXT');
    await addMigration('later-column', false);
    const api = await first.login();
    const created = await api('POST', '/workflows', { body: { name: 'x', definition: greeting } });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body as { id: string };
    const body = { input: { name: 'Ada' }, wait: '20s' };
    expect((await api('POST', `/workflows/${id}/execute`, { body })).body).toMatchObject({
      status: 'completed',
    });
    expect(await first.stop()).toBe(0);
    // A migration that older programs support is no reason to reject them.
    const second = await start();
    const again = await second.login();
    expect((await again('POST', `/workflows/${id}/execute`, { body })).body).toMatchObject({
      status: 'completed',
    });
    expect(await second.stop()).toBe(0);
    await addMigration('later-break', true);
    const refused = await runWeft(['start'], { PORT: '0', ...env });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toMatch(
      /The database was written by a newer version of Weft: its schema contains later-break, .* Start the newer program\./,
    );
    expect(refused.stderr + refused.stdout).not.toContain('    at ');
  });

  test('reports an invalid setup in one line', async () => {
    const refusal = async (changed: Record<string, string>): Promise<string> => {
      const { code, stderr, stdout } = await runWeft(['start'], { PORT: '0', ...env, ...changed });
      expect(code).not.toBe(0);
      expect(stderr + stdout).not.toContain('    at ');
      return stderr + stdout;
    };
    const url = new URL(env['DATABASE_URL']!);
    url.pathname = '/nowhere';
    const nowhere = refusal({ DATABASE_URL: url.href });
    url.port = '1';
    const [none, away, keyless] = await Promise.all([
      nowhere,
      refusal({ DATABASE_URL: url.href }),
      refusal({ WEFT_SECRET_KEY: '' }),
    ]);
    expect(none).toMatch(/database "nowhere" does not exist/);
    expect(away).toMatch(/127\.0\.0\.1:1\/nowhere cannot be reached/);
    expect(keyless).toContain('WEFT_SECRET_KEY is not set, but DATABASE_URL is');
  });
});
