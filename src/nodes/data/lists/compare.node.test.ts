import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { compare } from './compare.node.ts';
import { runToError, measureLongestBlock, runNode } from '../../../../test/support/run-data-node.ts';

async function run(config: JsonObject, input: Json): Promise<Record<string, Json>> {
  const outcome = await runNode(compare, config, input);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs;
}

const config = { before: 'a', after: 'b', by: ['id'] };

describe('compare', () => {
  it('distinguishes types in keys, and accepts lists from templates', async () => {
    const input = { a: [{ id: 1 }, { id: 'NaN' }], b: [{ id: '1' }, { id: 'NaN' }] };
    const outputs = { added: [{ id: '1' }], removed: [{ id: 1 }], changed: [], same: [{ id: 'NaN' }] };
    expect(await run(config, input)).toEqual(outputs);
    expect(await run({ ...config, before: '{{ input.a }}', after: '{{ input.b }}' }, input)).toEqual(outputs);
  });

  it('looks at several keys and at deep fields, in any order of names', async () => {
    const a = [{ k: { x: 1, y: 'é' }, v: { p: [1, { q: 2 }] }, w: null }];
    const b = [{ v: { p: [1, { q: 2 }] }, k: { y: 'é', x: 1 } }];
    const by = ['k.x', 'k.y'];
    expect((await run({ ...config, by }, { a, b }))['changed']).toHaveLength(1);
    expect((await run({ ...config, by, fields: ['v', 'w', 'nothing'] }, { a, b }))['same']).toHaveLength(1);
  });

  it.each([
    [{ before: 'a', after: 'b' }, {}, 'by', /is required/],
    [{ ...config, by: [] }, {}, 'by', /at least one/],
    [{ ...config, by: ['__proto__'] }, {}, 'by[0]', /path/],
    [config, { b: [] }, 'before', /the input has no value at a/],
    [config, { a: [], b: {} }, 'after', /must be a list, not an object \(at b\)/],
    [
      { ...config, after: '{{ input.b }}' },
      { a: [], b: [{}] },
      'after[0].id',
      /must be a string, number or boolean to be used as a key, not null/,
    ],
    [
      config,
      { a: [{ id: {} }], b: [] },
      'a[0].id',
      /must be a string, number or boolean to be used as a key, not an object/,
    ],
    [
      config,
      { a: [5], b: [] },
      'a[0].id',
      /must be a string, number or boolean to be used as a key, not null/,
    ],
    [config, { a: [], b: [{ id: 1 }, { id: 2 }, { id: 1 }] }, 'b[2]', /must not have the same id as b\[0\]/],
  ])('names the field of %j with %j', async (given, input, field, issue) => {
    const found = await runToError(compare, given as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('compares two lists of 100,000 items without blocking the event loop', async () => {
    const a = Array.from({ length: 100_000 }, (_, id) => ({ id, v: { n: id % 7 } }));
    const b = Array.from({ length: 100_000 }, (_, i) => ({ id: i + 10, v: { n: (i + 10) % 7 } }));
    let outputs: Record<string, Json> = {};
    const held = await measureLongestBlock(async () => {
      outputs = await run(config, { a, b });
    });
    expect(Object.values(outputs).map((list) => (list as Json[]).length)).toEqual([10, 10, 0, 99_990]);
    expect(held).toBeLessThan(100);
  });
});
