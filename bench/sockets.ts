// A thousand WebSocket clients and a thousand updates per second from real executions: first each client
// subscribed to its own workflow, then every client to all updates. The clients run in this process, on the
// same machine as the service. When they cannot read a million messages per second, the service merges
// updates.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { readMemory } from './children.ts';
import type { Options } from './options.ts';
import type { FigureRow } from './report.ts';
import { startService, type Service } from './service.ts';
import { connectLight, type LightClient } from './socket-client.ts';

const CLIENTS = 1_000;
const UPDATES_PER_SECOND = 1_000;
const SECONDS = 5;
/** Concurrent connection attempts: below the limit of unauthenticated connections for one address. */
const CONCURRENCY = 100;
/** ms: the time limit for the last updates, and the interval between checks. */
const SETTLE_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 50;
const TICK_MS = 10;

type Update = { timestamp: string };
type Clients = { readonly sockets: LightClient[]; readonly tally: Tally };
/** What all clients received, counted without parsing. Latency is sampled. */
type Tally = { delivered: number; ends: Map<string, number>; latencies: number[]; closed: number[] };
const SAMPLE_INTERVAL = 64;

const transform = (id: string, input: string) => ({
  id,
  type: 'data_transformer',
  position: { x: 0, y: 0 },
  config: { operations: [{ action: 'map', input, output: 'text', transform: 'Dear {{ value }}' }] },
});
const definition = {
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
    transform('one', 'name'),
    transform('two', 'text'),
    transform('three', 'text'),
  ],
  connections: [
    { from: 'start', to: 'one' },
    { from: 'one', to: 'two' },
    { from: 'two', to: 'three' },
  ],
};

const percentile = (list: number[], share: number): number =>
  list.sort((one, other) => one - other)[Math.floor(list.length * share)] ?? Number.NaN;

const EXECUTION = '"execution_id":"';
const ENDS = ['"status":"completed"', '"status":"failed"'];

function take(tally: Tally, bytes: Buffer): void {
  tally.delivered++;
  const text = bytes.toString('latin1');
  if (tally.delivered % SAMPLE_INTERVAL === 0) {
    const { data } = JSON.parse(text) as { data: Update };
    tally.latencies.push(Date.now() - Date.parse(data.timestamp));
  }
  if (!ENDS.some((end) => text.includes(end))) return;
  const from = text.indexOf(EXECUTION) + EXECUTION.length;
  const id = text.slice(from, text.indexOf('"', from));
  tally.ends.set(id, (tally.ends.get(id) ?? 0) + 1);
}

async function connectOne(
  service: Service,
  tally: Tally,
  workflow: string | undefined,
): Promise<LightClient> {
  let left = workflow === undefined ? 1 : 2;
  let ready = (): void => {};
  let fail = (_error: Error): void => {};
  const isReady = new Promise<void>((resolve, reject) => {
    ready = resolve;
    fail = reject;
  });
  const client = await connectLight(
    `${service.base}/ws`,
    (bytes) => {
      if (left === 0) take(tally, bytes);
      else if (bytes.includes('"error"')) fail(new Error(bytes.toString()));
      else if (--left === 0) ready();
    },
    (code) => {
      tally.closed.push(code);
      fail(new Error(`a client was closed with ${code}`));
    },
  );
  client.send({ type: 'auth', token: service.authorization().slice('Bearer '.length) });
  if (workflow !== undefined) client.send({ type: 'subscribe', data: { workflow_id: workflow } });
  await isReady;
  return client;
}

async function connect(service: Service, workflows: readonly (string | undefined)[]): Promise<Clients> {
  const tally: Tally = { delivered: 0, ends: new Map(), latencies: [], closed: [] };
  const sockets: LightClient[] = [];
  for (let from = 0; from < workflows.length; from += CONCURRENCY) {
    const some = workflows.slice(from, from + CONCURRENCY);
    sockets.push(...(await Promise.all(some.map((workflow) => connectOne(service, tally, workflow)))));
  }
  return { sockets, tally };
}

async function disconnect({ sockets }: Clients): Promise<void> {
  for (const socket of sockets) socket.end();
  await sleep(500);
}

/** Starts `perSecond` executions per second, in round robin over the workflows. Returns their ids. */
async function load(
  service: Service,
  workflows: readonly string[],
  perSecond: number,
  seconds: number,
): Promise<string[]> {
  const agent = new Agent({ connections: 50 });
  const { origin, pathname } = new URL(service.base);
  const headers = { authorization: service.authorization(), 'content-type': 'application/json' };
  const body = JSON.stringify({ input: { name: 'Ada' } });
  const asked: Promise<string>[] = [];
  const execute = async (workflow: string): Promise<string> => {
    const path = `${pathname}/workflows/${workflow}/execute`;
    const response = await agent.request({ origin, path, method: 'POST', headers, body });
    const made = (await response.body.json()) as { id: string };
    if (response.statusCode !== 201) throw new Error(`POST ${path}: ${response.statusCode}`);
    return made.id;
  };
  const began = performance.now();
  for (let due = 0; due < perSecond * seconds;) {
    due = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond);
    while (asked.length < due) asked.push(execute(workflows[asked.length % workflows.length] ?? ''));
    await sleep(TICK_MS);
  }
  const ids = await Promise.all(asked);
  await agent.close();
  return ids;
}

/** The number of updates of one execution when its client keeps up. */
async function measureUpdatesOfOne(service: Service, workflow: string): Promise<number> {
  const clients = await connect(service, [workflow]);
  const [id = ''] = await load(service, [workflow], 1, 1);
  for (let waited = 0; !clients.tally.ends.has(id) && waited < SETTLE_TIMEOUT_MS; waited += CHECK_INTERVAL_MS)
    await sleep(CHECK_INTERVAL_MS);
  await disconnect(clients);
  return clients.tally.delivered;
}

async function measure(
  what: string,
  service: Service,
  workflows: readonly string[],
  narrowed: boolean,
  each: number,
  seconds: number,
  say: (line: string) => void,
): Promise<FigureRow[]> {
  const before = readMemory(service.child.pid).now;
  const clients = await connect(service, narrowed ? workflows : workflows.map(() => undefined));
  const connected = readMemory(service.child.pid).now;
  const { tally } = clients;
  const ids = await load(service, workflows, UPDATES_PER_SECOND / each, seconds);
  const readers = narrowed ? 1 : CLIENTS - tally.closed.length;
  const lost = (): number =>
    ids.reduce((sum, id) => sum + Math.max(0, readers - (tally.ends.get(id) ?? 0)), 0);
  for (let waited = 0; lost() > 0 && waited < SETTLE_TIMEOUT_MS; waited += CHECK_INTERVAL_MS)
    await sleep(CHECK_INTERVAL_MS);
  const sent = ids.length * each;
  const due = sent * (narrowed ? 1 : CLIENTS);
  const after = readMemory(service.child.pid);
  const [p50, p99] = [percentile(tally.latencies, 0.5), percentile(tally.latencies, 0.99)];
  say(
    `sockets, ${what}: ${sent} updates sent to ${CLIENTS} clients, ${tally.delivered} of ${due} delivered, ` +
      `${due - tally.delivered} merged, ${lost()} last ones lost, ${tally.closed.length} clients closed; ` +
      `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ` +
      `memory ${before.toFixed(0)} MiB before, ${connected.toFixed(0)} connected, ${after.now.toFixed(0)} after, ${after.peak.toFixed(0)} at most`,
  );
  await disconnect(clients);
  const named = (figure: string): string => `sockets, ${what}: ${figure}`;
  return [
    { what: named('updates sent'), value: sent, unit: '' },
    { what: named('delivered'), value: tally.delivered, unit: '' },
    { what: named('merged'), value: due - tally.delivered, unit: '' },
    { what: named('last ones lost'), value: lost(), unit: '', limit: 1 },
    { what: named('clients closed'), value: tally.closed.length, unit: '', limit: 1 },
    { what: named('delivery p50'), value: p50, unit: 'ms' },
    { what: named('delivery p99'), value: p99, unit: 'ms' },
    { what: named('memory before'), value: before, unit: 'MiB' },
    { what: named('memory after'), value: after.now, unit: 'MiB' },
    { what: named('memory at most'), value: after.peak, unit: 'MiB' },
  ];
}

export async function measureSockets(options: Options, say: (line: string) => void): Promise<FigureRow[]> {
  const service = await startService();
  try {
    const workflows: string[] = [];
    for (let from = 0; from < CLIENTS; from += CONCURRENCY) {
      const some = Array.from({ length: CONCURRENCY }, (_, i) =>
        service.rest<{ id: string }>('POST', '/workflows', { name: `heard ${from + i}`, definition }),
      );
      workflows.push(...(await Promise.all(some)).map(({ id }) => id));
    }
    const each = await measureUpdatesOfOne(service, workflows[0] ?? '');
    const seconds = options.seconds ?? SECONDS;
    say(`sockets: ${CLIENTS} workflows, ${each} updates for each execution`);
    return [
      ...(await measure('one workflow each', service, workflows, true, each, seconds, say)),
      ...(await measure('everything to all', service, workflows, false, each, seconds, say)),
    ];
  } finally {
    await service.remove();
  }
}
