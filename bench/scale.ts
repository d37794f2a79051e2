// `node bench/scale.ts [--seconds N] [--only speed,growth] [--profile]`: what several processes cost, and what workers bring, as
// ratios within one run. It starts a PostgreSQL and a Redis of its own, from the system's programs, and needs wrk.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { liveWebhook, startCluster, type Cluster } from '../test/scale/cluster.ts';
import { spawnService, temporaryFolder, until, type Call } from '../test/harness/service.ts';
import { startUpstream } from '../test/harness/upstream.ts';
import { costsOf, readMeters, statementCounting, statementsOf } from './costs.ts';
import { profiling } from './profile.ts';
import { load, requireWrk } from './wrk.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'speed,growth' },
    profile: { type: 'boolean', default: false },
  },
});
const SECONDS = Number(values.seconds);
const parts = new Set(values.only.split(','));
/** Executions of one growth run for each worker. */
const EACH = 150;
/** ms that a node waits on the network, and executions that one worker has at once. */
const WAIT = 50;
const AT_ONCE = 8;

const say = (line: string): void => console.log(line);

/** Calls a second with 200, at so many connections. */
async function rate(url: string, connections: number, seconds: number) {
  const body = '{"a":{"b":2},"first":"x","last":"y"}';
  const figures = await load({ url, body, connections, seconds });
  if (figures.errors > 0) throw new Error(`${figures.errors} of ${figures.requests} calls failed`);
  return figures;
}

/** W1: three quick nodes, answered with the output. */
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

async function throughputOf(
  call: Call,
  url: string,
  name: string,
  at: { cluster: Cluster; processes: Record<string, number> },
): Promise<Map<number, Measured>> {
  await liveWebhook(call, name, quick);
  await rate(`${url}/webhooks/${name}`, 50, 2);
  const rates = new Map<number, Measured>();
  for (const connections of [50, 200]) {
    const before = await readMeters(at.cluster, at.processes);
    const figures = await rate(`${url}/webhooks/${name}`, connections, SECONDS);
    const costs = costsOf(before, await readMeters(at.cluster, at.processes), figures.requests);
    rates.set(connections, { ...figures, costs });
  }
  return rates;
}

async function alone(cluster: Cluster): Promise<Map<number, Measured>> {
  const folder = temporaryFolder();
  const databaseUrl = await cluster.postgres.database();
  const service = await spawnService({
    dataDir: folder.path,
    env: {
      DATABASE_URL: databaseUrl,
      WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
    },
  });
  const rates = await throughputOf(await service.login(), service.url, 'alone', {
    cluster: { ...cluster, databaseUrl },
    processes: { 'one process': service.child.pid! },
  });
  await service.stop();
  folder.remove();
  return rates;
}

async function speed(cluster: Cluster): Promise<void> {
  const single = await alone(cluster);
  const profiles = values.profile ? { api: profiling(), worker: profiling() } : null;
  const api = await cluster.start('api', {}, profiles?.api.nodeArgs);
  const worker = await cluster.start('worker', {}, profiles?.worker.nodeArgs);
  const several = await throughputOf(await api.login(), api.url, 'several', {
    cluster,
    processes: { api: api.child.pid!, worker: worker.child.pid! },
  });
  say('W1, webhook with three quick nodes, api → Redis → worker → PostgreSQL → answer');
  for (const [connections, { perSecond, p50, p99, costs }] of several) {
    const one = single.get(connections)!;
    say(
      `  ${connections} connections: ${(perSecond / one.perSecond).toFixed(2)} of one process on PostgreSQL (${Math.round(perSecond)}/s and ${Math.round(one.perSecond)}/s in this run; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms)`,
    );
    say(`    several: ${costs}`);
    say(`    one:     ${one.costs}`);
  }
  await worker.stop();
  await api.stop();
  for (const [name, profile] of Object.entries(profiles ?? {}))
    for (const line of profile.lines()) say(`  ${name} ${line}`);
  if (values.profile) for (const line of await statementsOf(cluster)) say(`  ${line}`);
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM counters');
}

/** Executions a second, from the first start to the last end, as the store has them. */
async function growth(
  cluster: Cluster,
  call: Call,
  url: string,
  workers: number,
  name: string,
): Promise<number> {
  const count = EACH * workers;
  await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${url}/webhooks/${name}`, { method: 'POST', body: '{}' }).then((a) => a.text()),
    ),
  );
  await until(
    async () =>
      ((await call('GET', '/executions?status=completed&limit=1')).body as { pagination: { total: number } })
        .pagination.total,
    (total) => total >= count,
    120_000,
  );
  const [row] = await cluster.postgres.sql(
    cluster.databaseUrl,
    'SELECT count(*) AS n, max(end_time) - min(start_time) AS ms FROM executions',
  );
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
  await cluster.postgres.sql(cluster.databaseUrl, "DELETE FROM counters WHERE subject NOT LIKE 'workflow:%'");
  return (Number(row?.['n']) / Number(row?.['ms'])) * 1_000;
}

async function growing(cluster: Cluster): Promise<void> {
  const upstream = await startUpstream(() => ({ after: WAIT }));
  const api = await cluster.start('api');
  const call = await api.login();
  await liveWebhook(
    call,
    'waits',
    [{ id: 'ask', type: 'http_request', config: { method: 'GET', url: upstream.url } }],
    {
      respond: 'immediately',
    },
  );
  say(`Growth, a node that waits ${WAIT} ms, ${AT_ONCE} executions at once in each worker`);
  let one = 0;
  const workers = [];
  for (const count of [1, 2, 4]) {
    while (workers.length < count)
      workers.push(await cluster.start('worker', { WEFT_CONCURRENCY: String(AT_ONCE) }));
    const rate = await growth(cluster, call, api.url, count, 'waits');
    if (count === 1) one = rate;
    say(
      `  ${count} workers: ${(rate / one).toFixed(2)} times one, ${(rate / one / count).toFixed(2)} of linear`,
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
  if (parts.has('speed')) await speed(cluster);
  if (parts.has('growth')) await growing(cluster);
} finally {
  await cluster.close();
}
