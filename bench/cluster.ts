// `npm run bench -- cluster [--seconds N] [--only speed,growth] [--connections 50,200] [--profile]`: the cost
// of several processes, and the gain from more workers, as ratios within one run. It starts PostgreSQL and
// Redis from the system's programs, and needs wrk.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createActiveWebhook, startCluster, type Cluster } from '../test/cluster/cluster.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../test/support/service.ts';
import { findWeftProgram } from '../test/support/program.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { formatCosts, computeCpuTime, readMeters, statementCounting, readTopStatements } from './cpu-time.ts';
import { createProfiling } from './profile.ts';
import { load, requireWrk } from './wrk.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'speed,growth' },
    connections: { type: 'string', default: '50,200' },
    profile: { type: 'boolean', default: false },
  },
});
const SECONDS = Number(values.seconds);
const parts = new Set(values.only.split(','));
/** Calls before the measurement. */
const WARM_UP_CALLS = 20_000;
/** Executions for each worker in one growth run. */
const EXECUTIONS_PER_WORKER = 150;
/** Latency of the upstream that a node calls, in ms. */
const UPSTREAM_DELAY_MS = 50;
/**
 * Concurrent executions of one worker. Low, so that this limit and not the shared processors bounds four
 * workers.
 */
const CONCURRENCY = 2;

// Fails immediately, and not after minutes, when the build is missing or stale.
findWeftProgram();

const say = (line: string): void => console.log(line);

/** Calls per second with this number of connections. */
async function rate(url: string, connections: number, seconds: number) {
  const body = '{"a":{"b":2},"first":"x","last":"y"}';
  const figures = await load({ url, body, connections, seconds });
  if (figures.errors > 0) throw new Error(`${figures.errors} of ${figures.requests} calls failed`);
  return figures;
}

/** W1: three fast nodes. The response is the output. */
const quick = [
  {
    id: 'a',
    type: 'data_transformer',
    config: { operations: [{ action: 'map', input: 'body.a.b', output: 'c' }] },
  },
  { id: 'b', type: 'data_transformer', config: { operations: [{ action: 'map', input: 'c', output: 'd' }] } },
  { id: 'c', type: 'data_transformer', config: { operations: [{ action: 'map', input: 'd', output: 'e' }] } },
];

type Measured = { perSecond: number; p50: number; p99: number; costs: string };

async function measureThroughput(
  call: Call,
  url: string,
  name: string,
  at: { cluster: Cluster; processes: Record<string, number> },
): Promise<Map<number, Measured>> {
  await createActiveWebhook(call, name, quick);
  // Warms up the code: the measurement is of a service that has run for some time.
  for (let calls = 0; calls < WARM_UP_CALLS;)
    calls += (await rate(`${url}/webhooks/${name}`, 50, 2)).requests;
  const rates = new Map<number, Measured>();
  for (const connections of values.connections.split(',').map(Number)) {
    const before = await readMeters(at.cluster, at.processes);
    const figures = await rate(`${url}/webhooks/${name}`, connections, SECONDS);
    const costs = formatCosts(before, await readMeters(at.cluster, at.processes), figures.requests);
    rates.set(connections, { ...figures, costs });
  }
  return rates;
}

/** One process without Redis. */
async function alone(cluster: Cluster, on: 'PostgreSQL' | 'SQLite'): Promise<Map<number, Measured>> {
  const folder = createTempFolder();
  const databaseUrl = on === 'PostgreSQL' ? await cluster.postgres.database() : cluster.databaseUrl;
  const service = await spawnService({
    dataDir: folder.path,
    env: {
      ...(on === 'PostgreSQL' && { DATABASE_URL: databaseUrl }),
      WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
    },
  });
  const rates = await measureThroughput(await service.login(), service.url, 'alone', {
    cluster: { ...cluster, databaseUrl },
    processes: { 'one process': service.child.pid! },
  });
  await service.stop();
  folder.remove();
  return rates;
}

function shown({ perSecond, p50, p99, costs }: Measured): string {
  return `${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${costs}`;
}

async function reportSpeed(cluster: Cluster): Promise<void> {
  const onSqlite = await alone(cluster, 'SQLite');
  const single = await alone(cluster, 'PostgreSQL');
  const profiles = values.profile ? { api: createProfiling(), worker: createProfiling() } : null;
  const api = await cluster.start('api', {}, profiles?.api.nodeArgs);
  const worker = await cluster.start('worker', {}, profiles?.worker.nodeArgs);
  const several = await measureThroughput(await api.login(), api.url, 'several', {
    cluster,
    processes: { api: api.child.pid!, worker: worker.child.pid! },
  });
  await worker.stop();
  await api.stop();
  const all = await cluster.start('all');
  const whole = await measureThroughput(await all.login(), all.url, 'whole', {
    cluster,
    processes: { all: all.child.pid! },
  });
  await all.stop();
  say('W1, webhook with three quick nodes, beside one process on PostgreSQL without Redis');
  for (const [connections, one] of single) {
    say(`  ${connections} connections: one process ${shown(one)}`);
    for (const [name, measured] of [
      ['one process on SQLite', onSqlite],
      ['api → Redis → worker → PostgreSQL → answer', several],
      ['one of role all, with Redis', whole],
    ] as const) {
      const { perSecond } = measured.get(connections)!;
      say(
        `    ${name}: ${(perSecond / one.perSecond).toFixed(2)} of it, ${shown(measured.get(connections)!)}`,
      );
    }
  }
  for (const [name, profile] of Object.entries(profiles ?? {}))
    for (const line of profile.lines()) say(`  ${name} ${line}`);
  if (values.profile) for (const line of await readTopStatements(cluster)) say(`  ${line}`);
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM counters');
}

/** Starts executions, ten calls at a time. */
async function beginAll(url: string, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await (await fetch(url, { method: 'POST', body: '{}' })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: 10 }, lane));
}

/**
 * Executions per second while all workers were busy, from the end times in the store: between the first and
 * the last fifth. `busy`: processors that Weft, PostgreSQL and Redis used in that time.
 */
async function growth(
  cluster: Cluster,
  call: Call,
  url: string,
  workers: readonly SpawnedService[],
): Promise<{ rate: number; busy: number }> {
  const count = EXECUTIONS_PER_WORKER * workers.length;
  const processes = Object.fromEntries(workers.map(({ child }, i) => [`worker ${i}`, child.pid!]));
  const before = await readMeters(cluster, processes);
  const began = performance.now();
  await beginAll(url, count);
  const ended = async (): Promise<number> =>
    ((await call('GET', '/executions?status=completed&limit=1')).body as { pagination: { total: number } })
      .pagination.total;
  await waitUntil(ended, (total) => total >= count, 120_000);
  const busy =
    computeCpuTime(before, await readMeters(cluster, processes)) / ((performance.now() - began) / 1_000);
  const [row] = await cluster.postgres.sql(
    cluster.databaseUrl,
    `SELECT count(*) AS n, max(end_time) - min(end_time) AS ms FROM
      (SELECT end_time, percent_rank() OVER (ORDER BY end_time) AS p FROM executions) AS e WHERE p BETWEEN 0.2 AND 0.8`,
  );
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
  await cluster.postgres.sql(cluster.databaseUrl, "DELETE FROM counters WHERE subject NOT LIKE 'workflow:%'");
  return { rate: (Number(row?.['n']) / Number(row?.['ms'])) * 1_000, busy };
}

async function growing(cluster: Cluster): Promise<void> {
  const upstream = await startUpstream(() => ({ after: UPSTREAM_DELAY_MS }));
  const api = await cluster.start('api');
  const call = await api.login();
  await createActiveWebhook(
    call,
    'waits',
    [{ id: 'ask', type: 'http_request', config: { method: 'GET', url: upstream.url } }],
    { respond: 'immediately' },
  );
  const url = `${api.url}/webhooks/waits`;
  say(
    `Growth, a node that waits ${UPSTREAM_DELAY_MS} ms, ${CONCURRENCY} executions at once in each worker (so at most ${(CONCURRENCY * 1_000) / UPSTREAM_DELAY_MS}/s each)`,
  );
  let one = 0;
  const workers: SpawnedService[] = [];
  for (const count of [1, 2, 4]) {
    while (workers.length < count)
      workers.push(await cluster.start('worker', { WEFT_CONCURRENCY: String(CONCURRENCY) }));
    // Warms up the new processes.
    await beginAll(url, 20 * count);
    await waitUntil(
      async () =>
        (
          await cluster.postgres.sql(
            cluster.databaseUrl,
            "SELECT 1 FROM executions WHERE status <> 'completed'",
          )
        ).length,
      (open) => open === 0,
      60_000,
    );
    await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
    await cluster.postgres.sql(
      cluster.databaseUrl,
      "DELETE FROM counters WHERE subject NOT LIKE 'workflow:%'",
    );
    const { rate, busy } = await growth(cluster, call, url, workers);
    if (count === 1) one = rate;
    const full = rate / ((count * CONCURRENCY * 1_000) / UPSTREAM_DELAY_MS);
    say(
      `  ${count} workers: ${(rate / one).toFixed(2)} times one, ${(rate / one / count).toFixed(2)} of linear (${rate.toFixed(0)}/s; the waits alone fill ${(100 * full).toFixed(0)} % of the places; ${busy.toFixed(2)} processors busy with it)`,
    );
  }
  await upstream.close();
}

await requireWrk();
const cluster = await startCluster(
  { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  values.profile ? statementCounting : {},
);
try {
  if (parts.has('speed')) await reportSpeed(cluster);
  if (parts.has('growth')) await growing(cluster);
} finally {
  await cluster.close();
}
