import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import { beginning, creation, next, workflow } from '../conformance/samples.ts';
import { sleep } from './retry.ts';
import { batches, sqlOverrides } from './sql-overrides.ts';
import { openForTest } from '../../../test/support/open-postgres-store.ts';
import { needPostgres, startServer, type TestServer } from '../../../test/support/servers/postgres-server.ts';

/* Commits that wait for rows that other transactions change concurrently. */

const programs = needPostgres();

describe.skipIf(programs === null)('commits concurrent with other transactions', () => {
  let server: TestServer;
  let url: string;
  let store: Store;
  /** Another process on the same database. */
  let beside: Store;
  beforeAll(async () => {
    server = await startServer(programs!, { settings: { autovacuum: 'off' } });
    url = await server.database();
    const open = async (at: string): Promise<Store> => (await openForTest(at, { shares: true })).store;
    [store, beside] = [await open(url), await open(url)];
  });
  afterAll(async () => {
    for (const each of [store, beside]) await each?.close();
    await server?.close();
  });
  beforeEach(async () => {
    await server.empty(url);
    for (const id of ['wf_a', 'wf_b']) await store.workflows.save(workflow(id));
  });

  const leftBehind = () =>
    server.sql(
      url,
      `SELECT e.id, t.path FROM timers t JOIN executions e ON e.number = t.execution
        WHERE e.status IN ('completed', 'failed', 'stopped')`,
    );
  const total = (rows: string) => server.sql(url, `SELECT status, ${rows} GROUP BY status ORDER BY status`);
  const countersAreRight = async (): Promise<void> => {
    const kept = `sum(n)::int AS n FROM counters WHERE subject = 'all' AND n <> 0`;
    expect(await total(kept)).toEqual(await total('count(*)::int AS n FROM executions'));
  };

  /** Runs it while another transaction holds the rows that these statements changed. */
  async function against<T>(statements: string[], run: () => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN');
    for (const statement of statements) await client.query(statement);
    const running = run();
    await sleep(200);
    await client.query('COMMIT');
    await client.end();
    return running;
  }

  test('a timer that was set while the end of its execution waited is removed', async () => {
    await store.executions.commit([beginning('ex_1', { status: 'waiting' })]);
    const results = await against(
      [
        `SELECT number FROM executions WHERE id = 'ex_1' FOR NO KEY UPDATE`,
        `INSERT INTO timers (execution, path, due_at) SELECT number, 'n1', 5 FROM executions WHERE id = 'ex_1'`,
      ],
      () => store.executions.commit([next('ex_1', 1, 1, { status: 'failed' })]),
    );
    expect(results).toEqual([{ kind: 'written' }]);
    expect(await leftBehind()).toEqual([]);
  });

  test('parents that end while their children wake them leave no timers', async () => {
    const all = Array.from({ length: 600 }, (_, i) => `ex_${i}`);
    await store.executions.commit(all.map((id) => beginning(id, { status: 'waiting' })));
    for (let i = 0; i < all.length; i += 10) {
      const ids = all.slice(i, i + 10);
      await Promise.all([
        store.executions.commit(ids.map((id) => next(id, 1, 1, { status: 'failed' }))),
        beside.executions.commit(
          ids.map((id) => creation(`${id}_child`, { wake: { executionId: id, path: 'n1' } })),
        ),
      ]);
    }
    expect(await leftBehind()).toEqual([]);
    await countersAreRight();
  });

  test('in a batch that waited, checkpoints of executions claimed meanwhile are stale, and the others are written', async () => {
    const queued = { status: 'queued' as const, startTime: null };
    await store.executions.commit(['ex_1', 'ex_2', 'ex_3'].map((id) => beginning(id, queued)));
    const results = await against(
      [
        `UPDATE executions SET worker = 'wrk_b', fence = fence + 1 WHERE id = 'ex_1'`,
        // Changed under the same fencing token.
        `UPDATE executions SET worker = NULL WHERE id = 'ex_3'`,
      ],
      () =>
        store.executions.commit(['ex_1', 'ex_2', 'ex_3'].map((id) => next(id, 2, 1, { isFirstClaim: true }))),
    );
    expect(results.map(({ kind }) => kind)).toEqual(['stale', 'written', 'written']);
    await countersAreRight();
  });

  test('a claim counts an execution whose first checkpoint is written at the same time', async () => {
    const settings = { max_concurrency: 1 };
    await store.workflows.save(workflow('wf_a', { row: { version: 2, settings }, expected: 1 }));
    await store.executions.heartbeat('wrk_a', 1_000);
    const queued = { status: 'queued' as const, startTime: null };
    await store.executions.commit([beginning('ex_next', queued)]);
    for (let i = 0; i < 300; i++) {
      const id = `ex_${i}`;
      await store.executions.commit([beginning(id, queued)]);
      expect(await store.executions.claim(id, 'wrk_a', 1)).toMatchObject({ kind: 'claimed' });
      const [claim] = await Promise.all([
        store.executions.claim('ex_next', 'wrk_b', 1),
        beside.executions.commit([next(id, 2, 1, { status: 'running', endTime: null })]),
      ]);
      expect(claim, `round ${i}`).toMatchObject({ kind: 'full' });
      await store.executions.commit([next(id, 2, 2)]);
    }
  });

  test('a backlog newer than the statistics does not slow queries down: all use the index by id', async () => {
    await server.sql(
      url,
      `INSERT INTO executions (id, owner_id, workflow_id, workflow_version, status, started_by, progress, created_at, retention,
        fence, next_seq) SELECT 'ex_' || i, 'usr_a', 'wf_a', 1, 'completed', '{}', 1, i, 1, 1, 1 FROM generate_series(1, 20000) i`,
    );
    await server.sql(url, 'ANALYZE');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const [name, value] of [
      ['plan_cache_mode', 'force_generic_plan'],
      ['seq_page_cost', '100'],
      ['random_page_cost', '1'],
      ['weft.shard', '0'],
    ])
      await client.query(`SELECT set_config('${name}', '${value}', false)`);
    const texts = [
      sqlOverrides.get(executions.claim)!,
      ...[executions.advance, executions.unclaimed, executions.claim, timers.listDue, journal.short].map(
        (sql) => batches.get(sql)!.text,
      ),
    ];
    const plans: string[] = [];
    for (const [i, text] of texts.entries()) {
      await client.query(`PREPARE s${i} AS ${text}`);
      const params = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
      const values = Array.from({ length: params }, () => 'NULL').join(', ');
      const { rows } = await client.query(`EXPLAIN EXECUTE s${i}(${values})`);
      plans.push(rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n'));
    }
    await client.end();
    for (const plan of plans) {
      expect(plan).toMatch(/executions_id_key/);
      expect(plan).not.toMatch(/executions_(open|owner|workflow)|timers_due/);
    }
  });
});
