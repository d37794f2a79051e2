import { expect, test } from 'vitest';
import type { Definition } from '../contract/definition.ts';
import { checkConfig } from '../nodes/config-check.ts';
import { createNodeTypes } from '../nodes/catalogue.ts';
import { builtinNodes } from '../nodes/registry.ts';
import { limits } from '../ports/limits.ts';
import { checkDefinition } from './definition-check.ts';
import { atOnce, inTurns, type Work } from './turn.ts';

/** A clock whose `now` goes on by `step` ms with each look, and which counts the turns that others got. */
function counting(step: number) {
  let now = 0;
  const clock = {
    turns: 0,
    now: () => (now += step),
    soon(run: () => void) {
      clock.turns++;
      setImmediate(run);
    },
  };
  return clock;
}

function* sum(count: number): Work<number> {
  let total = 0;
  for (let i = 1; i <= count; i++) {
    yield;
    total += i;
  }
  return total;
}

test('short work is done at once, long work in turns of the same length', async () => {
  const quick = counting(0);
  expect(await inTurns(quick, sum(50))).toBe(1_275);
  expect(quick.turns).toBe(0);
  // What has many steps goes on in a turn of its own, however quick they are.
  expect(await inTurns(quick, sum(1_000))).toBe(500_500);
  expect(quick.turns).toBe(1);
  const slow = counting(1);
  expect(await inTurns(slow, sum(1_000))).toBe(atOnce(sum(1_000)));
  // Each turn ends with the look at which its time is up, and the next one begins with another.
  expect(slow.turns).toBe(Math.floor(1_000 / limits.turn));
});

test('what work throws comes out of either', async () => {
  const failing = function* (): Work<never> {
    yield;
    throw new RangeError('no');
  };
  await expect(inTurns(counting(100), failing())).rejects.toThrow(RangeError);
  expect(() => atOnce(failing())).toThrow(RangeError);
});

test('a large definition is checked in turns, with the same result', async () => {
  const definition: Definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      ...Array.from({ length: 200 }, (_, i) => ({
        id: `n${i}`,
        type: i === 7 ? 'nothing' : 'limit',
        config: {},
      })),
    ],
    connections: Array.from({ length: 200 }, (_, i) => ({
      from: i === 0 ? 'start' : `n${i - 1}`,
      to: `n${i}`,
    })),
  };
  const types = createNodeTypes(builtinNodes);
  const clock = counting(limits.turn);
  const found = await inTurns(clock, checkDefinition(definition, types, checkConfig));
  expect(found).toEqual(atOnce(checkDefinition(definition, types, checkConfig)));
  expect(found.issues.some(({ node_id }) => node_id === 'n7')).toBe(true);
  // Every node twice, when it is built and when it is checked, and every connection.
  expect(clock.turns).toBeGreaterThan(590);
});
