import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { aggregate } from './aggregate.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(aggregate, config, input);
const one = async (field: JsonObject, input: Json) =>
  ((await run({ fields: { r: field } }, input)) as JsonObject)['r'];

describe('aggregate', () => {
  it.each([
    [{ operation: 'count' }, [1, null, {}], 3],
    [{ operation: 'count', field: 'a' }, [{ a: 0 }, { a: null }, {}, 5], 1],
    [{ operation: 'count_unique' }, [1, 1, '1', null, null, { a: 1 }, { a: 1 }], 4],
    [{ operation: 'count_unique', field: 'a' }, [{ a: 1 }, { a: 1 }, { a: null }, {}], 1],
    [{ operation: 'sum', field: 'a' }, Array.from({ length: 10 }, () => ({ a: 0.1 })), 1],
    [{ operation: 'sum', field: 'a' }, [{ a: 1e100 }, { a: 1 }, { a: -1e100 }], 1],
    [{ operation: 'sum', field: 'a' }, [{}, { a: null }], 0],
    [{ operation: 'average', field: 'a' }, [{ a: 1 }, { a: 2 }, {}], 1.5],
    [{ operation: 'average', field: 'a' }, [], null],
    [{ operation: 'min', field: 'a' }, [{ a: 3 }, { a: -1 }], -1],
    [{ operation: 'max', field: 'a' }, [{ a: '2026-01-02' }, { a: '2026-01-10' }], '2026-01-10'],
    [{ operation: 'max', field: 'a' }, [], null],
    [{ operation: 'first' }, [{ x: 1 }, { x: 2 }], { x: 1 }],
    [{ operation: 'last', field: 'a' }, [{ a: 1 }, { a: 2 }, { a: null }], 2],
    [{ operation: 'first', field: 'a' }, [], null],
    [{ operation: 'list', field: 'a' }, [{ a: 1 }, {}, { a: [2] }], [1, [2]]],
    [{ operation: 'list' }, [1, null, 1], [1, null, 1]],
    [{ operation: 'list', unique: true }, ['NaN', 'NaN', { a: 1 }, { a: 1 }], ['NaN', { a: 1 }]],
    [{ operation: 'join', field: 'a' }, [{ a: 'ü' }, { a: 1 }, { a: false }, {}], 'ü, 1, false'],
    [{ operation: 'join', field: 'a', separator: '\n' }, [{ a: 'x' }, { a: '' }], 'x\n'],
  ])('%j of %j', async (field, input, output) => {
    expect(await one(field as JsonObject, input as Json)).toEqual(output);
  });

  it('groups by several values, of any type, in the order of their first items', async () => {
    const list = [
      { a: { k: 1 }, b: 'x' },
      { a: { k: '1' }, b: 'x' },
      { b: 'x' },
      { a: { k: null }, b: 'x' },
      { a: { k: 1 }, b: 'x' },
      { a: { k: [1] } },
    ];
    expect(await run({ groupBy: ['a.k', 'b'], fields: { 'n.count': { operation: 'count' } } }, list)).toEqual(
      [
        { a: { k: 1 }, b: 'x', n: { count: 2 } },
        { a: { k: '1' }, b: 'x', n: { count: 1 } },
        { a: { k: null }, b: 'x', n: { count: 2 } },
        { a: { k: [1] }, b: null, n: { count: 1 } },
      ],
    );
    expect(await run({ groupBy: ['a'], fields: { n: { operation: 'count' } } }, [])).toEqual([]);
    expect(await run({ fields: { n: { operation: 'count' } } }, [])).toEqual({ n: 0 });
  });

  const sum = { operation: 'sum', field: 'a' };
  it.each([
    [{ fields: {} }, [], 'fields', /./],
    [
      { fields: { x: { operation: 'median', field: 'a' } } },
      [],
      'fields.x.operation',
      /must be one of count, /,
    ],
    [{ fields: { x: { operation: 'sum' } } }, [], 'fields.x.field', /is required/],
    [
      { fields: { x: { ...sum, separator: ',' } } },
      [],
      'fields.x.separator',
      /is not a known field; known are operation, field/,
    ],
    [{ fields: { 'a[0]': sum } }, [], 'fields["a[0]"]', /must be field names, not positions in a list/],
    [{ fields: { '__proto__.x': sum } }, [], 'fields["__proto__.x"]', /never resolves/],
    [{ groupBy: ['x'], fields: { x: sum } }, [], 'fields.x', /must not be the same as a groupBy field/],
    [{ groupBy: ['x'], fields: { 'x.y': sum } }, [{ x: 1, a: 1 }], 'fields["x.y"]', /holds a number/],
    [{ fields: { x: sum } }, [{ a: 1 }, { a: '1' }], 'items[1].a', /must be a number, not a string/],
    [{ fields: { x: sum }, items: 'rows' }, { rows: [{ a: 'NaN' }] }, 'rows[0].a', /must be a number/],
    [
      { fields: { x: sum } },
      [{ a: 1e308 }, { a: 1e308 }],
      'items[1].a',
      /must not make the sum exceed about 1\.8e308/,
    ],
    [
      { fields: { x: { operation: 'min', field: 'a' } } },
      [{ a: 1 }, { a: 'x' }],
      'items[1].a',
      /must have the same type as the other values, number, not a string/,
    ],
    [{ fields: { x: { operation: 'join', field: 'a' } } }, [{ a: {} }], 'items[0].a', /an object/],
    [{ fields: { x: sum } }, { a: 1 }, 'items', /must be a list/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(aggregate, config as unknown as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('stops lists that would multiply beyond all bounds', async () => {
    const list = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(10_000) }));
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`l${i}`, { operation: 'list' }]));
    expect(await runToError(aggregate, { fields }, list)).toMatchObject({ type: 'limit' });
  });

  it('processes 100,000 items in 50,000 groups without blocking the event loop', async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ k: `k${i % 50_000}`, n: i }));
    const fields = { n: { operation: 'sum', field: 'n' }, all: { operation: 'list', field: 'n' } };
    let result: Json | undefined;
    const held = await measureLongestBlock(async () => {
      result = await run({ groupBy: ['k'], fields }, list);
    });
    expect((result as Json[]).at(-1)).toEqual({ k: 'k49999', n: 149_998, all: [49_999, 99_999] });
    expect(held).toBeLessThan(100);
  });
});
