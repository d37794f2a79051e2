import { describe, expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { NO_CALLS, type CallAmounts } from '../../../contract/ai/usage.ts';
import type { BodyControl, BodyResult, BodyStep } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { agent } from './agent.node.ts';

const tool = (name: string, more: object = {}) => ({
  name,
  description: name,
  parameters: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  nodes: [`${name}_node`],
  ...more,
});
const config = (more: JsonObject = {}): JsonObject => ({
  prompt: 'Go',
  model: ['chat'],
  approval: ['ask'],
  tools: [
    tool('look'),
    tool('pay', { approval: { when: { field: 'n', operator: 'greater_than', value: 5 } } }),
  ],
  ...more,
});
const control = (of: JsonObject, isConnected = true): BodyControl =>
  agent.control?.(of as never, null, { isConnected: () => isConnected }) ?? expect.fail('no control');
const usage = { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, reasoning_tokens: 0 };
const says = (
  text: string,
  calls: readonly { name: string; arguments: Json }[] = [],
  cost: number | null = null,
): BodyResult => ({
  status: 'completed',
  output: {
    text,
    ...(calls.length === 0
      ? {}
      : { content: calls.map((call, i) => ({ type: 'tool_call', id: `c${i}`, ...call })) }),
    finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
    usage,
    cost,
    model: 'test',
  },
});
const startsOf = (step: BodyStep): string[] =>
  (step.start ?? []).map(({ key, region }) => `${key} ${region}`);

describe('the agent', () => {
  test('leaves through limit when the budget of the day of its workflow is used', () => {
    const refused: BodyResult = {
      status: 'failed',
      error: { type: 'limit', message: 'The budget is used.', data: { limit: 'cost_per_day' } },
    };
    const body = control(config());
    body.begin(0);
    body.settled('0', says('', [{ name: 'look', arguments: { n: 1 } }]), 0);
    body.settled('0.0', { status: 'completed', output: 1 }, 0);
    expect(body.settled('1', refused, 0)).toMatchObject({
      outcome: { kind: 'done', outputs: { limit: { limit: 'cost_per_day', turns: 1, tool_calls: 1 } } },
    });

    const unconnected = control(config(), false);
    unconnected.begin(0);
    expect(unconnected.settled('0', refused, 0)).toMatchObject({
      outcome: { kind: 'failed', error: { type: 'limit', message: 'The budget is used.' } },
    });
    const other = control(config());
    other.begin(0);
    expect(
      other.settled('0', { status: 'failed', error: { type: 'limit', message: 'Too large' } }, 0),
    ).toMatchObject({ outcome: { kind: 'failed' } });
  });

  test('counts the calls of models in tools, and fails if one has no price but cost is limited', () => {
    const used = { ...NO_CALLS, calls: 2, inputTokens: 30, outputTokens: 10, cost: 5_000_000 };
    const look = (of: JsonObject, calls: CallAmounts): BodyStep => {
      const body = control(config(of));
      body.begin(0);
      body.settled('0', says('', [{ name: 'look', arguments: { n: 1 } }], 0.01), 0);
      return body.settled('0.0', { status: 'completed', output: 1 }, 0, calls);
    };
    const reached = { usage: { input_tokens: 40, output_tokens: 15 }, cost: 0.015 };
    expect(look({ maxTokens: 55 }, used)).toMatchObject({
      outcome: { outputs: { limit: { limit: 'tokens', ...reached } } },
    });
    expect(look({ maxCost: 0.015 }, used)).toMatchObject({
      outcome: { outputs: { limit: { limit: 'cost', ...reached } } },
    });
    expect(startsOf(look({ maxTokens: 56, maxCost: 0.016 }, used))).toEqual(['1 model']);
    expect(look({ maxCost: 1 }, { ...used, unpriced: 1 })).toMatchObject({
      outcome: { error: { type: 'validation', message: expect.stringContaining('maxCost') as string } },
    });
    expect(startsOf(look({}, { ...used, unpriced: 1 }))).toEqual(['1 model']);
  });

  test('starts at most 16 calls at once, and the next turn after the last of them', () => {
    const body = control(config());
    body.begin(0);
    const calls = Array.from({ length: 20 }, (_, n) => ({ name: 'look', arguments: { n } }));
    const step = body.settled('0', says('', calls), 0);
    expect(startsOf(step)).toEqual(Array.from({ length: 16 }, (_, i) => `0.${i} tools.look`));
    for (let i = 0; i < 4; i++)
      expect(startsOf(body.settled(`0.${i}`, { status: 'completed', output: i }, 0))).toEqual([
        `0.${16 + i} tools.look`,
      ]);
    for (let i = 4; i < 19; i++)
      expect(startsOf(body.settled(`0.${i}`, { status: 'completed', output: i }, 0))).toEqual([]);
    const last = body.settled('0.19', { status: 'completed', output: 19 }, 0);
    expect(startsOf(last)).toEqual(['1 model']);
    const results = Array.from(
      { length: 20 },
      (_, i) => expect.objectContaining({ type: 'tool_result', id: `c${i}`, result: i }) as object,
    );
    expect(last.start?.[0]?.input).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: results }],
    });
  });

  test('asks about the calls for which the condition is true', () => {
    const loose = config({
      tools: [
        tool('pay', {
          parameters: {},
          approval: { when: { field: 'n', operator: 'greater_than', value: 5 } },
        }),
      ],
    });
    const body = control(loose);
    body.begin(0);
    const step = body.settled(
      '0',
      says('', [
        { name: 'pay', arguments: { n: 5 } },
        { name: 'pay', arguments: { n: 6 } },
        { name: 'pay', arguments: { n: 'x' } },
        { name: 'pay', arguments: {} },
      ]),
      0,
    );
    expect(startsOf(step).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      '0.0 tools.pay',
      '0.1.approval approval',
      '0.2 tools.pay',
      '0.3 tools.pay',
    ]);
  });

  test('replays any run to the same decisions, and never starts a turn beyond a limit', () => {
    const seed = chooseSeed('FUZZ_SEED');
    const random = createSeededRandom(seed).int;
    for (let round = 0; round < 200; round++) {
      const limits = [{ maxTurns: 1 + random(5) }, { maxTokens: 1 + random(60) }, { maxDuration: '10ms' }];
      const of = config(limits[random(limits.length)]);
      const log: [key: string, result: BodyResult, at: number][] = [];
      const play = createPlayer(of);
      let step = play.begin();
      let at = 0;
      const open: string[] = [];
      const steps = [step];
      for (let events = 0; step.outcome === undefined && events < 200; events++) {
        open.push(...(step.start ?? []).map(({ key }) => key));
        expect(open.filter((key) => /^\d+\.\d+$/.test(key)).length).toBeLessThanOrEqual(16);
        const [key] = open.splice(random(open.length), 1);
        if (key === undefined) expect.fail(`seed ${seed}: the agent neither ended nor started anything`);
        const result = respond(key, random);
        at += random(3);
        log.push([key, result, at]);
        step = play.settled(key, result, at);
        steps.push(step);
      }
      expect(step.outcome, `seed ${seed}`).toBeDefined();
      const again = createPlayer(of);
      expect([again.begin(), ...log.map((one) => again.settled(...one))], `seed ${seed}`).toEqual(steps);
      const turns = log.filter(([key]) => /^\d+$/.test(key));
      if ('maxTurns' in of) expect(turns.length).toBeLessThanOrEqual(of['maxTurns'] as number);
      if ('maxTokens' in of)
        expect((turns.length - 1) * 15, `seed ${seed}`).toBeLessThan(of['maxTokens'] as number);
    }
  });
});

function createPlayer(of: JsonObject) {
  const body = control(of);
  return {
    begin: () => structuredClone(body.begin(0)),
    settled: (...event: [string, BodyResult, number]) => structuredClone(body.settled(...event)),
  };
}

/** Some result for a frame of an agent. */
function respond(key: string, random: (below: number) => number): BodyResult {
  if (key.endsWith('approval'))
    return random(3) === 0
      ? { status: 'failed', error: { type: 'timeout', message: 'late' } }
      : {
          status: 'completed',
          output: {
            choice: random(2) === 0 ? 'approved' : 'rejected',
            values: { n: random(9) },
            comment: null,
          },
        };
  if (key.includes('.'))
    return random(4) === 0
      ? { status: 'failed', error: { type: 'network', message: 'away' } }
      : { status: 'completed', output: random(9) };
  const calls = Array.from({ length: random(22) }, () => ({
    name: ['look', 'pay', 'nothing'][random(3)]!,
    arguments: [{ n: random(9) }, {}, 'not JSON'][random(3)]!,
  }));
  return says('text', random(8) === 0 ? [] : calls);
}
