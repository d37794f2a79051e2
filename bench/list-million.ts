// Lists of one million stored executions: pages 1 to 100 of 100, by owner, workflow and status, with and
// without times. The store writes the rows while the service is stopped, as copies of one real run over the
// last ten days, so counters and indexes are the same as after real use.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Options } from './options.ts';
import type { FigureRow } from './report.ts';
import { seed, type Seeded } from './seed.ts';
import { createDataDir, startService, type Service } from './service.ts';
import { LIMITS } from './targets.ts';

const WORKFLOWS = 20;
const PAGES = 100;
const PAGE_SIZE = 100;
/** Each round requests all pages once. The figure is the median of the rounds. */
const ROUNDS = 5;

type Query = {
  readonly what: string;
  readonly query: string;
  readonly total: number;
  readonly timed: boolean;
};
type Page = { executions: unknown[]; pagination: { total: number } };

const definition = {
  nodes: [{ id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } }],
  connections: [],
};

async function makeWorkflows(
  service: Service,
): Promise<{ owner: string; workflows: string[]; execution: string }> {
  const workflows: string[] = [];
  let owner = '';
  for (let index = 0; index < WORKFLOWS; index += 1) {
    const made = await service.rest<{ id: string; owner_id: string }>('POST', '/workflows', {
      name: `listed ${index}`,
      definition,
    });
    workflows.push(made.id);
    owner = made.owner_id;
  }
  const run = await service.rest<{ id: string; status: string }>(
    'POST',
    `/workflows/${workflows[0]}/execute`,
    {
      input: { n: 1 },
      wait: '10s',
    },
  );
  if (run.status !== 'completed') throw new Error(`the run to copy is ${run.status}`);
  return { owner, workflows, execution: run.id };
}

function queries(seeded: Seeded): Query[] {
  const { from, to, within } = seeded.window;
  const times = `&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const workflow = seeded.largest;
  const plain = [
    { what: 'owner', query: '', total: seeded.total, timedTotal: within.total },
    {
      what: 'workflow',
      query: `&workflow_id=${workflow.id}`,
      total: workflow.total,
      timedTotal: within.largest,
    },
    { what: 'status', query: '&status=failed', total: seeded.failed, timedTotal: within.failed },
    {
      what: 'workflow and status',
      query: `&workflow_id=${workflow.id}&status=completed`,
      total: workflow.completed,
      timedTotal: within.largestCompleted,
    },
  ];
  return plain.flatMap(({ what, query, total, timedTotal }) => [
    { what, query, total, timed: false },
    { what: `${what}, from and to`, query: `${query}${times}`, total: timedTotal, timed: true },
  ]);
}

/** Nearest-rank percentile: the 99th of a hundred values. */
const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

async function timePages(service: Service, agent: Agent, query: Query): Promise<number[]> {
  const times: number[] = [];
  const { origin, pathname } = new URL(service.base);
  const headers = { authorization: service.authorization() };
  for (let page = 1; page <= PAGES; page += 1) {
    const path = `${pathname}/executions?page=${page}&limit=${PAGE_SIZE}${query.query}`;
    const began = performance.now();
    const response = await agent.request({ origin, path, method: 'GET', headers });
    const text = await response.body.text();
    times.push(performance.now() - began);
    if (response.statusCode !== 200)
      throw new Error(`GET ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    const { executions, pagination } = JSON.parse(text) as Page;
    if (pagination.total !== query.total) {
      throw new Error(`by ${query.what}: total ${pagination.total}, but ${query.total} are stored`);
    }
    const expected = Math.max(0, Math.min(PAGE_SIZE, query.total - (page - 1) * PAGE_SIZE));
    if (executions.length !== expected)
      throw new Error(`GET ${path}: ${executions.length} rows, not ${expected}`);
  }
  return times;
}

export async function measureList(options: Options, say: (line: string) => void): Promise<FigureRow[]> {
  const dataDir = createDataDir();
  let service = await startService(dataDir);
  try {
    const made = await makeWorkflows(service);
    await service.stop();
    const began = performance.now();
    const seeded = await seed({ dataDir, rows: options.rows, ...made });
    say(`list: ${seeded.total} executions stored in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    service = await startService(dataDir);
    await sleep(1000);
    const agent = new Agent();
    const rows: FigureRow[] = [];
    for (const query of queries(seeded)) {
      await timePages(service, agent, query);
      const rounds: number[][] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        // Invalidates the cache of results, so that the measurement includes the reads.
        await service.rest('POST', '/workflows', { name: `${query.what} ${round}`, definition });
        rounds.push(await timePages(service, agent, query));
      }
      const p50 = percentile(
        rounds.map((times) => percentile(times, 0.5)),
        0.5,
      );
      const tails = rounds.map((times) => percentile(times, 0.99));
      const p99 = percentile(tails, 0.5);
      const each = tails.map((ms) => ms.toFixed(1)).join(', ');
      say(`list by ${query.what}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${each})`);
      rows.push({
        what: `list of ${seeded.total} by ${query.what}: p99`,
        value: p99,
        unit: 'ms',
        limit: query.timed ? LIMITS.listWithTimes : LIMITS.list,
      });
    }
    await agent.close();
    return rows;
  } finally {
    await service.remove();
  }
}
