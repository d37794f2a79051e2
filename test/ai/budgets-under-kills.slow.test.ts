import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ChatRequest, type ModelServer } from '../support/ai/model-server.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * Agents that never finish, with a random budget of every kind, while the service is killed. The model counts
 * what each call used. BUDGET_RUNS=100 BUDGET_KILLS=30 is the long version.
 */
/** Of each kind of budget. */
const RUNS = readNumber('BUDGET_RUNS', 12);
const KILLS = readNumber('BUDGET_KILLS', 3);
/** ms of a call of the model. */
const CALL_MS = 60;
/** Millionths of a US dollar for a token. */
const PRICE = { input: 2, output: 10 } as const;

const seed = chooseSeed('CRASH_SEED');
const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let call: Call;

type Tokens = readonly [input: number, output: number];
type Kind = {
  /** The name of the reached limit. */
  readonly limit: string;
  /** A random budget. */
  readonly choose: (int: (below: number) => number) => number;
  /** What one call uses of it; null: it is a time, in ms. */
  readonly measure: ((tokens: Tokens) => number) | null;
  /** Where the budget is set. */
  readonly agent?: (budget: number) => object;
  readonly settings?: (budget: number) => object;
};

const countTokens = ([input, output]: Tokens): number => input + output;
/** Millionths of a US dollar. */
const computeCost = ([input, output]: Tokens): number => input * PRICE.input + output * PRICE.output;
const chooseTokens: Kind['choose'] = (int) => 1 + int(2_000);
const chooseCost: Kind['choose'] = (int) => 1 + int(10_000);

const kinds: readonly Kind[] = [
  {
    limit: 'turns',
    choose: (int) => 1 + int(8),
    measure: () => 1,
    agent: (maxTurns) => ({ maxTurns }),
  },
  {
    limit: 'tokens',
    choose: chooseTokens,
    measure: countTokens,
    agent: (maxTokens) => ({ maxTokens }),
  },
  {
    limit: 'cost',
    choose: chooseCost,
    measure: computeCost,
    agent: (cost) => ({ maxCost: cost / 1e6 }),
  },
  {
    limit: 'duration',
    choose: (int) => 1 + int(CALL_MS * 20),
    measure: null,
    agent: (duration) => ({ maxDuration: `${duration}ms` }),
  },
  {
    limit: 'tokens_per_day',
    choose: chooseTokens,
    measure: countTokens,
    settings: (budget) => ({ max_tokens_per_day: budget }),
  },
  {
    limit: 'cost_per_day',
    choose: chooseCost,
    measure: computeCost,
    settings: (cost) => ({ max_cost_per_day: cost / 1e6 }),
  },
];

const readRun = ({ messages }: ChatRequest): string => messages.find(({ role }) => role === 'user')!.content!;

/** The tokens of a call depend on the run and the turn alone. */
function readTokens(run: string, turn: number): Tokens {
  const { int } = createSeededRandom(seed + turn * 10_007 + Number(/\d+$/.exec(run)![0]) * 101);
  return [1 + int(200), 1 + int(100)];
}

beforeAll(async () => {
  const { int } = createSeededRandom(seed);
  models = await startModelServer(
    (request, turn) => ({
      calls: [0, 1].map((position) => ({ name: 'look', arguments: { turn, position } })),
      tokens: readTokens(readRun(request), turn),
    }),
    { delay: () => int(2 * CALL_MS) },
  );
  await start();
});
afterAll(async () => {
  await service.kill9();
  await models.close();
  folder.remove();
});

async function start(): Promise<void> {
  service = await spawnService({
    dataDir: folder.path,
    env: {
      WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
      WEFT_MODEL_PRICES: JSON.stringify({ 'openai_compatible/*': PRICE }),
    },
  });
  call = await service.login();
}

type Run = { readonly name: string; readonly id: string; readonly kind: Kind; readonly budget: number };

async function begin(name: string, kind: Kind, budget: number): Promise<Run> {
  const definition = createAgentWorkflow(models, {
    tools: [{ name: 'look', parameters: { type: 'object' } }],
    agent: { maxTurns: 10_000, ...kind.agent?.(budget) },
    limitTo: 'limit',
  });
  const settings = kind.settings?.(budget) ?? {};
  const created = await call('POST', '/workflows', { body: { name, definition, settings } });
  expect(created.status, created.text).toBe(201);
  const { id: workflow } = created.body as { id: string };
  const body = { input: { message: name } };
  const started = await call('POST', `/workflows/${workflow}/execute`, { body });
  expect(started.status, started.text).toBe(201);
  return { name, id: (started.body as { id: string }).id, kind, budget };
}

/** The turns that the model was asked for, with the time of the first request for each, ms. */
function readTurns(run: string): { turn: number; at: number }[] {
  const turns = new Map<number, number>();
  for (const { kind, body, receivedAt } of models.requests) {
    if (kind !== 'model' || readRun(body as ChatRequest) !== run) continue;
    const turn = (body as ChatRequest).messages.filter(({ role }) => role === 'assistant').length;
    if (!turns.has(turn)) turns.set(turn, receivedAt);
  }
  return [...turns].map(([turn, at]) => ({ turn, at })).toSorted((a, b) => a.turn - b.turn);
}

test(
  'a budget of any kind is exceeded by at most one call',
  { timeout: 120_000 + KILLS * 20_000 },
  async () => {
    const { int } = createSeededRandom(seed + 1);
    const runs: Run[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      while (runs.length < (RUNS * kinds.length * (kill + 1)) / KILLS) {
        const kind = kinds[runs.length % kinds.length]!;
        runs.push(await begin(`run-${runs.length}`, kind, kind.choose(int)));
      }
      await new Promise((resolve) => setTimeout(resolve, int(500)));
      await service.kill9();
      await start();
    }
    const calls = new Map<string, number>();
    for (const { name, id, kind, budget } of runs) {
      const ended = await waitUntil(
        async () =>
          (await call('GET', `/executions/${id}`)).body as {
            status: string;
            output: { limit: string };
            usage: { calls: number; input_tokens: number; output_tokens: number };
          },
        ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
        60_000,
      );
      const note = `${name}, a budget of ${budget} for ${kind.limit}`;
      expect(ended, note).toMatchObject({ status: 'completed', output: { limit: kind.limit } });
      const turns = readTurns(name);
      const tokens = turns.map(({ turn }) => readTokens(name, turn));
      calls.set(kind.limit, (calls.get(kind.limit) ?? 0) + turns.length);
      if (kind.measure === null) {
        // The call that was running when the time was over.
        const late = turns.filter(({ at }) => at > turns[0]!.at + budget);
        expect(late.length, note).toBeLessThanOrEqual(1);
      } else {
        const used = tokens.map(kind.measure).reduce((sum, one) => sum + one, 0);
        expect(used, note).toBeGreaterThanOrEqual(budget);
        expect(used - kind.measure(tokens.at(-1)!), note).toBeLessThan(budget);
      }
      expect(ended.usage, note).toMatchObject({
        calls: turns.length,
        input_tokens: tokens.reduce((sum, [input]) => sum + input, 0),
        output_tokens: tokens.reduce((sum, [, output]) => sum + output, 0),
      });
    }
    const repeated = models.requests.length - new Set(models.requests.map((one) => one.idempotencyKey)).size;
    console.log(
      `budgets: seed ${seed}, ${runs.length} runs, ${KILLS} kills, ${repeated} repeated calls, ` +
        `calls of the model by limit: ${JSON.stringify(Object.fromEntries(calls))}`,
    );
    expect(repeated).toBeGreaterThan(0);
  },
);
