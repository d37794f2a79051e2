import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import { createSeededRandom } from '../../../test/harness/seeded-random.ts';
import { beginning, creation, next, T0, workflow } from '../suite/samples.ts';
import { sleep } from './attempts.ts';
import { plainBatches, plainCommit } from './plain-commit.ts';
import { batches, spellings } from './spelling.ts';
import { openForTest } from './testing/open.ts';
import { needPostgres, startServer, type TestServer } from './testing/server.ts';

/* What goes to PostgreSQL in one flight beside what asks first: the same answers, the same rows, and nothing lost between them. */

const programs = needPostgres();

describe.skipIf(programs === null)('plain commits beside others', () => {
  let server: TestServer;
  let url: string;
  let otherUrl: string;
  let store: Store;
  /** Another process on the same database, and one on a database of its own. */
  let beside: Store;
  let other: Store;
  beforeAll(async () => {
    server = await startServer(programs!, { settings: { autovacuum: 'off' } });
    [url, otherUrl] = [await server.database(), await server.database()];
    const open = async (at: string): Promise<Store> => (await openForTest(at, { shares: true })).store;
    [store, beside, other] = [await open(url), await open(url), await open(otherUrl)];
  });
  afterAll(async () => {
    for (const each of [store, beside, other]) await each?.close();
    await server?.close();
  });
  beforeEach(async () => {
    for (const at of [url, otherUrl]) await server.empty(at);
    for (const each of [store, other])
      for (const id of ['wf_a', 'wf_b']) await each.workflows.save(workflow(id));
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

  /** Runs it while another transaction holds what these statements changed. */
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

  test('a timer that was set while an end waits for its execution goes with it', async () => {
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

  test('of a batch that waited, what was claimed meanwhile is stale, and the rest is written', async () => {
    const queued = { status: 'queued' as const, startTime: null };
    await store.executions.commit(['ex_1', 'ex_2', 'ex_3'].map((id) => beginning(id, queued)));
    const results = await against(
      [
        `UPDATE executions SET worker = 'wrk_b', fence = fence + 1 WHERE id = 'ex_1'`,
        // Changed, under the same fence.
        `UPDATE executions SET worker = NULL WHERE id = 'ex_3'`,
      ],
      () => store.executions.commit(['ex_1', 'ex_2', 'ex_3'].map((id) => next(id, 2, 1, { takes: true }))),
    );
    expect(results.map(({ kind }) => kind)).toEqual(['stale', 'written', 'written']);
    await countersAreRight();
  });

  test('the same batches, plain and not, give the same answers and the same rows', async () => {
    const seed = Math.floor(Math.random() * 1e9);
    console.info(`seed ${seed}`);
    const make = checkpoints(createSeededRandom(seed).int);
    let plain = 0;
    for (let round = 0; round < 150; round++) {
      const batch = make.batch();
      if (plainCommit(batch) !== null) plain++;
      const results = await store.executions.commit(batch);
      // What others may follow is not plain.
      const asked = await other.executions.commit(batch.map((one) => ({ ...one, follow: [] })));
      expect(results, `round ${round}`).toEqual(asked);
      make.told(batch, results);
    }
    expect(plain).toBeGreaterThan(30);
    expect(plain).toBeLessThan(140);
    const rows = async (at: string) => [
      await server.sql(at, `SELECT to_jsonb(e) - 'number' AS row FROM executions e ORDER BY e.id`),
      await server.sql(
        at,
        `SELECT e.id, j.seq, j.events FROM journal j JOIN executions e ON e.number = j.execution ORDER BY 1, 2`,
      ),
      await server.sql(
        at,
        `SELECT e.id, t.path, t.due_at FROM timers t JOIN executions e ON e.number = t.execution ORDER BY 1, 2`,
      ),
      await server.sql(
        at,
        `SELECT subject, status, sum(n) AS n FROM counters GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2`,
      ),
    ];
    expect(await rows(url)).toEqual(await rows(otherUrl));
    expect(await leftBehind()).toEqual([]);
  });

  test('a backlog that came since the statistics were made slows nothing down: all go by the id', async () => {
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
      plainBatches[1]![1].text,
      spellings.get(executions.claim)!,
      ...[executions.unclaimed, executions.claim, timers.dueOf, journal.short].map(
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

/** Random batches about the same executions, most of them as they should be. */
function checkpoints(random: (below: number) => number) {
  const live = new Map<string, { fence: number; seq: number }>();
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const oneIn = (n: number): boolean => random(n) === 0;
  const texts = ['n1', 'a\0b', 'x\u0001y', '😀', '', 'é\u0001\u0002'];
  const statuses = ['queued', 'running', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
  let count = 0;

  function one(): Checkpoint {
    const status = pick(statuses);
    const isEnd = ['completed', 'failed', 'stopped'].includes(status);
    const rest: Partial<Checkpoint> = {
      status,
      error: oneIn(4)
        ? { type: 'internal', message: `${pick(texts)}\0`, node_id: pick(texts), attempt: 1 }
        : null,
      progress: pick([0, 0.5, 1, 1 / 3]),
      currentNode: pick([null, ...texts]),
      worker: pick(['wrk_a', 'wrk_b']),
      startTime: pick([null, T0]),
      endTime: isEnd && !oneIn(15) ? T0 + random(99) : null,
      setTimers: oneIn(12) ? [{ path: pick(texts), dueAt: 5 }] : [],
    };
    if (random(10) < 4 || live.size === 0) {
      const id = `ex_${count++}`;
      live.set(id, { fence: 1, seq: 1 });
      return creation(id, {
        ...rest,
        blobs: oneIn(25) ? ['hash'] : [],
        create: {
          workflowId: oneIn(25) ? 'wf_gone' : pick(['wf_a', 'wf_b']),
          ownerId: oneIn(30) ? 'usr_x' : 'usr_a',
          parentId: pick([null, 'ex_0']),
          retention: random(1_000),
        },
      });
    }
    const id = pick([...live.keys()]);
    const { fence, seq } = live.get(id)!;
    const takes = oneIn(3);
    return next(id, fence + (takes ? 1 : 0) + (oneIn(12) ? 1 : 0), seq + (oneIn(12) ? 1 : 0), {
      ...rest,
      clearTimers: oneIn(12) ? [pick(texts)] : [],
      ...(takes && { takes: true }),
      ...(oneIn(20) && { wake: { executionId: pick([...live.keys()]), path: 'w' } }),
    });
  }

  return {
    batch(): Checkpoint[] {
      const size = pick([1, 1, 1, 2, 3, 6, 12]);
      const batch: Checkpoint[] = [];
      while (batch.length < size) {
        const made = one();
        if (oneIn(10) || !batch.some(({ executionId }) => executionId === made.executionId)) batch.push(made);
      }
      return batch;
    },
    told(batch: readonly Checkpoint[], results: readonly { kind: string }[]): void {
      for (const [i, { executionId, fence, seq, create }] of batch.entries())
        if (results[i]!.kind === 'written') live.set(executionId, { fence, seq: seq + 1 });
        else if (create !== null) live.delete(executionId);
    },
  };
}
