// Baselines and Weft under the same load, in turns, so that a slow period of the machine affects both.
import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { freePort, readMemory, startChild, waitForResponse, type Child } from './children.ts';
import type { Options } from './options.ts';
import { createProfiling } from './profile.ts';
import { readBack } from './verify.ts';
import { createDatabaseSettings, createDataDir, startService, type Service } from './service.ts';
import { findTarget } from './targets.ts';
import type { ThroughputRow } from './report.ts';
import { load, takeMedian, type Figures } from './wrk.ts';
import type { Workload } from './workloads.ts';

// Warm-up calls, so that compiled code is measured. A number of calls, because the calls in two seconds
// depend on the machine.
const WARM_UP_CALLS = 40_000;
const WARM_UP_SECONDS = 2;
const WARM_UP_ROUNDS = 6;
const START_LIMIT_MS = 10_000;

export type Baselines = {
  readonly f1: string;
  readonly f2: string;
  readonly w3: string;
  /** The upstream of W3 and of its baseline. */
  readonly upstream: string;
  readonly stop: () => Promise<void>;
};

// A baseline leaves its database in /tmp, up to a gigabyte. The folder is found through its open files.
function baselineFolders(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return [
    ...new Set(
      links.filter((file) => file.startsWith('/tmp/weft-baseline-')).map((file) => path.dirname(file)),
    ),
  ];
}

async function stopBaseline(child: Child): Promise<void> {
  const folders = child.hasEnded() ? [] : baselineFolders(child.pid);
  await child.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

async function baselineProcess(
  file: string,
  extra: NodeJS.ProcessEnv,
): Promise<{ child: Child; origin: string }> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), ...extra };
  const child = startChild(process.execPath, [path.join(import.meta.dirname, file)], env);
  const origin = `http://127.0.0.1:${port}`;
  await waitForResponse(child, origin, START_LIMIT_MS);
  return { child, origin };
}

export async function startBaselines(): Promise<Baselines> {
  const upstream = await baselineProcess('upstream.mjs', {});
  const address = `${upstream.origin}/orders`;
  const baseline = await baselineProcess('baseline.mjs', {});
  const http = await baselineProcess('baseline-http.mjs', { UPSTREAM: address });
  return {
    f1: `${baseline.origin}/f1`,
    f2: `${baseline.origin}/f2`,
    w3: `${http.origin}/w3`,
    upstream: address,
    stop: async () => {
      await Promise.all([upstream, baseline, http].map(({ child }) => stopBaseline(child)));
    },
  };
}

type Active = { id: string; url: string };

export async function activate(service: Service, workload: Workload): Promise<Active> {
  for (const [name, value] of Object.entries(workload.secrets)) {
    await service.rest('PUT', `/secrets/${name}`, { value });
  }
  const { id } = await service.rest<{ id: string }>('POST', '/workflows', {
    name: workload.title,
    definition: workload.definition,
  });
  const { triggers } = await service.rest<{ triggers: { url?: string }[] }>('PUT', `/workflows/${id}`, {
    status: 'active',
  });
  const url = triggers[0]?.url;
  if (url === undefined) throw new Error(`${workload.name}: the active workflow shows no webhook address`);
  return { id, url: new URL(new URL(url).pathname, service.base).href };
}

// One request before any load verifies the response.
async function probe(workload: Workload, url: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...workload.headers() },
    body: workload.body,
  });
  const text = await response.text();
  if (response.status !== 200 || !isDeepStrictEqual(JSON.parse(text), workload.answer)) {
    throw new Error(`${workload.name}: responded with ${response.status} ${text.slice(0, 500)}`);
  }
}

async function warm(round: () => Promise<Figures>): Promise<void> {
  let calls = 0;
  for (let rounds = 0; rounds < WARM_UP_ROUNDS && calls < WARM_UP_CALLS; rounds += 1)
    calls += (await round()).requests;
}

type Sides = { f1: Figures[]; baseline: Figures[]; weft: Figures[] };

/** All rows of one workload, on a new service. Prints progress with `say`. */
export async function measure(
  workload: Workload,
  baselines: Baselines,
  options: Options,
  say: (line: string) => void,
): Promise<ThroughputRow[]> {
  const profile = options.profile ? createProfiling() : undefined;
  const onDatabase = options.database === undefined ? {} : createDatabaseSettings(options.database);
  const service = await startService(createDataDir(), profile?.nodeArgs, onDatabase);
  const beside = options.database === undefined ? undefined : await startService();
  try {
    const { id, url } = await activate(service, workload);
    await probe(workload, url);
    const besideUrl = beside === undefined ? undefined : (await activate(beside, workload)).url;
    let acknowledged = 1;
    let cutOff = 0;
    const baselineUrl = baselines[workload.baseline];
    const onBaseline = (address: string, connections: number, seconds: number) =>
      load({ url: address, body: workload.body, connections, seconds });
    const onWeft = async (connections: number, seconds: number): Promise<Figures> => {
      const result = await load({
        url,
        body: workload.body,
        headers: workload.headers(),
        ...(workload.withKeys && { keyPrefix: `${randomUUID()}-` }),
        connections,
        seconds,
      });
      acknowledged += result.requests - Math.min(result.errors, result.requests);
      cutOff += connections + result.errors;
      return result;
    };

    const onFolder = (address: string, connections: number, seconds: number) =>
      load({
        url: address,
        body: workload.body,
        headers: workload.headers(),
        ...(workload.withKeys && { keyPrefix: `${randomUUID()}-` }),
        connections,
        seconds,
      });

    await warm(() => onBaseline(baselineUrl, 50, WARM_UP_SECONDS));
    await warm(() => onWeft(50, WARM_UP_SECONDS));
    if (besideUrl !== undefined) await warm(() => onFolder(besideUrl, 50, WARM_UP_SECONDS));
    const rows: ThroughputRow[] = [];
    for (const connections of options.connections) {
      const target = findTarget(workload.name, connections);
      const seconds = options.seconds ?? (target === undefined ? 2 : 3);
      const sides: Sides = { f1: [], baseline: [], weft: [] };
      const folder: Figures[] = [];
      for (let round = 0; round < options.rounds; round += 1) {
        if (workload.name === 'W1') sides.f1.push(await onBaseline(baselines.f1, connections, seconds));
        sides.baseline.push(await onBaseline(baselineUrl, connections, seconds));
        sides.weft.push(await onWeft(connections, seconds));
        if (besideUrl !== undefined) folder.push(await onFolder(besideUrl, connections, seconds));
      }
      const { now, peak } = readMemory(service.child.pid);
      const row: ThroughputRow = {
        workload: workload.name,
        connections,
        ...(sides.f1.length > 0 && { f1: takeMedian(sides.f1) }),
        baseline: takeMedian(sides.baseline),
        weft: takeMedian(sides.weft),
        memory: now,
        memoryPeak: peak,
        ...(target !== undefined && { target }),
      };
      const perSecond = Math.round(row.weft.perSecond);
      say(
        `${workload.name} at ${connections}: ${perSecond}/s of ${Math.round(row.baseline.perSecond)}/s, p99 ${row.weft.p99.toFixed(1)} ms`,
      );
      if (folder.length > 0) {
        const onSqlite = takeMedian(folder).perSecond;
        say(
          `${workload.name} at ${connections}: on PostgreSQL ${(row.weft.perSecond / onSqlite).toFixed(2)} of the ${Math.round(onSqlite)}/s on SQLite`,
        );
      }
      rows.push(row);
    }
    const stored = await readBack(service.rest, id, workload, acknowledged, cutOff);
    const verdict =
      stored.differences.length === 0 ? 'as acknowledged' : stored.differences.slice(0, 5).join('; ');
    say(`${workload.name}: ${stored.stored} stored, ${stored.sampled} read in full: ${verdict}`);
    return rows.map((row) => ({ ...row, readBack: stored }));
  } finally {
    await service.remove();
    await beside?.remove();
    for (const line of profile?.lines() ?? []) say(line);
  }
}
