import { describe, expect, it } from 'vitest';
import type { NodeContext, NodeType, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { condition } from './condition.node.ts';
import { delay } from './delay.node.ts';
import { respond } from './respond.node.ts';
import { stop } from './stop.node.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function run(
  type: NodeType,
  config: JsonObject,
  input: Json,
  resumed: NodeContext['resumed'] = null,
): Outcome {
  return type.run({ now: () => now, resumed } as NodeContext, config as never, input) as Outcome;
}

describe('delay', () => {
  it('waits for a duration, then passes on the very value', () => {
    const input = { a: 1 };
    expect(run(delay, { duration: '5m' }, input)).toEqual({ kind: 'wait', until: now + 300_000 });
    const outcome = run(delay, { duration: '5m' }, input, { since: now - 300_000, due: now - 300_000 });
    expect(outcome.kind === 'done' && outcome.outputs['out']).toBe(input);
  });

  it.each([
    ['2026-01-01T00:00:01Z', now + 1000],
    ['2026-01-01T02:00:00.500+01:00', now + 3_600_500],
    ['2027-01-01T00:00Z', now + 365 * 86_400_000],
  ])('waits until %s', (until, time) => {
    expect(run(delay, { until }, 1)).toEqual({ kind: 'wait', until: time });
  });

  it('does not wait for a time that is past or now', () => {
    expect(run(delay, { until: '2025-12-31T23:59:59Z' }, 1)).toEqual({ kind: 'done', outputs: { out: 1 } });
    expect(run(delay, { until: '2026-01-01T00:00:00Z' }, 1).kind).toBe('done');
    expect(run(delay, { duration: '0ms' }, 1).kind).toBe('done');
  });

  it.each(['2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', 'tomorrow', '1767225600', '2026-01-01', ''])(
    'refuses %j',
    (until) => {
      expect(run(delay, { until }, 1)).toMatchObject({
        kind: 'failed',
        error: { type: 'validation', data: { field: 'until' } },
      });
    },
  );
});

describe('condition', () => {
  const config = {
    condition: { field: 'v', operator: 'equals', value: 1 },
    trueAction: 'a',
    falseAction: 'b',
  };

  it('passes on the very value', () => {
    for (const [input, port] of [
      [{ v: 1 }, 'true'],
      [{ v: 2 }, 'false'],
      [null, 'false'],
    ] as const) {
      const outcome = run(condition, config, input);
      expect(outcome.kind === 'done' && Object.keys(outcome.outputs)).toEqual([port]);
      expect(outcome.kind === 'done' && outcome.outputs[port]).toBe(input);
    }
  });

  it('names its connections', () => {
    expect(condition.edges?.(config)).toMatchObject([
      { port: 'true', to: 'a' },
      { port: 'false', to: 'b' },
    ]);
    expect(condition.edges?.({ condition: config.condition })).toMatchObject([]);
  });

  it('fails when a template gave a value that its operator does not take', () => {
    expect(run(condition, { condition: { field: 'v', operator: 'in', value: 'x' } }, {})).toMatchObject({
      kind: 'failed',
      error: { type: 'validation', data: { field: 'condition.value' } },
    });
  });
});

describe('respond', () => {
  it('responds with its input and 200, and passes on the same value', () => {
    const input = { a: 1 };
    const outcome = run(respond, {}, input);
    expect(outcome).toMatchObject({ respond: { status: 200, headers: {}, body: { a: 1 } } });
    expect(outcome.kind === 'done' && outcome.outputs['out']).toBe(input);
  });

  it('responds as configured; null is a valid body', () => {
    expect(run(respond, { status: 404, headers: { 'X-N': 5 }, body: null }, 1)).toMatchObject({
      respond: { status: 404, headers: { 'X-N': '5' }, body: null },
    });
  });

  it.each([
    [{ 'Set-Cookie': 'a\r\nX: y' }],
    [{ 'a\r\nb': 'c' }],
    [{ a: 'b\0' }],
    [{ a: '中' }],
    [{ 'Transfer-Encoding': 'chunked' }],
  ])('refuses the headers %j', (headers) => {
    expect(run(respond, { headers }, 1)).toMatchObject({ kind: 'failed', error: { type: 'validation' } });
  });
});

describe('stop', () => {
  it('ends the execution', () => {
    expect(run(stop, { outcome: 'completed' }, 5)).toEqual({
      kind: 'done',
      outputs: {},
      end: { status: 'completed', output: 5 },
    });
    expect(run(stop, { outcome: 'completed', output: null }, 5)).toMatchObject({ end: { output: null } });
    expect(run(stop, { outcome: 'failed', message: 'why' }, 5)).toEqual({
      kind: 'done',
      outputs: {},
      end: { status: 'failed', message: 'why' },
    });
  });
});
