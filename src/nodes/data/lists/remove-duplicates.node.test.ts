import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { createEqualityKey } from '../equality-key.ts';
import { removeDuplicates } from './remove-duplicates.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(removeDuplicates, config, input);

describe('remove_duplicates', () => {
  it.each([
    [
      {},
      [1, '1', true, 'true', null, 'null', 0, -0, [], {}, '', 1],
      [1, '1', true, 'true', null, 'null', 0, [], {}, ''],
    ],
    [
      {},
      [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, { a: [{ b: 2 }, 1] }],
      [{ a: [1, { b: 2 }] }, { a: [{ b: 2 }, 1] }],
    ],
    [{}, ['NaN', 'nan', 'é', 'e\u0301'], ['NaN', 'nan', 'é', 'e\u0301']],
    [
      { by: ['a.b'] },
      [{ a: { b: null } }, {}, { a: 1 }, { a: { b: 0 } }],
      [{ a: { b: null } }, { a: { b: 0 } }],
    ],
    [
      { by: ['a', 'b'] },
      [
        { a: 'x', b: 'yz' },
        { a: 'xy', b: 'z' },
      ],
      [
        { a: 'x', b: 'yz' },
        { a: 'xy', b: 'z' },
      ],
    ],
    [
      { by: ['[0]'], keep: 'last' },
      [
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ],
      [
        ['b', 2],
        ['a', 3],
      ],
    ],
    [{ by: ['length'] }, ['ab', 'cd'], ['ab']],
  ])('%j of %j', async (config, input, output) => {
    expect(await run(config as JsonObject, input as Json)).toEqual(output);
  });

  it('distinguishes deep values without recursion', () => {
    const deep = (end: number): Json =>
      JSON.parse(`${'{"a":['.repeat(20_000)}${end}${']}'.repeat(20_000)}`) as Json;
    expect(createEqualityKey(deep(1))).toBe(createEqualityKey(deep(1)));
    expect(createEqualityKey(deep(1))).not.toBe(createEqualityKey(deep(2)));
    expect(createEqualityKey(JSON.parse('{"__proto__":1}') as Json)).not.toBe(createEqualityKey({}));
    expect(createEqualityKey(['s1:a'])).not.toBe(createEqualityKey([['a']]));
  });

  it.each([
    [{ by: [] }, [], 'by'],
    [{ by: ['a b'] }, [], 'by[0]'],
    [{ by: ['__proto__'] }, [], 'by[0]'],
    [{ keep: 'none' }, [], 'keep'],
    [{}, 'text', 'items'],
  ])('names the field of %j', async (config, input, field) => {
    const found = await runToError(removeDuplicates, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
  });

  it.each([{}, { by: ['user.mail'], keep: 'last' }])(
    'takes 100,000 items without holding the event loop: %j',
    async (config) => {
      const list = Array.from({ length: 100_000 }, (_, i) => ({
        user: { mail: `m${i % 50_000}@example.com`, tags: ['a', 'b'] },
      }));
      let result: Json | undefined;
      const held = await measureLongestBlock(async () => {
        result = await run(config as JsonObject, list);
      });
      expect(result).toHaveLength(50_000);
      expect(held).toBeLessThan(100);
    },
  );
});
