// `node bench/scale.ts`: what several processes cost, and what workers bring, as ratios within one run. It starts a PostgreSQL and a
// Redis of its own, from the system's programs.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { liveWebhook, startCluster, type Cluster } from '../test/scale/cluster.ts';
import { spawnService, temporaryFolder, until, type Call } from '../test/harness/service.ts';
import { startUpstream } from '../test/harness/upstream.ts';

const SECONDS = Number(process.argv[2] ?? 5);
/** Executions of one growth run for each worker. */
const EACH = 150;
/** ms that a node waits on the network, and executions that one worker has at once. */
const WAIT = 50;
const AT_ONCE = 8;

const say = (line: string): void => console.log(line);

/** Calls a second with 200, at so many connections. */
async function rate(url: string, connections: number, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1_000;
  let good = 0;
  let bad = 0;
  const one = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
        (answer) => {
          answer.resume();
          answer.once('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      sent.once('error', reject);
      sent.end('{"a":{"b":2},"first":"x","last":"y"}');
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        if ((await one()) === 200) good++;
        else bad++;
      }
    }),
  );
  agent.destroy();
  if (bad > 0) throw new Error(`${bad} of ${good + bad} calls were not answered with 200`);
  return good / seconds;
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

async function throughputOf(call: Call, url: string, name: string): Promise<Map<number, number>> {
  await liveWebhook(call, name, quick);
  await rate(`${url}/webhooks/${name}`, 50, 2);
  const rates = new Map<number, number>();
  for (const connections of [50, 200])
    rates.set(connections, await rate(`${url}/webhooks/${name}`, connections, SECONDS));
  return rates;
}

async function alone(cluster: Cluster): Promise<Map<number, number>> {
  const folder = temporaryFolder();
  const service = await spawnService({
    dataDir: folder.path,
    env: {
      DATABASE_URL: await cluster.postgres.database(),
      WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
    },
  });
  const rates = await throughputOf(await service.login(), service.url, 'alone');
  await service.stop();
  folder.remove();
  return rates;
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
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${url}/webhooks/${name}`, { method: 'POST', body: '{}' }).then((a) => a.text()),
    ),
  );
  agent.destroy();
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

const cluster = await startCluster({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' });
const upstream = await startUpstream(() => ({ after: WAIT }));
try {
  const single = await alone(cluster);
  const api = await cluster.start('api');
  const worker = await cluster.start('worker');
  const call = await api.login();
  const several = await throughputOf(call, api.url, 'several');
  say('W1, webhook with three quick nodes, api → Redis → worker → PostgreSQL → answer');
  for (const [connections, rate] of several)
    say(
      `  ${connections} connections: ${(rate / single.get(connections)!).toFixed(2)} of one process on PostgreSQL (${Math.round(rate)}/s and ${Math.round(single.get(connections)!)}/s in this run)`,
    );
  await worker.stop();
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM executions');
  await cluster.postgres.sql(cluster.databaseUrl, 'DELETE FROM counters');

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
} finally {
  await Promise.all([cluster.close(), upstream.close()]);
}
