// A thousand streams of executions: agents whose model writes 20 words per second and calls a tool after each
// turn. The clients run in this process and the model in another, on the same machine as the service.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, readMemory, startChild, waitForResponse } from './children.ts';
import { readCpuSeconds } from './cpu-time.ts';
import type { Options } from './options.ts';
import type { FigureRow } from './report.ts';
import { createDataDir, projectRoot, startService, type Service } from './service.ts';
import { LIMITS } from './targets.ts';

const STREAMS = 1_000;
/** A user has at most 500 streams. */
const USERS = 4;
const STREAMS_PER_EXECUTION = 5;
const WORDS_PER_SECOND = 20;
const WORDS_PER_TURN = 20;
const SECONDS = 10;
const PASSWORD = 'a-long-benchmark-password-1';
const CONNECT_CONCURRENCY = 100;
/** Time after which the memory of the service is read, ms. */
const SETTLE_MS = 5_000;
const LIMIT_MS = 120_000;
const TICK_MS = 50;

type Counts = {
  events: number;
  open: number;
  done: number;
  texts: number[];
  /** From the time of an event in the journal, which precedes its commit, to its arrival. */
  journaled: number[];
  /** The same for the first one of each stream. */
  first: number[];
};

const percentile = (list: number[], share: number): number =>
  list.sort((one, other) => one - other)[Math.floor(list.length * share)] ?? Number.NaN;

const createDefinition = (model: string) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'agent',
      type: 'agent',
      config: {
        prompt: 'x',
        model: ['chat'],
        maxTurns: 100,
        tools: [{ name: 'look', description: 'Looks.', nodes: ['look'] }],
      },
    },
    {
      id: 'chat',
      type: 'llm',
      config: { provider: 'openai_compatible', baseUrl: `${model}/v1`, model: 'm', stream: true },
    },
    { id: 'look', type: 'http_request', config: { url: `${model}/look` } },
  ],
  connections: [{ from: 'start', to: 'agent' }],
});

const WORD = /(\d{13})-/g;
const TIMESTAMP = /"timestamp":"([^"]+)"/;

/** Opens a stream and counts its events without parsing them. */
async function openStream(base: string, id: string, token: string, counts: Counts): Promise<Socket> {
  const { hostname, port, pathname } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let rest = '';
  let isFirst = true;
  const take = (event: string): void => {
    const type = /^event: (\w+)/m.exec(event)?.[1];
    if (type === undefined) return;
    counts.events++;
    const now = Date.now();
    if (type === 'text') {
      for (const [, sent] of event.matchAll(WORD)) counts.texts.push(now - Number(sent));
      return;
    }
    const latency = now - Date.parse(TIMESTAMP.exec(event)?.[1] ?? '');
    counts.journaled.push(latency);
    if (isFirst) counts.first.push(latency);
    isFirst = false;
    if (type === 'done') counts.done++;
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    if (rest === '' && chunk.startsWith('HTTP/1.1 ')) {
      if (!chunk.startsWith('HTTP/1.1 200')) throw new Error(chunk.slice(0, 400));
      counts.open++;
    }
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) take(event.replace(/^[0-9a-f]*\r\n/, ''));
  });
  socket.on('error', () => {});
  socket.write(
    `GET ${pathname}/executions/${id}/stream HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

type Account = { readonly token: string; readonly executions: string[] };

async function createAccount(
  service: Service,
  name: string,
  model: string,
  executions: number,
): Promise<Account> {
  const email = `${name}@localhost.test`;
  await service.rest('POST', '/users', { email, password: PASSWORD, name });
  const { token } = await service.rest<{ token: string }>('POST', '/auth/login', {
    email,
    password: PASSWORD,
  });
  const call = async (at: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${service.base}${at}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`POST ${at}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const { id } = await call('/workflows', { name, definition: createDefinition(model) });
  const ids: string[] = [];
  while (ids.length < executions) ids.push((await call(`/workflows/${id}/execute`, { input: {} })).id);
  return { token, executions: ids };
}

async function waitFor(isReached: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !isReached(); waited += TICK_MS) {
    if (waited > LIMIT_MS) throw new Error(`${what} not within ${LIMIT_MS} ms`);
    await sleep(TICK_MS);
  }
}

export async function measureStreams(options: Options, say: (line: string) => void): Promise<FigureRow[]> {
  const ports = await Promise.all(Array.from({ length: USERS }, freePort));
  const models = ports.map((port) => `http://127.0.0.1:${port}`);
  const [model = ''] = models;
  const seconds = options.seconds ?? SECONDS;
  const child = startChild(process.execPath, [path.join(projectRoot, 'bench', 'model.mjs')], {
    PORTS: ports.join(','),
    TURNS: String(Math.ceil((seconds * WORDS_PER_SECOND) / WORDS_PER_TURN)),
    WORDS: String(WORDS_PER_TURN),
    WORDS_PER_SECOND: String(WORDS_PER_SECOND),
  });
  const profile = options.profile ? ['--cpu-prof', '--cpu-prof-dir=/tmp/weft-bench-profile'] : [];
  const service = await startService(createDataDir(), profile, { WEFT_RATE_LIMIT_STANDARD: 'unlimited' });
  try {
    await waitForResponse(child, model, LIMIT_MS, 200);
    const each = STREAMS / STREAMS_PER_EXECUTION / USERS;
    const accounts = await Promise.all(
      models.map((url, i) => createAccount(service, `reader${i}`, url, each)),
    );
    await sleep(SETTLE_MS);
    const before = readMemory(service.child.pid).now;
    const counts: Counts = { events: 0, open: 0, done: 0, texts: [], journaled: [], first: [] };
    const wanted = accounts.flatMap(({ token, executions }) =>
      executions.flatMap((id) => Array.from({ length: STREAMS_PER_EXECUTION }, () => ({ id, token }))),
    );
    const sockets: Socket[] = [];
    for (let from = 0; from < wanted.length; from += CONNECT_CONCURRENCY) {
      const some = wanted.slice(from, from + CONNECT_CONCURRENCY);
      sockets.push(
        ...(await Promise.all(some.map(({ id, token }) => openStream(service.base, id, token, counts)))),
      );
    }
    await waitFor(() => counts.open === STREAMS, 'all streams open');
    await sleep(SETTLE_MS);
    const connected = readMemory(service.child.pid).now;
    const began = performance.now();
    const cpuBefore = readCpuSeconds(service.child.pid);
    await fetch(`${model}/go`, { method: 'POST' });
    await waitFor(() => counts.done === STREAMS, 'all streams done');
    const cpu = readCpuSeconds(service.child.pid) - cpuBefore;
    const took = (performance.now() - began) / 1_000;
    const { now: after, peak } = readMemory(service.child.pid);
    for (const socket of sockets) socket.destroy();
    const kib = ((connected - before) * 1_024) / STREAMS;
    const [first50, first99] = [percentile(counts.first, 0.5), percentile(counts.first, 0.99)];
    const [all50, all99] = [percentile(counts.journaled, 0.5), percentile(counts.journaled, 0.99)];
    const [text50, text99] = [percentile(counts.texts, 0.5), percentile(counts.texts, 0.99)];
    say(
      `streams: ${STREAMS} of ${accounts.length * each} executions, ${counts.events} events in ${took.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU; ` +
        `first event p50 ${first50} ms, p99 ${first99} ms; all events of the journal p50 ${all50} ms, p99 ${all99} ms; ` +
        `words p50 ${text50} ms, p99 ${text99} ms; memory ${before.toFixed(0)} MiB before, ` +
        `${connected.toFixed(0)} connected (${kib.toFixed(0)} KiB a stream), ${after.toFixed(0)} after, ${peak.toFixed(0)} at most`,
    );
    return [
      { what: 'streams: first event p99', value: first99, unit: 'ms', limit: LIMITS.streamEvent },
      { what: 'streams: events of the journal p99', value: all99, unit: 'ms', limit: LIMITS.streamEvent },
      { what: 'streams: words from the model p99', value: text99, unit: 'ms' },
      { what: 'streams: seconds for all', value: took, unit: '' },
      { what: 'streams: CPU for 1,000 events', value: (cpu * 1e6) / counts.events, unit: 'ms' },
      {
        what: 'streams: memory of 1,000',
        value: connected - before,
        unit: 'MiB',
        limit: LIMITS.memoryOfStreams,
      },
      { what: 'streams: memory at most', value: peak, unit: 'MiB' },
    ];
  } finally {
    await service.remove();
    await child.stop();
  }
}
