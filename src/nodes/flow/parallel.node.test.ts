import { describe, expect, it } from 'vitest';
import type { BodyControl, BodyResult, BodyStep } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { validateConfig } from '../validate-config.ts';
import { parallel } from './parallel.node.ts';
import { readThreadTime } from '../../../test/support/time/thread-time.ts';

const branches = ['a', 'b', 'c'].map((name) => ({ name, nodes: [`${name}1`, `${name}2`] }));
const control = (config: JsonObject, input: Json = 7): BodyControl =>
  parallel.control?.(config as never, input, { isConnected: () => false }) ?? expect.fail('no control');
const ok = (output: Json): BodyResult => ({ status: 'completed', output });
const bad = (message: string): BodyResult => ({ status: 'failed', error: { type: 'network', message } });

describe('parallel', () => {
  it('starts every branch on what arrived', () => {
    expect(control({ branches }).begin(0)).toEqual({
      start: ['a', 'b', 'c'].map((key) => ({ key, region: key, input: 7 })),
    });
    expect(parallel.regions?.({ branches } as never)).toMatchObject(branches);
  });

  it('ends with the results in the order of the branches, whichever ended first', () => {
    const body = control({ branches });
    body.begin(0);
    expect(body.settled('c', ok(3), 0)).toEqual({});
    expect(body.settled('a', ok(null), 0)).toEqual({});
    const end = body.settled('b', ok({ x: 2 }), 0);
    expect(end).toEqual({ outcome: { kind: 'done', outputs: { out: { a: null, b: { x: 2 }, c: 3 } } } });
    expect(JSON.stringify(end)).toContain('{"a":null,"b":{"x":2},"c":3}');
  });

  it('fails with the first branch that fails, and stops the rest', () => {
    const body = control({ branches });
    body.begin(0);
    body.settled('b', ok(2), 0);
    expect(body.settled('a', bad('no'), 0)).toEqual({
      stop: ['c'],
      outcome: { kind: 'failed', error: { type: 'network', message: 'no' } },
    });
    expect(body.settled('c', ok(3), 0)).toEqual({});
  });

  it('without waiting continues with the first that completes, and stops the rest', () => {
    const body = control({ branches, waitForAll: false });
    body.begin(0);
    expect(body.settled('a', bad('no'), 0)).toEqual({});
    expect(body.settled('b', ok(2), 0)).toEqual({
      stop: ['c'],
      outcome: { kind: 'done', outputs: { out: { b: 2 } } },
    });
  });

  it('without waiting fails only when all have failed, with the first error', () => {
    const body = control({ branches, waitForAll: false });
    body.begin(0);
    expect(body.settled('b', bad('first'), 0)).toEqual({});
    expect(body.settled('a', bad('second'), 0)).toEqual({});
    expect(body.settled('c', bad('third'), 0)).toEqual({
      outcome: { kind: 'failed', error: { type: 'network', message: 'first' } },
    });
  });

  it('decides the same in every replay, whatever the order', () => {
    const seed = Math.floor(performance.now() * 1000);
    let state = seed;
    const random = (n: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % n;
    for (let round = 0; round < 200; round++) {
      const config = { branches, waitForAll: random(2) === 0 };
      const calls = ['a', 'b', 'c', 'a', 'b']
        .sort(() => random(3) - 1)
        .map((key): [string, BodyResult] => [key, random(3) === 0 ? bad(key) : ok(key)]);
      const play = (): BodyStep[] => {
        const body = control(config);
        return [body.begin(0), ...calls.map(([key, result]) => body.settled(key, result, 0))];
      };
      const steps = play();
      expect(play(), `seed ${seed}`).toEqual(steps);
      expect(steps.filter((step) => step.outcome !== undefined).length, `seed ${seed}`).toBe(1);
    }
  });

  it('is linear in its branches', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `b${i}`, nodes: [`n${i}`] }));
    const start = readThreadTime();
    expect(validateConfig(parallel, { branches: many })).toEqual([]);
    const body = control({ branches: many });
    body.begin(0);
    let last: BodyStep = {};
    for (const { name } of many) last = body.settled(name, ok(1), 0);
    expect(last.outcome?.kind).toBe('done');
    expect(readThreadTime() - start).toBeLessThan(1000);
  });

  it.each([
    [{}, 'branches', /is required/],
    [{ branches: [] }, 'branches', /at least one/],
    [{ branches: [{ name: 'a', nodes: [] }] }, 'branches[0].nodes', /at least one/],
    [
      {
        branches: [
          { name: 'a', nodes: ['x'] },
          { name: 'a', nodes: ['y'] },
        ],
      },
      'branches[1].name',
      /a must not be used twice/,
    ],
    [
      {
        branches: [
          { name: 'a', nodes: ['x'] },
          { name: 'b', nodes: ['x'] },
        ],
      },
      'branches[1].nodes[0]',
      /listed twice/,
    ],
    [{ branches: [{ name: '__proto__', nodes: ['x'] }] }, 'branches[0].name', /is a reserved name/],
    [{ branches: '{{ input.branches }}' }, 'branches', /must be a list/],
    [{ branches: [{ name: 'a', nodes: ['x'], node: 'y' }] }, 'branches[0].node', /is not a known field/],
    [{ branches: [{ name: 'a', nodes: ['x'] }], waitForAll: 'no' }, 'waitForAll', /must be a boolean/],
  ])('refuses %j', (config, field, issue) => {
    const [first] = validateConfig(parallel, config as JsonObject);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });
});
