import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { filter } from './filter.node.ts';
import {
  runToError,
  measureLongestBlock,
  runToOutput,
  runNode,
} from '../../../../test/support/run-data-node.ts';

const exists = { field: 'a', operator: 'exists' };

describe('filter', () => {
  it('outputs the other items only if that port is connected', async () => {
    expect(await runNode(filter, { condition: exists }, [{ a: 1 }, {}], { connected: false })).toEqual({
      kind: 'done',
      outputs: { kept: [{ a: 1 }] },
    });
    expect(await runNode(filter, { condition: exists }, [])).toEqual({
      kind: 'done',
      outputs: { kept: [], rest: [] },
    });
  });

  it('passes on the very items', async () => {
    const item = { a: { deep: [1] } };
    const kept = (await runToOutput(filter, { condition: exists }, [item], 'kept')) as Json[];
    expect(kept[0]).toBe(item);
  });

  it('looks at own fields only, and at scalars as value', async () => {
    const odd = JSON.parse('[{"__proto__":{"a":1}},"NaN",null,true,["x"]]') as Json;
    expect(await runToOutput(filter, { condition: exists }, odd, 'kept')).toEqual([]);
    const is = (value: Json) => ({ condition: { field: 'value', operator: 'equals', value } });
    expect(await runToOutput(filter, is('NaN'), odd, 'kept')).toEqual(['NaN']);
    expect(await runToOutput(filter, is(null), odd, 'kept')).toEqual([null]);
    const first = { condition: { field: '[0]', operator: 'equals', value: 'x' } };
    expect(await runToOutput(filter, first, odd, 'kept')).toEqual([['x']]);
  });

  it('compares with what templates bring', async () => {
    const config = {
      condition: { field: 'n', operator: 'greater_than', value: '{{ input.least }}' },
      items: 'rows',
    };
    const rows = [{ n: 1 }, { n: 5 }];
    expect(await runToOutput(filter, config, { least: 2, rows }, 'kept')).toEqual([{ n: 5 }]);
    expect(await runToError(filter, config, { least: null, rows })).toEqual({
      type: 'validation',
      field: 'condition.value',
      issue: 'must be a number or a string',
    });
  });

  it.each([
    [{}, 'condition', /exactly one of condition and when must be set/],
    [{ condition: exists, when: '{{ true }}' }, 'condition', /exactly one of condition and when must be set/],
    [{ condition: { field: 'a', operator: 'is' } }, 'condition.operator', /must be one of/],
    [{ condition: exists, items: 'rows' }, 'items', /the input has no value at rows/],
    [{ condition: exists }, 'items', /must be a list; the input is an object; set items to a list in it,/],
    [
      { when: '{{ item.a }}', items: 'orders' },
      'when',
      /must return true or false, not a string \(at orders\[0\]\)/,
    ],
    [{ when: '{{ item.b }}', items: 'orders' }, 'when', /item.b is missing.*orders\[0\]/],
  ])('names the field of %j', async (config, field, issue) => {
    const found = await runToError(filter, config as JsonObject, { orders: [{ a: 'yes' }] });
    expect(found.field).toBe(field);
    expect(found.issue).toMatch(issue);
  });

  it.each([
    {
      condition: {
        all: [
          { field: 'n', operator: 'less_than', value: 50_000 },
          { field: 'a.b', operator: 'exists' },
        ],
      },
    },
    { when: '{{ item.n < 50000 && has(item.a.b) }}' },
  ])('takes 100,000 items without holding the event loop: %j', async (config) => {
    const list = Array.from({ length: 100_000 }, (_, n) => ({ n, a: { b: 1 } }));
    let kept: Json | undefined;
    const held = await measureLongestBlock(async () => {
      kept = await runToOutput(filter, config, list, 'kept');
    });
    expect(kept).toHaveLength(50_000);
    expect(held).toBeLessThan(100);
  });
});
