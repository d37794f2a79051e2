import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { CheckpointResult } from '../../ports/store/checkpoint.ts';
import { beginning, creation, HOUR_MS, next, schedule, T0, workflow } from '../conformance/samples.ts';
import { sleep } from './retry.ts';
import { openConnection, type Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import { postgresMigrations } from './schema.ts';
import { openForTest } from '../../../test/support/open-postgres-store.ts';
import { needPostgres, startServer, type TestServer } from '../../../test/support/servers/postgres-server.ts';

const programs = needPostgres();
let server: TestServer;
beforeAll(async () => {
  if (programs !== null) server = await startServer(programs);
});
afterAll(() => server?.close());

describe.skipIf(programs === null)('several processes on one PostgreSQL', () => {
  let url: string;
  const stores: Store[] = [];
  beforeAll(async () => {
    url = await server.database();
    await (await openForTest(url)).store.close();
  });
  beforeEach(async () => {
    await server.empty(url);
    while (stores.length < 3) stores.push((await openForTest(url, { shares: true })).store);
    await stores[0]!.workflows.save(workflow('wf_a'));
  });
  afterAll(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  const kinds = (results: CheckpointResult[][]) => results.flat().map(({ kind }) => kind);
  const count = (all: string[], kind: string) => all.filter((one) => one === kind).length;

  test('each key, each tick and each execution belongs to one process', async () => {
    const live = {
      webhooks: [],
      schedules: [schedule('wf_s', 'a', T0)],
      pollingTriggers: [],
      completionTriggers: [],
    };
    await stores[0]!.workflows.save(workflow('wf_s', { live }));
    for (let round = 0; round < 15; round++) {
      const dedupe = { scope: 's', key: `k${round}`, fingerprint: 'f', expiresAt: T0 + HOUR_MS };
      const keyed = kinds(
        await Promise.all(
          stores.map((store, i) =>
            store.executions.commit([creation(`ex_k${round}_${i}`, { create: { dedupe } })]),
          ),
        ),
      );
      expect([count(keyed, 'written'), count(keyed, 'duplicate')]).toEqual([1, 2]);

      const tick = { workflowId: 'wf_s', nodeId: 'a', due: T0 + round, next: T0 + round + 1 };
      const ticked = await Promise.all([
        ...stores.map((store, i) =>
          store.executions
            .commit([creation(`ex_t${round}_${i}`, { create: { workflowId: 'wf_s', tick } })])
            .then(([result]) => result!.kind === 'written'),
        ),
        stores[0]!.workflows.moveSchedule(tick, null),
      ]);
      expect(ticked.filter(Boolean)).toHaveLength(1);

      await stores[0]!.executions.commit([beginning(`ex_c${round}`, { worker: 'wrk_gone' })]);
      const claims = await Promise.all(
        stores.map((store, i) => store.executions.claim(`ex_c${round}`, `wrk_${i}`, T0)),
      );
      // Without a live lease, the second process may take the execution from the first; the fencing token
      // distinguishes them.
      const fences = claims.flatMap((claim) => (claim?.kind === 'claimed' ? [claim.fence] : []));
      expect(new Set(fences).size).toBe(fences.length);
      const last = Math.max(...fences);
      const ends = kinds(
        await Promise.all(
          stores.map((store, i) => store.executions.commit([next(`ex_c${round}`, last - (i % 2), 1)])),
        ),
      );
      expect(count(ends, 'written')).toBe(1);
    }
  });

  test('a stop by one process and the end by another: exactly one ends the execution', async () => {
    let stopped = 0;
    for (let i = 0; i < 25; i++) {
      const id = `ex_${i}`;
      await stores[0]!.executions.commit([beginning(id)]);
      const [ended, stop] = await Promise.all([
        stores[1]!.executions.commit([next(id, 1, 1)]),
        stores[2]!.executions.stop('usr_a', id, T0 + 1, '[]'),
      ]);
      expect([ended[0]!.kind, stop.kind]).toEqual(
        stop.kind === 'stopped' ? ['stale', 'stopped'] : ['written', 'settled'],
      );
      if (stop.kind === 'stopped') stopped++;
      expect((await stores[0]!.executions.journal('usr_a', id, 0, 9)).map(({ seq }) => seq)).toEqual([0, 1]);
    }
    expect(await stores[0]!.executions.statusCounts()).toMatchObject({
      running: 0,
      stopped,
      completed: 25 - stopped,
    });
  });

  test('totals stay exact across processes, and no two processes write the same row', async () => {
    await Promise.all(
      stores.map(async (store, p) => {
        for (let i = 0; i < 20; i++)
          await store.executions.commit(Array.from({ length: 5 }, (_, k) => creation(`ex_${p}_${i}_${k}`)));
      }),
    );
    for (const store of stores) {
      expect((await store.executions.statusCounts()).completed).toBe(300);
      expect((await store.workflows.get('usr_a', 'wf_a'))!.executionCount).toBe(300);
    }
    const shards = await server.sql(
      url,
      `SELECT shard, sum(n) AS n FROM counters WHERE subject = 'all' GROUP BY shard`,
    );
    expect(shards.length).toBeGreaterThanOrEqual(3);
  });

  test('24 writers of one row: each change counts once', async () => {
    await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const store = stores[i % 3]!;
        for (;;) {
          const row = (await store.workflows.get('usr_a', 'wf_a'))!;
          const change = workflow('wf_a', {
            row: { ...row, version: row.version + 1, tags: [] },
            expected: row.version,
          });
          if ((await store.workflows.save(change)).kind === 'saved') return;
        }
      }),
    );
    expect((await stores[0]!.workflows.get('usr_a', 'wf_a'))!.version).toBe(25);
    const versions = await stores[0]!.workflows.versions('usr_a', 'wf_a', 0, 100);
    expect(versions!.rows.map(({ version }) => version)).toEqual(
      Array.from({ length: 25 }, (_, i) => 25 - i),
    );
  });

  test('a workflow that is deleted while other processes start it leaves no rows', async () => {
    for (let i = 0; i < 8; i++) {
      const id = `wf_gone${i}`;
      await stores[0]!.workflows.save(workflow(id));
      await Promise.all([
        ...stores.map(async (store, p) => {
          for (let k = 0; k < 4; k++)
            await store.executions.commit([
              beginning(`ex_${i}_${p}_${k}`, {
                create: { workflowId: id },
                setTimers: [{ path: 'a', dueAt: 1 }],
              }),
            ]);
        }),
        stores[1]!.workflows.remove('usr_a', id),
      ]);
    }
    const left = await server.sql(
      url,
      `SELECT (SELECT count(*) FROM executions)::int AS executions, (SELECT count(*) FROM journal)::int AS journal,
        (SELECT count(*) FROM timers)::int AS timers`,
    );
    expect(left).toEqual([{ executions: 0, journal: 0, timers: 0 }]);
    expect((await stores[0]!.executions.statusCounts()).running).toBe(0);
  });

  test('a process without Redis is rejected while others run, and others while it runs', async () => {
    // Each process registers when it starts; the earlier registrations were deleted.
    for (const store of stores.splice(0)) await store.close();
    stores.push((await openForTest(url, { shares: true })).store);
    await expect(openForTest(url)).rejects.toThrow(
      /in use by process \d+ on .*Several processes need REDIS_URL/,
    );
    for (const store of stores.splice(0)) await store.close();
    const alone = await openForTest(url);
    await expect(openForTest(url, { shares: true })).rejects.toThrow(/runs without REDIS_URL/);
    await alone.store.close();
    stores.push((await openForTest(url, { shares: true })).store);
  });
});

describe.skipIf(programs === null)('the schema', () => {
  let url: string;
  const connections: Connection[] = [];
  beforeEach(async () => {
    url = await server.database();
  });
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.end();
  });
  async function connect(): Promise<Connection> {
    const connection = await openConnection({ url, name: 'test', shard: 0 });
    connections.push(connection);
    return connection;
  }
  const applied = async () =>
    (await server.sql(url, 'SELECT name FROM migrations ORDER BY number')).map(({ name }) => name);
  const now = () => T0;

  test('is created once when several processes start at the same time', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openForTest(url, { shares: true })));
    expect(await applied()).toEqual(postgresMigrations.map(({ name }) => name));
    for (const { store } of opened) {
      await store.maintenance.check();
      await store.close();
    }
  });

  test('continues where a process was killed during a migration', async () => {
    await migrate(await connect(), now, [{ name: 'one', sql: 'CREATE TABLE one (a INT)' }]);
    const slow = [
      { name: 'one', sql: '' },
      { name: 'two', sql: 'CREATE TABLE two (a INT); SELECT pg_sleep(30); CREATE TABLE later (a INT)' },
    ];
    const folder = path.join(import.meta.dirname);
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { openConnection } = await import(${JSON.stringify(path.join(folder, 'connection.ts'))});
        const { migrate } = await import(${JSON.stringify(path.join(folder, 'migrate.ts'))});
        const connection = await openConnection({ url: ${JSON.stringify(url)}, name: 'killed', shard: 0 });
        await migrate(connection, () => 1, ${JSON.stringify(slow)});`,
      ],
      { stdio: 'ignore' },
    );
    const isAtIt = async () =>
      (
        await server.sql(
          url,
          `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
        )
      ).length > 0;
    while (!(await isAtIt())) await sleep(20);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(child.signalCode).toBe('SIGKILL');

    // Waits until the server has noticed the lost connection; then no partial change is visible.
    await migrate(await connect(), now, [
      { name: 'one', sql: '' },
      { name: 'two', sql: 'CREATE TABLE two (a INT); CREATE TABLE later (a INT)' },
    ]);
    expect(await applied()).toEqual(['one', 'two']);
    expect(await server.sql(url, 'SELECT * FROM later')).toEqual([]);
  });

  test('a newer one is rejected only if an older program cannot work with it', async () => {
    const connection = await connect();
    const known = [{ name: 'one', sql: 'CREATE TABLE one (a INT)' }];
    const added = { name: 'added', sql: 'ALTER TABLE one ADD COLUMN b INT' };
    await migrate(connection, now, [...known, added]);
    await migrate(connection, now, known);
    await migrate(connection, now, [
      ...known,
      added,
      { name: 'changed', sql: 'DROP TABLE one', isBreaking: true },
    ]);
    await expect(migrate(connection, now, known)).rejects.toThrow(
      /newer version of Weft: its schema contains changed/,
    );
    await expect(migrate(connection, now, [{ name: 'other', sql: '' }])).rejects.toThrow(
      /its migration 1 is one/,
    );
  });

  test('a breaking migration waits until no older process is running', async () => {
    const opened = await openForTest(url, { shares: true });
    const breaking = [
      ...postgresMigrations,
      { name: 'changed', sql: 'DROP TABLE polls', isBreaking: true as const },
    ];
    await expect(migrate(await connect(), now, breaking)).rejects.toThrow(/older processes .* stop them/i);
    await opened.store.close();
    await migrate(await connect(), now, breaking);
    expect((await applied()).at(-1)).toBe('changed');
  });

  test('a failed migration leaves no changes', async () => {
    const connection = await connect();
    const bad = [{ name: 'one', sql: 'CREATE TABLE one (a INT); SELECT 1/0' }];
    await expect(migrate(connection, now, bad)).rejects.toThrow(/division by zero/);
    await migrate(connection, now, [{ name: 'one', sql: 'CREATE TABLE one (a INT)' }]);
    expect(await applied()).toEqual(['one']);
  });
});
