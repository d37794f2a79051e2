// Frequent reads: a page of workflows, one execution, and the same page through GraphQL. Each request is
// authenticated, counted toward a plan, and read from the database. The baseline returns the same JSON from
// memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, readMemory, startChild, waitForResponse } from './children.ts';
import type { Options } from './options.ts';
import type { ThroughputRow } from './report.ts';
import { startService, type Service } from './service.ts';
import { findTarget } from './targets.ts';
import { listWorkloads } from './workloads.ts';
import { load, takeMedian, type Figures, type Load } from './wrk.ts';

const CONNECTIONS = 50;
const WORKFLOWS = 10;
const WARM_UP_SECONDS = 2;
const START_LIMIT_MS = 10_000;
/** A rate limit that no run reaches, so that requests are counted. */
const SETTINGS = { WEFT_RATE_LIMIT_ENTERPRISE: '1000000000' };
const QUERY =
  '{ workflowsPage { workflows { id name description status createdAt updatedAt nodeCount executionCount version activeVersion tags } pagination { page limit total totalPages } } }';

type Read = { readonly name: string; readonly at: string; readonly body: string; readonly answer: unknown };

/** Ten workflows. One of them has one run, as in W1. */
async function prepare(service: Service): Promise<Read[]> {
  const [first] = listWorkloads('');
  if (first === undefined) throw new Error('there is no workload');
  let execution = '';
  for (let i = 0; i < WORKFLOWS; i++) {
    const made = await service.rest<{ id: string }>('POST', '/workflows', {
      name: `read ${i}`,
      description: 'For reading',
      definition: first.definition,
    });
    const run = await service.rest<{ id: string }>('POST', `/workflows/${made.id}/execute`, {
      input: { body: JSON.parse(first.body) as unknown },
      wait: '10s',
    });
    execution = run.id;
  }
  const read = async (name: string, at: string, body = ''): Promise<Read> => {
    const response =
      body === ''
        ? await service.rest('GET', at)
        : await service.rest('POST', at, JSON.parse(body) as unknown);
    return { name, at, body, answer: response };
  };
  return [
    await read('GET /workflows', '/workflows'),
    await read('GET /executions/{id}', `/executions/${execution}`),
    await read('GraphQL workflowsPage', '/graphql', JSON.stringify({ query: QUERY })),
  ];
}

async function runInTurns(
  baseline: Load,
  weft: Load,
  rounds: number,
): Promise<{ baseline: Figures; weft: Figures }> {
  const figures = { baseline: [] as Figures[], weft: [] as Figures[] };
  for (let round = 0; round < rounds; round++) {
    figures.baseline.push(await load(baseline));
    figures.weft.push(await load(weft));
  }
  return { baseline: takeMedian(figures.baseline), weft: takeMedian(figures.weft) };
}

export async function measureReads(
  { seconds = 3, rounds }: Options,
  say: (line: string) => void,
): Promise<ThroughputRow[]> {
  const service = await startService(undefined, [], SETTINGS);
  const folder = mkdtempSync('/tmp/weft-reads-');
  try {
    const reads = await prepare(service);
    const file = path.join(folder, 'answers.json');
    writeFileSync(file, JSON.stringify(Object.fromEntries(reads.map(({ answer }, i) => [i, answer]))));
    const port = await freePort();
    const baseline = startChild(process.execPath, [path.join(import.meta.dirname, 'baseline-json.mjs')], {
      PATH: process.env.PATH,
      PORT: String(port),
      ANSWERS: file,
    });
    const origin = `http://127.0.0.1:${port}`;
    await waitForResponse(baseline, origin, START_LIMIT_MS);
    const rows: ThroughputRow[] = [];
    for (const [i, { name, at, body }] of reads.entries()) {
      const headers = { Authorization: service.authorization() };
      const weft = { url: `${service.base}${at}`, body, headers, connections: CONNECTIONS, seconds };
      const bare = { url: `${origin}/${i}`, body: '', connections: CONNECTIONS, seconds };
      await load({ ...weft, seconds: WARM_UP_SECONDS });
      await load({ ...bare, seconds: 1 });
      const figures = await runInTurns(bare, weft, rounds);
      const used = readMemory(service.child.pid);
      const target = findTarget(name, CONNECTIONS);
      rows.push({
        workload: name,
        connections: CONNECTIONS,
        ...figures,
        memory: used.now,
        memoryPeak: used.peak,
        ...(target !== undefined && { target }),
      });
      say(`${name}: ${Math.round(figures.weft.perSecond)}/s of ${Math.round(figures.baseline.perSecond)}/s`);
    }
    await baseline.stop();
    return rows;
  } finally {
    await service.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
