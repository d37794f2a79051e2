import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { parseEvents } from '../../src/engine/journal/journal.ts';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import {
  startModelServer,
  type ChatMessage,
  type CountedRequest,
  type ModelServer,
} from '../support/ai/model-server.ts';
import { findValue, parseExposition } from '../support/metrics-text.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * kill -9 at random moments while an agent of many turns, a for_each and a while of many iterations run. They
 * must end as undisturbed ones do, repeat no call whose end is in the journal, and continue from snapshots.
 * CRASH_KILLS=30 CRASH_TURNS=600 is the long version.
 */
const KILLS = readNumber('CRASH_KILLS', 6);
const TURNS = readNumber('CRASH_TURNS', 40);
const ITERATIONS = readNumber('CRASH_ITERATIONS', 20_000);
/** Iterations of which one sends a request. */
const CALL_INTERVAL = Math.ceil(ITERATIONS / 100);
/** Requests of undisturbed executions: of the model, of its tool, and of the loops. */
const CALLS = TURNS + TURNS - 1 + 2 * 100;
const CALLS_PER_KILL = CALLS / KILLS;
/** ms after which a request that was sent before a kill has arrived. */
const DELIVERY_MS = 500;
const GIVE_UP_MS = 300_000;
const NAMES = ['agent', 'each', 'loop'] as const;

const seed = chooseSeed('CRASH_SEED');
const random = createSeededRandom(seed).next;
const randomDelay = createSeededRandom(seed + 1).next;
const folders: ReturnType<typeof createTempFolder>[] = [];
const services: SpawnedService[] = [];
const servers: ModelServer[] = [];
afterAll(async () => {
  for (const service of services) await service.kill9();
  for (const server of servers) await server.close();
  for (const folder of folders) folder.remove();
});

const look = {
  name: 'look',
  parameters: { type: 'object', required: ['turn'], properties: { turn: { type: 'integer' } } },
};

/** The loops call `tools/each` and `tools/loop` in some of their iterations. */
function createDefinitions(models: ModelServer) {
  const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
  const createCall = (url: string, n: string) => ({
    id: 'call',
    type: 'http_request',
    config: { method: 'POST', url: models.toolUrl(url), body: { n } },
  });
  const check = (field: string, value: number) => ({
    id: 'check',
    type: 'condition',
    config: { condition: { field, operator: 'equals', value } },
  });
  const toCall = { from: 'check', sourcePort: 'true', to: 'call' };
  return {
    agent: createAgentWorkflow(models, { tools: [look], agent: { maxTurns: TURNS + 1 } }),
    each: {
      nodes: [
        start,
        {
          id: 'each',
          type: 'for_each',
          config: { items: '{{ input.items }}', nodes: ['check', 'call'] },
        },
        check('item', 1),
        createCall('each', '{{ index }}'),
      ],
      connections: [{ from: 'start', to: 'each' }, toCall],
    },
    loop: {
      nodes: [
        start,
        {
          id: 'loop',
          type: 'while',
          config: {
            condition: { field: 'n', operator: 'not_equals', value: ITERATIONS - 1 },
            maxIterations: ITERATIONS,
            nodes: ['count', 'check', 'call', 'end'],
          },
        },
        {
          id: 'count',
          type: 'set',
          config: { fields: { n: '{{ index }}', rest: `{{ index % ${CALL_INTERVAL} }}` }, mode: 'only' },
        },
        check('rest', 0),
        createCall('loop', '{{ index }}'),
        { id: 'end', type: 'set', config: { fields: { n: '{{ index }}' }, mode: 'only' } },
      ],
      connections: [
        { from: 'start', to: 'loop' },
        { from: 'count', to: 'check' },
        toCall,
        { from: 'check', sourcePort: 'false', to: 'end' },
        { from: 'call', to: 'end' },
      ],
    },
  };
}

async function startModels(delay: () => number): Promise<ModelServer> {
  const models = await startModelServer(
    (_request, turn) =>
      turn < TURNS - 1 ? { calls: [{ name: 'look', arguments: { turn } }] } : { text: 'Done.' },
    { tool: (_name, body) => ({ body: { seen: body } }), delay },
  );
  servers.push(models);
  return models;
}

async function start(dataDir: string): Promise<{ service: SpawnedService; call: Call }> {
  const service = await spawnService({ dataDir, env: { WEFT_METRICS: 'on' } });
  services.push(service);
  return { service, call: await service.login() };
}

async function begin(call: Call, models: ModelServer): Promise<Map<string, string>> {
  const definitions = createDefinitions(models);
  const items = Array.from({ length: ITERATIONS }, (_, i) => (i % CALL_INTERVAL === 0 ? 1 : 0));
  const inputs = { agent: { message: 'Look.' }, each: { items }, loop: { n: -1 } };
  const ids = new Map<string, string>();
  for (const name of NAMES) {
    const made = await call('POST', '/workflows', { body: { name, definition: definitions[name] } });
    expect(made.status, made.text).toBe(201);
    const started = await call('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
      body: { input: inputs[name] },
    });
    expect(started.status, started.text).toBe(201);
    ids.set(name, (started.body as { id: string }).id);
  }
  return ids;
}

/** The outputs of the executions, once they have completed. */
async function readOutputs(call: Call, ids: ReadonlyMap<string, string>): Promise<Map<string, unknown>> {
  const outputs = new Map<string, unknown>();
  for (const [name, id] of ids) {
    const ended = await waitUntil(
      async () => (await call('GET', `/executions?limit=10`)).body as { executions: Summary[] },
      ({ executions }) => isOver(executions.find((one) => one.id === id)),
      GIVE_UP_MS,
    );
    expect(ended.executions.find((one) => one.id === id)?.status, name).toBe('completed');
    const { output } = (await call('GET', `/executions/${id}`)).body as { output: unknown };
    outputs.set(name, output);
  }
  return outputs;
}

type Summary = { id: string; status: string };
const isOver = (one: Summary | undefined): boolean =>
  one !== undefined && ['completed', 'failed', 'stopped'].includes(one.status);

/** The JSON of a value without the times of HTTP responses, also in JSON within it. */
const toText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\\*"date\\*":\\*"[^"\\]*\\*",?/g, '');

/** The calls whose end is in the journal of a stopped service, by the labels of their requests. */
class EndedCalls {
  readonly labels = new Set<string>();
  events = 0;
  private readonly dataDir: string;
  private readonly read = new Map<number, number>();

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  update(): void {
    const db = new Database(path.join(this.dataDir, 'weft.db'), { readonly: true });
    try {
      for (const { execution } of db
        .prepare<[], { execution: number }>('SELECT DISTINCT execution FROM journal')
        .all()) {
        const rows = db
          .prepare<[number, number], { seq: number; events: string }>(
            'SELECT seq, events FROM journal WHERE execution = ? AND seq > ? ORDER BY seq',
          )
          .all(execution, this.read.get(execution) ?? -1);
        for (const { seq, events } of rows) {
          this.read.set(execution, seq);
          for (const event of parseEvents(events)) {
            this.events++;
            const label = event.e === 'end' ? readLabel(event.p) : null;
            if (label !== null) this.labels.add(label);
          }
        }
      }
    } finally {
      db.close();
    }
  }
}

/** The request of a node run: `model 3`, `look 3`, `each 200`, `loop 200`. */
function readLabel(runPath: string): string | null {
  const [, owner = '', turn = '', node = ''] =
    /^(\w+)\[(\d+)(?:\.\d+)?\]\/(chat|look|call)$/.exec(runPath) ?? [];
  if (owner === '') return null;
  return `${node === 'chat' ? 'model' : node === 'look' ? 'look' : owner} ${turn}`;
}

function labelOf({ kind, body }: CountedRequest, name: string): string {
  if (kind === 'tool') {
    const { turn, n } = body as { turn?: number; n?: number };
    return `${name} ${turn ?? n}`;
  }
  const { messages } = body as { messages: readonly ChatMessage[] };
  return `model ${messages.filter(({ role }) => role === 'assistant').length}`;
}

async function readLoads(service: SpawnedService): Promise<{ used: number; replayed: number }> {
  const response = await fetch(new URL('/metrics', service.url));
  const samples = parseExposition(await response.text());
  const read = (name: string): number => findValue(samples, name) ?? Number.NaN;
  return { used: read('weft_snapshots_used_total'), replayed: read('weft_replayed_events_total') };
}

test(
  `an agent of ${TURNS} turns and loops of ${ITERATIONS} iterations, ${KILLS} times kill -9`,
  { timeout: 2 * GIVE_UP_MS + KILLS * 15_000 },
  async () => {
    const folder = createTempFolder();
    const calm = createTempFolder();
    folders.push(folder, calm);

    const models = await startModels(() => randomDelay() * 20);
    const ended = new EndedCalls(folder.path);
    let { service, call } = await start(folder.path);
    const ids = await begin(call, models);
    const kills: { beganAt: number; endedAt: number; known: ReadonlySet<string> }[] = [];
    const loads: { used: number; replayed: number; events: number }[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const goal = Math.min(models.requests.length + random() * 1.5 * CALLS_PER_KILL, CALLS - 20);
      await waitUntil(
        () => Promise.resolve(models.requests.length),
        (count) => count >= goal,
        60_000,
      );
      await new Promise((resolve) => setTimeout(resolve, random() * 20));
      if (kill > 0) loads.push({ ...(await readLoads(service)), events: ended.events });
      const beganAt = performance.now();
      await service.kill9();
      const endedAt = performance.now();
      ended.update();
      kills.push({ beganAt, endedAt, known: new Set(ended.labels) });
      ({ service, call } = await start(folder.path));
    }
    const outputs = await readOutputs(call, ids);
    await service.stop();
    ended.update();

    const calmModels = await startModels(() => 0);
    const undisturbed = await start(calm.path);
    const expected = await readOutputs(undisturbed.call, await begin(undisturbed.call, calmModels));
    for (const name of NAMES)
      expect(toText(outputs.get(name)) === toText(expected.get(name)), name).toBe(true);
    const longest = ({ chats }: ModelServer): readonly ChatMessage[] =>
      chats.map(({ messages }) => messages).toSorted((a, b) => b.length - a.length)[0]!;
    expect(toText(longest(models)) === toText(longest(calmModels)), 'transcript').toBe(true);

    const requests = new Map<string, CountedRequest[]>();
    let tools = 0;
    for (const one of models.requests) {
      const name = one.kind === 'tool' ? models.toolCalls[tools++]!.name : '';
      const label = labelOf(one, name);
      const sent = requests.get(label) ?? [];
      sent.push(one);
      requests.set(label, sent);
      const { known } = kills.findLast(({ endedAt }) => endedAt + DELIVERY_MS < one.receivedAt) ?? {};
      expect(known?.has(label) ?? false, `${label} again after its end was in the journal`).toBe(false);
    }
    const repeated = [...requests.values()].filter(({ length }) => length > 1);
    for (const sent of repeated) {
      expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size, JSON.stringify(sent)).toBe(1);
      for (const [i, again] of sent.slice(1).entries())
        expect(
          kills.some(
            ({ beganAt, endedAt }) =>
              sent[i]!.receivedAt < endedAt + DELIVERY_MS && beganAt < again.receivedAt,
          ),
          JSON.stringify(sent),
        ).toBe(true);
    }

    const used = loads.reduce((sum, load) => sum + load.used, 0);
    const replayed = loads.reduce((sum, load) => sum + load.replayed, 0);
    const whole = loads.reduce((sum, load) => sum + load.events, 0);
    console.log(
      `long executions: seed ${seed}, ${KILLS} kills, ${models.requests.length} requests, ` +
        `${repeated.length} repeated, ${ended.events} events; snapshots used ${used} times, ` +
        `${replayed} events replayed instead of ${whole}`,
    );
    expect(requests.size).toBe(CALLS);
    // A run without interrupted calls would prove nothing.
    expect(repeated.length).toBeGreaterThan(0);
    expect(used).toBeGreaterThan(KILLS / 2);
    expect(replayed).toBeLessThan(whole / 2);
  },
);
