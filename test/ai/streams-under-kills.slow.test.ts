import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { applyTexts } from '../support/ai/streams.ts';
import { chooseSeed, createSeededRandom, readNumber, type SeededRandom } from '../support/seeded-random.ts';
import { readEvents, type StreamedEvent } from '../support/servers/event-stream.ts';
import {
  adminEmail,
  adminPassword,
  caller,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { freePort } from '../support/servers/free-port.ts';

/*
 * Clients that disconnect at random moments while models write and the service is killed.
 * STREAMS=1000 STREAM_KILLS=5 is the long version.
 */
const STREAMS = readNumber('STREAMS', 30);
const KILLS = readNumber('STREAM_KILLS', 3);
/** Of each client. The agent takes further turns until all of its clients have disconnected so often. */
const DISCONNECTS = 10;
const MAX_TURNS = 1_000;
const STREAMS_PER_EXECUTION = 5;
/** A user has at most 500 streams. */
const EXECUTIONS_PER_USER = 80;
const WORDS_PER_SECOND = 20;
/** Of the text of a turn. */
const WORDS = 60;
const KILL_INTERVAL_MS = 1_500;
/** The shortest pause of a client whose connection failed. A thousand clients must not prevent the start. */
const RECONNECT_MS = 25 + STREAMS;

const random = createSeededRandom(chooseSeed('CRASH_SEED'));
const folder = createTempFolder();
let models: ModelServer;
/** Clients reconnect to it after a restart. */
const port = await freePort();
let weft: SpawnedService;
/** By number. */
let users: User[] = [];
/** The number of clients that have not disconnected often enough, by the message of the execution. */
const disconnecting = new Map<string, number>();

type User = { readonly api: Call; readonly token: string };

const textOf = (run: string): string => Array.from({ length: WORDS }, (_, i) => `${run}-${i}`).join(' ');
const nameRun = (execution: number): string => `run${execution}`;

beforeAll(async () => {
  models = await startModelServer(
    ({ messages }, turn) => {
      const run = messages[0]!.content!;
      return turn === 0 || disconnecting.get(run)! > 0
        ? { text: `Looking: ${textOf(run)}`, calls: [{ name: 'look', arguments: { n: 1 } }] }
        : { text: textOf(run) };
    },
    {
      tool: () => ({ body: { found: true } }),
      pace: () => sleep(1_000 / WORDS_PER_SECOND, true),
    },
  );
  await start();
});
afterAll(async () => {
  await weft.stop();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  weft = await spawnService({
    dataDir: folder.path,
    env: {
      PORT: String(port),
      WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
      WEFT_RATE_LIMIT_STANDARD: 'unlimited',
    },
  });
  for (const [i] of users.entries()) users[i] = await login(i);
}

const emailOf = (user: number): string => (user === 0 ? adminEmail : `user${user}@example.com`);

async function login(user: number): Promise<User> {
  // The connection can fail while all clients connect again.
  const response = await waitUntil(
    () =>
      weft
        .call('POST', '/auth/login', { body: { email: emailOf(user), password: adminPassword } })
        .catch(() => null),
    (given) => given !== null,
  );
  const { token } = response!.body as { token: string };
  return { token, api: caller(weft.url, { authorization: `Bearer ${token}` }) };
}

async function createUsers(count: number): Promise<void> {
  const admin = await weft.login();
  for (let i = 1; i < count; i++) {
    const body = { email: emailOf(i), name: `User ${i}`, password: adminPassword };
    expect((await admin('POST', '/users', { body })).status).toBe(201);
  }
  users = await Promise.all(Array.from({ length: count }, (_, i) => login(i)));
}

const getUser = (execution: number): User => users[Math.floor(execution / EXECUTIONS_PER_USER)]!;

/** Follows to the end with disconnections. Returns the received events and the disconnections. */
async function follow(
  id: string,
  execution: number,
  own: SeededRandom,
): Promise<{ events: StreamedEvent[]; cuts: number }> {
  const events: StreamedEvent[] = [];
  let cuts = 0;
  while (events.at(-1)?.event !== 'done') {
    const wanted = cuts < DISCONNECTS ? 1 + own.int(20) : Infinity;
    let current: readonly StreamedEvent[] = [];
    const last = events.at(-1)?.id;
    try {
      await readEvents(`${weft.url}/executions/${id}/stream`, {
        headers: {
          authorization: `Bearer ${getUser(execution).token}`,
          ...(typeof last === 'string' ? { 'last-event-id': last } : {}),
        },
        enough(received) {
          current = received;
          return received.length >= wanted;
        },
      });
      cuts++;
      const run = nameRun(execution);
      if (cuts === DISCONNECTS) disconnecting.set(run, disconnecting.get(run)! - 1);
    } catch (error) {
      // The service was killed, or this process was too slow to send the request. Other errors repeat
      // themselves until the time limit of the test.
      const isLate = error instanceof Error && error.message.includes('did not arrive in time');
      if (!(error instanceof TypeError) && !isLate) throw error;
      await sleep(RECONNECT_MS + own.int(RECONNECT_MS));
    } finally {
      events.push(...current);
    }
  }
  return { events, cuts };
}

/** Events of a turn that is running. After a kill, the turn begins again and so do these. */
const IN_FLIGHT = new Set(['text', 'reset', 'reasoning', 'tool_arguments']);
const isInFlight = ({ event }: StreamedEvent): boolean => event !== null && IN_FLIGHT.has(event);
const identify = ({ id, event }: StreamedEvent): string => `${id?.split('~', 1)[0]} ${event}`;

test(
  'each client gets each event once and the exact texts',
  { timeout: 600_000 + STREAMS * 2_000 },
  async () => {
    const definition = createAgentWorkflow(models, {
      tools: [{ name: 'look', parameters: { type: 'object' } }],
      agent: { maxTurns: MAX_TURNS },
      llm: { stream: true, timeout: '5m' },
    });
    const count = Math.ceil(STREAMS / STREAMS_PER_EXECUTION);
    await createUsers(Math.ceil(count / EXECUTIONS_PER_USER));
    const workflows: string[] = [];
    for (const { api } of users) {
      const created = await api('POST', '/workflows', { body: { name: 'streams', definition } });
      workflows.push((created.body as { id: string }).id);
    }
    const executions: string[] = [];
    for (let i = 0; i < count; i++) {
      disconnecting.set(nameRun(i), Math.min(STREAMS_PER_EXECUTION, STREAMS - i * STREAMS_PER_EXECUTION));
      const workflow = workflows[Math.floor(i / EXECUTIONS_PER_USER)];
      const started = await getUser(i).api('POST', `/workflows/${workflow}/execute`, {
        body: { input: { message: nameRun(i) } },
      });
      executions.push((started.body as { id: string }).id);
    }
    const clients = Array.from({ length: STREAMS }, (_, i) => ({
      i: Math.floor(i / STREAMS_PER_EXECUTION),
      seen: follow(
        executions[Math.floor(i / STREAMS_PER_EXECUTION)]!,
        Math.floor(i / STREAMS_PER_EXECUTION),
        createSeededRandom(random.int(2 ** 31)),
      ),
    }));
    let isOver = false;
    const all = Promise.all(clients.map(({ seen }) => seen)).finally(() => (isOver = true));
    let kills = 0;
    for (; kills < KILLS && !isOver; kills++) {
      await sleep(KILL_INTERVAL_MS);
      await weft.kill9();
      await start();
    }
    expect(kills).toBe(KILLS);
    const results = await all;
    let resets = 0;
    // The last connection of each client is read to the end of the stream.
    const cuts = results.map((one) => one.cuts - 1);
    for (const [n, { i }] of clients.entries()) {
      const { events } = results[n]!;
      resets += events.filter(({ event }) => event === 'reset').length;
      const text = textOf(nameRun(i));
      const texts = Object.entries(applyTexts(events));
      expect(texts).toEqual(
        texts.map((_, turn) => [
          `agent[${turn}]/chat`,
          turn === texts.length - 1 ? text : `Looking: ${text}`,
        ]),
      );
    }
    for (const [i, id] of executions.entries()) {
      const whole = await readEvents(`${weft.url}/executions/${id}/stream`, {
        headers: { authorization: `Bearer ${getUser(i).token}` },
      });
      const wanted = whole.filter((event) => !isInFlight(event)).map(identify);
      for (const [n, client] of clients.entries())
        if (client.i === i)
          expect(results[n]!.events.filter((event) => !isInFlight(event)).map(identify)).toEqual(wanted);
    }
    let completed = 0;
    for (const { api } of users) {
      const { body } = await waitUntil(
        () => api('GET', `/executions?status=completed&limit=1`),
        ({ status }) => status === 200,
      );
      completed += (body as { pagination: { total: number } }).pagination.total;
    }
    expect(completed).toBe(executions.length);
    const total = cuts.reduce((sum, one) => sum + one, 0);
    console.log(
      `${STREAMS} streams, ${total} disconnections by clients, at least ${Math.min(...cuts)} each, ` +
        `${kills} kills, ${resets} resets`,
    );
    expect(Math.min(...cuts)).toBeGreaterThanOrEqual(DISCONNECTS);
    // A kill interrupts calls whose text was begun. The same text again needs no reset.
    const turns = new Set(models.chats.map(({ messages }) => JSON.stringify(messages))).size;
    expect(models.chats.length).toBeGreaterThan(turns);
  },
);
