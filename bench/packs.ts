// Packages of npm as packs: memory and time of their processes, and whether endless calls delay the service.
// A call of a pack and the same http_request, and the loads with and without endless calls, are measured in
// turns in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../src/ports/limits.ts';
import { packFixture } from '../test/support/packs/npm-pack.ts';
import {
  loopbackCertificate,
  loopbackKey,
  writeLoopbackCertificate,
} from '../test/support/servers/tls-certificates.ts';
import type { Options } from './options.ts';
import {
  listPackProcesses,
  readProportionalSize,
  waitForProcesses,
} from '../test/support/packs/pack-processes.ts';
import { readPublished } from './published-packs.ts';
import type { FigureRow } from './report.ts';
import { createDataDir, createUser, startService, type Rest, type Service } from './service.ts';
import { LIMITS } from './targets.ts';
import { activate } from './throughput.ts';
import { listWorkloads, type Workload } from './workloads.ts';
import { load, requireWrk } from './wrk.ts';

const CALLS = 200;
const FIRST_CALLS = 5;
/** Packs that are idle at the same time when the memory is read: as many as may run. */
const IDLE_PACKS = ['slack', 'notion', 'demo', 'hostile'];
/** Processes that run at once (`packProcesses` in `src/ports/limits.ts`). */
const PROCESSES = limits.packProcesses;
const ENDLESS_CALLS = 10;
const CONNECTIONS = 50;
const IDLE_LIMIT_MS = 90_000;
const START_LIMIT_MS = 30_000;

type Say = (line: string) => void;
type Execution = { id: string; status: string; error: { message: string } | null };

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function openUpstream(): Promise<{ server: Server; address: string }> {
  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    request.resume();
    const body = request.url?.startsWith('/projects') === true ? { projects: [] } : { ok: true };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const install = (rest: Rest, archive: Buffer): Promise<unknown> =>
  rest('POST', '/packs', { archive: archive.toString('base64') });

async function createWorkflow(rest: Rest, type: string, config: object): Promise<string> {
  const { id } = await rest<{ id: string }>('POST', '/workflows', {
    name: type,
    definition: {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'call', type, config },
      ],
      connections: [{ from: 'start', to: 'call' }],
    },
  });
  return id;
}

/** ms of a whole execution. */
async function execute(rest: Rest, workflow: string): Promise<number> {
  const began = performance.now();
  const { status, error } = await rest<Execution>('POST', `/workflows/${workflow}/execute`, { wait: '60s' });
  if (status !== 'completed') throw new Error(`the execution is ${status}: ${error?.message ?? ''}`);
  return performance.now() - began;
}

const slackConfig = (address: string): object => ({
  operation: 'custom_api_call',
  authentication: { type: 'token', token: 'x' },
  url: { url: `https://${address}/x` },
  method: 'GET',
  headers: {},
  queryParams: {},
});

/** Ends the processes, so that the next call starts one. */
async function endPacks({ child: { pid } }: Service): Promise<void> {
  for (const pack of listPackProcesses(pid)) process.kill(pack, 'SIGKILL');
  await waitForProcesses(pid, (count) => count === 0, START_LIMIT_MS);
  // The service learns of the end a little later.
  await sleep(500);
}

async function measureCalls(service: Service, address: string, say: Say): Promise<FigureRow[]> {
  const { rest } = service;
  const pack = await createWorkflow(rest, 'npm.slack', slackConfig(address));
  const request = await createWorkflow(rest, 'http_request', { method: 'GET', url: `https://${address}/x` });
  const first: number[] = [];
  for (let i = 0; i < FIRST_CALLS; i++) {
    first.push(await execute(rest, pack));
    if (i < FIRST_CALLS - 1) await endPacks(service);
  }
  const [calls, requests]: [number[], number[]] = [[], []];
  for (let i = 0; i < CALLS; i++) {
    calls.push(await execute(rest, pack));
    requests.push(await execute(rest, request));
  }
  const choices: number[] = [];
  for (let i = 0; i < CALLS / 4; i++) {
    const began = performance.now();
    await rest('POST', '/packs/demo/choices', {
      operation: 'choose',
      field: 'project',
      authentication: { type: 'token', token: 'x' },
      values: { address },
      refresh: true,
    });
    choices.push(performance.now() - began);
  }
  const above = middle(calls) - middle(requests);
  say(
    `packs: the first call takes ${middle(first).toFixed(0)} ms, longest ${Math.max(...first).toFixed(0)}; a warm one ` +
      `${middle(calls).toFixed(1)} ms, the same http_request ${middle(requests).toFixed(1)} ms (p50 of ${CALLS}); ` +
      `choices ${middle(choices).toFixed(1)} ms, longest ${Math.max(...choices).toFixed(0)}`,
  );
  return [
    {
      what: 'packs: first call, longest',
      value: Math.max(...first),
      unit: 'ms',
      limit: LIMITS.packFirstCall,
    },
    { what: 'packs: warm call above http_request', value: above, unit: 'ms', limit: LIMITS.packCall },
    { what: 'packs: choices, longest', value: Math.max(...choices), unit: 'ms', limit: LIMITS.packChoices },
  ];
}

/** Memory of idle processes, and the time until they end. */
async function measureIdle(service: Service, address: string, say: Say): Promise<FigureRow[]> {
  const { rest, child } = service;
  await endPacks(service);
  const refused = { operation: 'custom_api_call', authentication: { type: 'token', token: 'x' } };
  const configs: Record<string, object> = {
    slack: slackConfig(address),
    notion: { ...refused, method: 'GET', url: { url: `https://${address}/x` }, headers: {}, queryParams: {} },
    demo: { operation: 'get_item', address, id: '1', authentication: { type: 'token', token: 'x' } },
    hostile: { operation: 'environment' },
  };
  let called = 0;
  for (const name of IDLE_PACKS) {
    await execute(rest, await createWorkflow(rest, `npm.${name}`, configs[name] ?? {}));
    called = performance.now();
  }
  await sleep(2_000);
  const sizes = listPackProcesses(child.pid).map(readProportionalSize);
  if (sizes.length !== IDLE_PACKS.length) throw new Error(`${sizes.length} processes of packs run`);
  await waitForProcesses(child.pid, (count) => count === 0, IDLE_LIMIT_MS);
  const ended = performance.now() - called;
  const shown = sizes.map((size) => size.toFixed(1)).join(', ');
  say(
    `packs: idle processes use ${shown} MiB (PSS), and the last one ended after ${(ended / 1_000).toFixed(1)} s`,
  );
  return [
    {
      what: 'packs: memory of an idle process',
      value: Math.max(...sizes),
      unit: 'MiB',
      limit: LIMITS.packIdle,
    },
    { what: 'packs: end of an idle process', value: ended, unit: 'ms', limit: LIMITS.packIdleMs },
  ];
}

/** Starts endless calls of two users, because no user may occupy all processes. */
async function startEndless(service: Service, others: Rest): Promise<() => Promise<number>> {
  const config = { operation: 'endless_loop', timeout: '10m' };
  const started: { rest: Rest; id: string }[] = [];
  for (const rest of [service.rest, others]) {
    const workflow = await createWorkflow(rest, 'npm.hostile', config);
    for (let i = 0; i < ENDLESS_CALLS / 2; i++) {
      const { id } = await rest<Execution>('POST', `/workflows/${workflow}/execute`, {});
      started.push({ rest, id });
    }
  }
  const { pid } = service.child;
  await waitForProcesses(pid, (count) => count === PROCESSES, START_LIMIT_MS);
  await sleep(1_000);
  return async () => {
    const stopped = started.map(({ rest, id }) => rest('POST', `/executions/${id}/stop`));
    await Promise.all(stopped);
    return waitForProcesses(pid, (count) => count === 0, START_LIMIT_MS);
  };
}

type Delays = { webhook: number; ready: number };

async function measureEndless(
  service: Service,
  others: Rest,
  options: Options,
  say: Say,
): Promise<FigureRow[]> {
  const w1 = listWorkloads('').find(({ name }) => name === 'W1') as Workload;
  const { url } = await activate(service, w1);
  const seconds = options.seconds ?? 3;
  const once = async (): Promise<Delays> => {
    const webhook = await load({ url, body: w1.body, connections: CONNECTIONS, seconds });
    const ready = await load({ url: `${service.base}/health/ready`, body: '', connections: 1, seconds });
    if (webhook.errors + ready.errors > 0) throw new Error('requests failed');
    return { webhook: webhook.p99, ready: ready.p99 };
  };
  await once();
  const [alone, beside]: [Delays[], Delays[]] = [[], []];
  const ends: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    alone.push(await once());
    const stop = await startEndless(service, others);
    beside.push(await once());
    ends.push(await stop());
  }
  const of = (list: readonly Delays[], what: keyof Delays) => middle(list.map((one) => one[what]));
  const rows = (['webhook', 'ready'] as const).map((what): FigureRow => {
    const [before, during] = [of(alone, what), of(beside, what)];
    say(
      `packs: ${what}, p99 ${before.toFixed(2)} ms alone, ${during.toFixed(2)} ms beside ${ENDLESS_CALLS} ` +
        `endless calls (${(during / before).toFixed(2)} times)`,
    );
    const value = during / before;
    return { what: `${what}: p99 beside endless packs`, value, unit: '×', limit: LIMITS.besidePacks };
  });
  say(`packs: a stop ended all processes within ${Math.max(...ends).toFixed(0)} ms`);
  return [
    ...rows,
    { what: 'packs: end by a stop, longest', value: Math.max(...ends), unit: 'ms', limit: LIMITS.packStop },
  ];
}

export async function measurePacks(options: Options, say: Say): Promise<FigureRow[]> {
  await requireWrk();
  const folder = mkdtempSync('/tmp/weft-bench-packs-');
  const { server, address } = await openUpstream();
  const authority = { NODE_EXTRA_CA_CERTS: writeLoopbackCertificate(folder) };
  const service = await startService(createDataDir(), [], authority);
  try {
    for (const fixture of ['demo', 'hostile'] as const) await install(service.rest, packFixture(fixture));
    for (const name of ['slack', 'notion'])
      await install(service.rest, readPublished(`@activepieces/piece-${name}`));
    const others = await createUser(service);
    return [
      ...(await measureCalls(service, address, say)),
      ...(await measureIdle(service, address, say)),
      ...(await measureEndless(service, others, options, say)),
    ];
  } finally {
    await service.remove();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
