import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import {
  startModelServer,
  type ChatMessage,
  type CountedRequest,
  type ModelServer,
  type Reply,
} from '../support/ai/model-server.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * kill -9 at random moments while agents work. The model and the tools are a process that survives, and count
 * each request by its content. CRASH_RUNS=500 CRASH_KILLS=1000 is the long version; CRASH_RUNS=1000
 * CRASH_KILLS=20 has more calls whose arguments do not fit.
 */
const RUNS = readNumber('CRASH_RUNS', 24);
const KILLS = readNumber('CRASH_KILLS', 12);
const TURNS = 6;
const TOOLS_PER_TURN = 2;
/** The share of tool calls whose arguments are empty or do not fit. */
const MISFIT_SHARE = 0.12;
/** ms after which a request that was sent before a kill has arrived. */
const DELIVERY_MS = 500;
const USAGE = [100, 20] as const;

const seed = chooseSeed('CRASH_SEED');
const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let call: Call;

const look = {
  name: 'look',
  parameters: {
    type: 'object',
    required: ['run', 'turn', 'position'],
    properties: { run: { type: 'string' }, turn: { type: 'integer' }, position: { type: 'integer' } },
  },
};

/**
 * Arguments that do not fit: the text that the model writes, the value that it is sent back, and a word of
 * the error.
 */
type Misfit = { readonly text: string; readonly value: unknown; readonly error: string };
const MISFITS: readonly Misfit[] = [
  { text: '', value: {}, error: 'run' },
  { text: '{}', value: {}, error: 'run' },
  { text: 'null', value: {}, error: 'run' },
  { text: '[]', value: [], error: 'object' },
  { text: '{"run": "', value: '{"run": "', error: 'JSON' },
  { text: '{"run":"x","turn":1}', value: { run: 'x', turn: 1 }, error: 'position' },
  { text: '{"run":"x","turn":"x","position":0}', value: { run: 'x', turn: 'x', position: 0 }, error: 'turn' },
];

/** The misfit of a call; null: its arguments fit. */
function findMisfit(run: string, turn: number, position: number): Misfit | null {
  const random = createSeededRandom(hash(`${run} ${turn} ${position}`));
  return random.next() < MISFIT_SHARE ? random.pick(MISFITS) : null;
}

/** The decisions of the model depend on the run and the turn alone. */
function script(run: string, turn: number): Reply {
  if (turn === TURNS - 1) return { text: `Done with ${run}.`, tokens: USAGE };
  return {
    tokens: USAGE,
    calls: Array.from({ length: TOOLS_PER_TURN }, (_, position) => ({
      name: 'look',
      arguments: findMisfit(run, turn, position)?.text ?? { run, turn, position },
    })),
  };
}

function hash(text: string): number {
  return createHash('sha256').update(`${seed} ${text}`).digest().readUInt32BE();
}

/** The run that a request belongs to: the user's message names it. */
const readRun = (messages: readonly ChatMessage[]): string =>
  /run-\d+/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')![0];

beforeAll(async () => {
  const random = createSeededRandom(seed + 1).next;
  models = await startModelServer(({ messages }, turn) => script(readRun(messages), turn), {
    tool: (_name, body) => ({ body: { seen: body } }),
    delay: () => random() * 120,
  });
});
afterAll(async () => {
  await service.kill9();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
}

/** A call by its run, its turn, and for a tool its position. */
function labelOf({ kind, body }: CountedRequest): string {
  if (kind === 'tool') {
    const { run, turn, position } = body as { run: string; turn: number; position: number };
    return `${run} ${turn} ${position}`;
  }
  const { messages } = body as { messages: readonly ChatMessage[] };
  return `${readRun(messages)} ${messages.filter(({ role }) => role === 'assistant').length}`;
}

/** The calls that the service shows as completed. */
async function readCompleted(run: string, id: string): Promise<string[]> {
  const { nodes } = (await call('GET', `/executions/${id}`)).body as {
    nodes: { path: string; status: string }[];
  };
  return nodes
    .filter(({ status }) => status === 'completed')
    .flatMap(({ path }) => {
      const [, turn, position] = /^agent\[(\d+)(?:\.(\d+))?\]/.exec(path) ?? [];
      if (turn === undefined) return [];
      return [position === undefined ? `${run} ${turn}` : `${run} ${turn} ${position}`];
    });
}

test(
  `${RUNS} agents, ${KILLS} times kill -9: every run ends, and no completed call is repeated`,
  { timeout: 180_000 + KILLS * 30_000 },
  async () => {
    const random = createSeededRandom(seed + 2).next;
    await start();
    const created = await call('POST', '/workflows', {
      body: { name: 'Agents', definition: createAgentWorkflow(models, { tools: [look] }) },
    });
    expect(created.status, created.text).toBe(201);
    const workflow = (created.body as { id: string }).id;
    const runs = new Map<string, string>();
    const begin = async (run: string): Promise<void> => {
      const started = await call('POST', `/workflows/${workflow}/execute`, {
        body: { input: { message: `This is ${run}.` } },
        headers: { 'idempotency-key': run },
      });
      expect(started.status, started.text).toBe(201);
      runs.set(run, (started.body as { id: string }).id);
      open.add(run);
    };

    const kills: { beganAt: number; endedAt: number }[] = [];
    let openAtKills = 0;
    let interrupting = 0;
    /** When the service showed a call as completed. */
    const completed = new Map<string, number>();
    const open = new Set<string>();
    for (let kill = 0; kill < KILLS; kill++) {
      // Spread over all kills, so that every kill interrupts some.
      while (runs.size < (RUNS * (kill + 1)) / KILLS) await begin(`run-${runs.size}`);
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      await Promise.all(
        [...open].map(async (run) => {
          const found = await readCompleted(run, runs.get(run)!);
          for (const label of found) if (!completed.has(label)) completed.set(label, performance.now());
          if (found.includes(`${run} ${TURNS - 1}`)) open.delete(run);
        }),
      );
      const previous = kills.at(-1)?.endedAt ?? 0;
      const openNow = models.requests.filter(
        ({ answeredAt, receivedAt }) => answeredAt === null && receivedAt > previous,
      ).length;
      openAtKills += openNow;
      if (openNow > 0) interrupting++;
      const beganAt = performance.now();
      await service.kill9();
      kills.push({ beganAt, endedAt: performance.now() });
      await start();
    }

    const outputs = new Map<string, Record<string, unknown>>();
    for (const [run, id] of runs) {
      const ended = await waitUntil(
        async () => (await call('GET', `/executions/${id}`)).body as { status: string; output: object },
        ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
        60_000,
      );
      expect(ended.status, `${run} ${JSON.stringify(ended)}`).toBe('completed');
      outputs.set(run, ended.output as Record<string, unknown>);
    }
    expect(runs.size).toBe(RUNS);

    const repeated = findRepeated(models.requests);
    const repetitions = repeated.reduce((sum, { again }) => sum + again.length, 0);
    const misfits = countMisfits([...runs.keys()]);
    console.log(
      `agents: seed ${seed}, ${RUNS} runs, ${KILLS} kills of which ${interrupting} interrupted calls, ` +
        `${models.requests.length} requests, ${openAtKills} open at kills, ` +
        `${repeated.length} repeated ${repetitions} times, ${completed.size} seen as completed before a kill, ${misfits} misfits`,
    );

    const late = models.requests.filter((one) => one.receivedAt > (completed.get(labelOf(one)) ?? Infinity));
    expect(late, 'calls that the service had shown as completed').toEqual([]);
    expect(completed.size).toBeGreaterThan(0);
    // A call is repeated only after a kill, and with the same key.
    for (const { first, again } of repeated) {
      const all = [first, ...again];
      expect([...new Set(all.map(({ idempotencyKey }) => idempotencyKey))], JSON.stringify(all)).toHaveLength(
        1,
      );
      for (const [i, one] of again.entries())
        expect(
          kills.some(
            ({ beganAt, endedAt }) => all[i]!.receivedAt < endedAt + DELIVERY_MS && beganAt < one.receivedAt,
          ),
          JSON.stringify(all),
        ).toBe(true);
    }
    // A kill repeats at most the calls of one turn of a run. A request that was sent before a kill can arrive
    // after it, so that different calls count.
    const perKill = new Map<string, Set<string>>();
    for (const one of repeated.flatMap(({ again }) => again)) {
      const kill = kills.findLastIndex(({ beganAt }) => beganAt < one.receivedAt);
      const place = `${kill} ${labelOf(one).split(' ', 1)[0]}`;
      perKill.set(place, (perKill.get(place) ?? new Set()).add(one.key));
    }
    for (const [place, keys] of perKill) expect(keys.size, place).toBeLessThanOrEqual(TOOLS_PER_TURN);
    // A run without interrupted calls would prove nothing.
    expect(repeated.length).toBeGreaterThan(0);

    for (const [run, output] of outputs) {
      const calls = (TURNS - 1) * TOOLS_PER_TURN;
      expect(output, run).toMatchObject({
        text: `Done with ${run}.`,
        turns: TURNS,
        tool_calls: calls,
        failed_tool_calls: countMisfits([run]),
        usage: { input_tokens: TURNS * USAGE[0], output_tokens: TURNS * USAGE[1] },
      });
      expect(readTranscript(run), run).toEqual(expectTranscript(run));
    }

    // Each call that a run completed counts once, however often it was sent.
    const { totals } = (await call('GET', `/model-usage?workflow_id=${workflow}`)).body as {
      totals: object;
    };
    expect(totals).toMatchObject({
      calls: RUNS * TURNS,
      input_tokens: RUNS * TURNS * USAGE[0],
      output_tokens: RUNS * TURNS * USAGE[1],
    });
  },
);

function findRepeated(requests: readonly CountedRequest[]) {
  const all = new Map<string, CountedRequest[]>();
  for (const one of requests) all.set(one.key, [...(all.get(one.key) ?? []), one]);
  return [...all.values()]
    .filter(({ length }) => length > 1)
    .map(([first, ...again]) => ({ first: first!, again }));
}

function countMisfits(runs: readonly string[]): number {
  const turns = Array.from({ length: TURNS - 1 }, (_, turn) => turn);
  const positions = Array.from({ length: TOOLS_PER_TURN }, (_, position) => position);
  return runs
    .flatMap((run) => turns.flatMap((turn) => positions.map((position) => findMisfit(run, turn, position))))
    .filter((one) => one !== null).length;
}

/** The longest conversation that the model received for a run: that of its last turn. */
function readTranscript(run: string): readonly unknown[] {
  const [longest] = models.chats
    .map(({ messages }) => messages)
    .filter((messages) => readRun(messages) === run)
    .toSorted((a, b) => b.length - a.length);
  return (longest ?? []).map(({ role, content, tool_calls: calls, tool_call_id: id }) => ({
    role,
    ...(calls === undefined
      ? { content: role === 'tool' ? (JSON.parse(content ?? '') as unknown) : content }
      : { calls: calls.map((one) => JSON.parse(one.function.arguments) as unknown) }),
    ...(id === undefined ? {} : { id }),
  }));
}

/** The conversation of a run that nothing disturbs. */
function expectTranscript(run: string): readonly unknown[] {
  const turns = Array.from({ length: TURNS - 1 }, (_, turn) => {
    const calls = Array.from({ length: TOOLS_PER_TURN }, (_one, position) => ({
      fitting: { run, turn, position },
      misfit: findMisfit(run, turn, position),
    }));
    return [
      { role: 'assistant', calls: calls.map(({ fitting, misfit }) => misfit?.value ?? fitting) },
      ...calls.map(({ fitting, misfit }, position) => ({
        role: 'tool',
        id: `call_${turn}_${position}`,
        content:
          misfit === null
            ? (expect.objectContaining({ body: { seen: fitting } }) as object)
            : { error: expect.stringContaining(misfit.error) as string },
      })),
    ];
  });
  return [{ role: 'user', content: `This is ${run}.` }, ...turns.flat()];
}
