import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { split } from './split.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(split, config, input);

describe('split', () => {
  it.each([
    [
      { field: 'l' },
      { a: 1, l: [1, null], z: 2 },
      [
        { a: 1, l: 1, z: 2 },
        { a: 1, l: null, z: 2 },
      ],
    ],
    [{ field: 'd.l', as: 'x.y' }, { d: { l: ['é'], o: 1 } }, [{ d: { o: 1 }, x: { y: 'é' } }]],
    [{ field: 'd.l', as: 'd' }, { d: { l: [5], o: 1 } }, [{ d: 5 }]],
    [{ field: 'l', mode: 'only' }, [{ l: [1, [2]] }, { l: null }, { l: [] }], [1, [2]]],
    [{ field: 'l', items: 'rows' }, { rows: [{ l: ['NaN'] }] }, [{ l: 'NaN' }]],
    [{ field: 'l' }, [], []],
  ])('%j of %j', async (config, input, output) => {
    const before = structuredClone(input);
    expect(await run(config as JsonObject, input as Json)).toEqual(output);
    expect(input).toEqual(before);
  });

  it.each([
    [{}, {}, 'field', /is required/],
    [{ field: 'l[0]' }, {}, 'field', /must be field names, not positions in a list/],
    [{ field: 'l', as: 'x', mode: 'only' }, {}, 'as', /must not be set with mode only/],
    [{ field: 'l' }, [{ l: [] }, {}], 'items[1].l', /must be a list, not nothing/],
    [{ field: 'l' }, { l: { 0: 1 } }, 'l', /must be a list, not an object/],
    [{ field: 'l' }, [[1]], 'items[0]', /must be an object, not a list/],
    [{ field: 'l', as: 'a.b' }, { a: 1, l: [1] }, 'l', /a holds a number/],
    [{ field: 'l' }, 7, '', /must be an object or a list of objects, not a number/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(split, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('stops what would multiply beyond all bounds', async () => {
    const input = { big: 'x'.repeat(100_000), l: Array.from({ length: 10_000 }, (_, i) => i) };
    expect(await runToError(split, { field: 'l' }, input)).toMatchObject({ type: 'limit' });
    expect(await run({ field: 'l', mode: 'only' }, input)).toHaveLength(10_000);
  });

  it('makes 100,000 items without holding the event loop', async () => {
    const input = { shop: 'x', lines: Array.from({ length: 100_000 }, (_, n) => ({ n })) };
    let result: Json | undefined;
    const held = await measureLongestBlock(async () => {
      result = await run({ field: 'lines', as: 'line' }, input);
    });
    expect((result as Json[]).at(-1)).toEqual({ shop: 'x', line: { n: 99_999 } });
    expect(held).toBeLessThan(100);
  });
});
