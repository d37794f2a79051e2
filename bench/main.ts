// `npm run bench`: the baselines and Weft in one run, one table.
import { measureAgentTurns } from './agent-turns.ts';
import { measureExpressions } from './expressions.ts';
import { measureGraphs } from './large-workflows.ts';
import { measureLongExecutions } from './long-executions.ts';
import { measureList } from './list-million.ts';
import { readOptions } from './options.ts';
import { measurePacks } from './packs.ts';
import { areAllReadBack, print, save, type FigureRow, type ThroughputRow } from './report.ts';
import { measureReads } from './reads.ts';
import { measureSandbox } from './sandbox.ts';
import { measureSockets } from './sockets.ts';
import { measureStart } from './startup.ts';
import { measureStreams } from './streams.ts';
import { LIMITS } from './targets.ts';
import { measure, startBaselines, type Baselines } from './throughput.ts';
import { listWorkloads, type Workload } from './workloads.ts';
import { requireWrk } from './wrk.ts';

const LIMIT_MINUTES = 30;

const options = readOptions(process.argv.slice(2));
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
const overdue = setTimeout(() => {
  console.error(`the benchmark did not end within ${LIMIT_MINUTES} minutes`);
  process.exit(1);
}, LIMIT_MINUTES * 60_000);
overdue.unref();

const throughput: ThroughputRow[] = [];
const figures: FigureRow[] = [];
const failures: string[] = [];

// A section that fails does not prevent the others.
async function section(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const text = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    failures.push(text);
    say(text);
  }
}

if (options.only.has('start')) {
  await section('start', async () => {
    figures.push(...(await measureStart(options)));
  });
}

async function measureWorkload(workload: Workload, baselines: Baselines): Promise<void> {
  const rows = await measure(workload, baselines, options, say);
  throughput.push(...rows);
  const last = rows.at(-1);
  if (workload.name === 'W1' && last !== undefined) {
    figures.push({ what: 'memory after W1', value: last.memory, unit: 'MiB', limit: LIMITS.memoryAfterW1 });
  }
}

const names = listWorkloads('').map(({ name }) => name);
if (names.some((name) => options.only.has(name))) {
  await requireWrk();
  const baselines = await startBaselines();
  try {
    for (const workload of listWorkloads(baselines.upstream)) {
      if (options.only.has(workload.name))
        await section(workload.name, () => measureWorkload(workload, baselines));
    }
  } finally {
    await baselines.stop();
  }
}

if (options.only.has('reads')) {
  await requireWrk();
  await section('reads', async () => {
    throughput.push(...(await measureReads(options, say)));
  });
}
if (options.only.has('list')) {
  await section('list', async () => {
    figures.push(...(await measureList(options, say)));
  });
}
if (options.only.has('graph')) {
  await section('graph', async () => {
    figures.push(...(await measureGraphs(say)));
  });
}
if (options.only.has('long')) {
  await section('long', async () => {
    figures.push(...(await measureLongExecutions(say)));
  });
}
if (options.only.has('agent')) {
  await section('agent', async () => {
    figures.push(...(await measureAgentTurns(say)));
  });
}
if (options.only.has('sockets')) {
  await section('sockets', async () => {
    figures.push(...(await measureSockets(options, say)));
  });
}
if (options.only.has('streams')) {
  await section('streams', async () => {
    figures.push(...(await measureStreams(options, say)));
  });
}

if (options.only.has('expressions')) {
  await section('expressions', () => {
    figures.push(...measureExpressions(say));
    return Promise.resolve();
  });
}

if (options.only.has('sandbox')) {
  await section('sandbox', async () => {
    figures.push(...(await measureSandbox(options, say)));
  });
}
if (options.only.has('packs')) {
  await section('packs', async () => {
    figures.push(...(await measurePacks(options, say)));
  });
}

const report = { throughput, figures };
print(report);
console.log(`\nAs JSON: ${save(report)}`);
for (const failure of failures) console.log(`NOT MEASURED ${failure}`);
// A missed target is printed as a finding. Only a failed measurement or verification fails the run.
process.exit(failures.length === 0 && areAllReadBack(report) ? 0 : 1);
