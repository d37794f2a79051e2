import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { sort } from './sort.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const by = (...keys: JsonObject[]) => ({ by: keys });

describe('sort', () => {
  it.each([
    [{}, [3, 'b', 1, true, 'a', null, false], [1, 3, 'a', 'b', false, true, null]],
    [by({ direction: 'descending' }), [3, null, 1, 'a'], ['a', 3, 1, null]],
    [{}, ['é', 'z', 'Z', 'e', 'E'], ['e', 'E', 'é', 'z', 'Z']],
    [by({ compare: 'text' }), [10, 9, '8'], [10, '8', 9]],
    [by({ compare: 'natural' }), ['v10', 'v9', 'V1', 7], [7, 'V1', 'v9', 'v10']],
    [by({ compare: 'number' }), ['1e3', ' 20 ', -1, '-2.5', '.5'], ['-2.5', -1, '.5', ' 20 ', '1e3']],
    [{}, [], []],
  ])('%j of %j', async (config, input, output) => {
    expect(await runToOutput(sort, config as JsonObject, input as Json)).toEqual(output);
  });

  it('is stable, uses later keys for ties, and puts missing values last in both directions', async () => {
    const list = [
      { id: 1, a: 2 },
      { id: 2 },
      { id: 3, a: 1, b: 1 },
      { id: 4, a: 1, b: 2 },
      { id: 5, a: null },
      { id: 6, a: 2 },
    ];
    const ids = async (...keys: JsonObject[]) =>
      ((await runToOutput(sort, by(...keys), list)) as { id: number }[]).map(({ id }) => id);
    expect(await ids({ field: 'a' }, { field: 'b', direction: 'descending' })).toEqual([4, 3, 1, 6, 2, 5]);
    expect(await ids({ field: 'a', direction: 'descending' })).toEqual([1, 6, 3, 4, 2, 5]);
  });

  it('leaves the input list unchanged', async () => {
    const input = { rows: [3, 1, 2] };
    expect(await runToOutput(sort, { items: 'rows' }, input)).toEqual([1, 2, 3]);
    expect(input.rows).toEqual([3, 1, 2]);
  });

  it.each([
    [
      by({ field: 'a' }),
      [{ a: 1 }, { a: {} }],
      'items[1].a',
      'must be a string, number or boolean, not an object',
    ],
    [
      by({ compare: 'number' }),
      [1, 'NaN'],
      'items[1]',
      'must be a number, or a string with a number, not "NaN"',
    ],
    [by({ compare: 'number' }), ['Infinity'], 'items[0]', /"Infinity"/],
    [by({ compare: 'number' }), ['0x10'], 'items[0]', /"0x10"/],
    [by({ compare: 'number' }), [''], 'items[0]', /""/],
    [by({ compare: 'number' }), ['1e999'], 'items[0]', /"1e999"/],
    [by({ field: '__proto__' }), [], 'by[0].field', /path/],
    [by({ compare: 'size' }), [], 'by[0].compare', /one of/],
    [{ by: [] }, [], 'by', /at least one/],
    [{}, {}, 'items', /must be a list; the input is an object/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(sort, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('sorts 100,000 items by two keys without blocking the event loop', async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({
      group: `g${(i * 7919) % 100}`,
      n: (i * 104_729) % 99_991,
    }));
    let result: Json | undefined;
    const held = await measureLongestBlock(async () => {
      result = await runToOutput(sort, by({ field: 'group', compare: 'natural' }, { field: 'n' }), list);
    });
    const expected = list.toSorted(
      (a, b) => Number(a.group.slice(1)) - Number(b.group.slice(1)) || a.n - b.n,
    );
    expect(result).toEqual(expected);
    expect(held).toBeLessThan(100);
  });
});
