import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createVectorCollection } from '../support/ai/vector-collection.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { creation, HOUR_MS, workflow } from '../../src/store/conformance/samples.ts';
import { findWeftProgram } from '../support/program.ts';
import {
  runWeft,
  spawnService,
  createTempFolder,
  waitUntil,
  type SpawnedService,
} from '../support/service.ts';
import { createEchoWorkflow, greeting, longWait } from '../api/definitions.ts';

const programs = needPostgres();
/** Batches of 500 executions to move: enough for kills in between. */
const BATCHES = process.env['SCALE'] === 'long' ? 60 : 20;

describe.skipIf(programs === null)('weft migrate --from sqlite --to postgres', () => {
  let server: TestServer;
  let folder: { path: string; remove(): void };
  let url: string;
  const services: SpawnedService[] = [];
  beforeAll(async () => {
    server = await startServer(programs!, { isDurable: true });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    folder = createTempFolder();
    url = await server.database();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill9();
    folder.remove();
  });
  async function start(env: Record<string, string> = {}): Promise<SpawnedService> {
    const service = await spawnService({ dataDir: folder.path, env });
    services.push(service);
    return service;
  }
  const move = () => runWeft(['migrate', '--from', 'sqlite', '--to', url], { WEFT_DATA_DIR: folder.path });

  /** Every file of the folder with its content, except files that SQLite creates for a reader. */
  function state(): Record<string, string> {
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    return Object.fromEntries(
      files
        .filter((file) => statSync(path.join(folder.path, file)).isFile() && !/-(wal|shm)$/.test(file))
        .map((file) => [
          file,
          createHash('sha256')
            .update(readFileSync(path.join(folder.path, file)))
            .digest('hex'),
        ]),
    );
  }

  test('a service continues there with all its data', async () => {
    let service = await start();
    let api = await service.login();
    const create = async (definition: object, name: string): Promise<string> => {
      const response = await api('POST', '/workflows', {
        // PostgreSQL's text cannot contain NUL.
        body: { name, description: 'nul \0', definition, status: 'active', tags: ['ü'] },
      });
      expect(response.status, response.text).toBe(201);
      return (response.body as { id: string }).id;
    };
    const quick = await create(greeting, 'quick');
    const wait = await create(longWait, 'wait');
    await create(createEchoWorkflow('hook'), 'hook');
    const run = (id: string, body: object) => api('POST', `/workflows/${id}/execute`, { body });
    for (let i = 0; i < 30; i++) await run(quick, { input: { name: `n${i}` }, wait: '30s' });
    const large = 'x'.repeat(900_000);
    const hooked = await service.call('POST', '/webhooks/hook', { body: { large } });
    const waiting = (await run(wait, { input: {} })).body as { id: string };
    await api('PUT', '/secrets/KEY', { body: { value: 'a secret value' } });
    const key = (await api('POST', '/api-keys', { body: { name: 'k' } })).body as { key: string };
    await createVectorCollection(api, 'handbook');
    const remember = await create(createRememberingWorkflow('customer-1'), 'remember');
    for (let i = 0; i < 40; i++) await run(remember, { input: {}, wait: '30s' });
    const before = await Promise.all(
      [
        '/workflows',
        '/executions?limit=100',
        '/secrets',
        '/threads',
        '/vector-collections',
        `/executions/${waiting.id}/logs`,
      ].map(async (where) => (await api('GET', where)).body),
    );

    const refused = await move();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('stop it before you move the data');
    await service.stop();
    const original = state();
    const moved = await move();
    expect(moved.stderr).toBe('');
    expect(moved.stdout).toMatch(/read back and compared: \d+ rows of \d+ tables, [1-9] files/);
    expect(moved.code).toBe(0);
    expect(state()).toEqual(original);

    const secret = readFileSync(path.join(folder.path, 'secret.key'), 'utf8').trim();
    service = await start({ DATABASE_URL: url, WEFT_SECRET_KEY: secret });
    api = await service.login();
    const after = await Promise.all(
      [
        '/workflows',
        '/executions?limit=100',
        '/secrets',
        '/threads',
        '/vector-collections',
        `/executions/${waiting.id}/logs`,
      ].map(async (where) => (await api('GET', where)).body),
    );
    expect(after).toEqual(before);
    const known = await service.call('GET', '/users/me', { headers: { 'x-api-key': key.key } });
    expect(known.status).toBe(200);
    expect((await api('GET', `/executions/${hooked.headers.get('x-weft-execution-id')}`)).body).toMatchObject(
      { output: { body: { large } } },
    );
    // New turns and executions are numbered after the moved ones, and totals continue.
    expect((await run(remember, { input: {}, wait: '30s' })).body).toMatchObject({ status: 'completed' });
    expect((await api('GET', '/threads')).body).toMatchObject({ threads: [{ turns: 41 }] });
    await run(quick, { input: { name: 'new' }, wait: '30s' });
    const list = (await api('GET', '/executions?limit=1')).body as {
      executions: { workflow_id: string }[];
      pagination: { total: number };
    };
    expect(list.executions[0]!.workflow_id).toBe(quick);
    expect(list.pagination.total).toBe(75);
    expect((await api('POST', `/executions/${waiting.id}/stop`)).body).toMatchObject({ status: 'stopped' });

    const again = await move();
    expect(again.code).not.toBe(0);
    expect(again.stderr).toMatch(/A service is running on the target database|already contains Weft data/);
  });

  test('a killed move resumes; until it has finished, no service starts there', async () => {
    const store = await openSqliteStore({ dataDir: folder.path, now: Date.now });
    await store.workflows.save(workflow('wf_a'));
    const events = JSON.stringify(['x'.repeat(2_000)]);
    for (let i = 0; i < BATCHES; i++)
      await store.executions.commit(
        Array.from({ length: 500 }, (_, k) =>
          creation(`ex_${i}_${k}`, {
            events,
            create: {
              retention: HOUR_MS,
              dedupe: { scope: 's', key: `${i}/${k}`, fingerprint: 'f', expiresAt: 9e15 },
            },
          }),
        ),
      );
    await store.close();
    const original = state();
    const child = spawn(process.execPath, [findWeftProgram(), 'migrate', '--from', 'sqlite', '--to', url], {
      env: { PATH: process.env['PATH'], WEFT_DATA_DIR: folder.path },
      stdio: 'ignore',
    });
    const copied = async (): Promise<number> => {
      const rows = await server.sql(url, `SELECT rows FROM moving WHERE name = 'executions'`).catch(() => []);
      return Number(rows[0]?.['rows'] ?? 0);
    };
    await waitUntil(copied, (rows) => rows > 0, 20_000);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const before = await copied();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(BATCHES * 500);

    const early = await runWeft(['start'], {
      PORT: '0',
      DATABASE_URL: url,
      WEFT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    expect(early.code).not.toBe(0);
    expect(early.stderr + early.stdout).toContain('A move of data into this database is not complete');

    const moved = await move();
    expect(moved.stderr).toBe('');
    expect(moved.code).toBe(0);
    expect(state()).toEqual(original);
    const [counted] = await server.sql(
      url,
      `SELECT (SELECT count(*) FROM executions)::int AS executions, (SELECT count(*) FROM dedupe)::int AS keys,
        (SELECT sum(n) FROM counters WHERE subject = 'all')::int AS total, to_regclass('moving') IS NULL AS done`,
    );
    const all = BATCHES * 500;
    expect(counted).toEqual({ executions: all, keys: all, total: all, done: true });
  });

  test('a damaged content and a database that is not empty are rejected', async () => {
    const service = await start();
    const api = await service.login();
    await api('POST', '/workflows', {
      body: { name: 'h', definition: createEchoWorkflow('hook'), status: 'active' },
    });
    await service.call('POST', '/webhooks/hook', { body: { large: 'y'.repeat(900_000) } });
    await service.stop();
    const contents = readdirSync(path.join(folder.path, 'files'), { recursive: true, encoding: 'utf8' });
    const content = contents.find((file) => /^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(file))!;
    appendFileSync(path.join(folder.path, 'files', content), '!');
    const damaged = await move();
    expect(damaged.code).not.toBe(0);
    expect(damaged.stderr).toMatch(/content [0-9a-f]{64} is damaged/);
    // A move of another folder does not continue this one.
    rmSync(path.join(folder.path, 'weft.db'));
    const none = await move();
    expect(none.stderr).toContain('There is no Weft data in');
    const wrong = await runWeft(['migrate', '--from', 'sqlite', '--to', 'mysql://x'], {});
    expect(wrong.code).toBe(2);
  });
});
