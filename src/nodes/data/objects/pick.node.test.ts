import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { pick } from './pick.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(pick, config, input);

describe('pick', () => {
  it.each([
    [{ fields: ['c', 'a'] }, { a: 1, b: 2, c: null }, { c: null, a: 1 }],
    [
      { fields: ['a.b', 'a.c'] },
      [{ a: { b: 1, c: 2, d: 3 } }, { a: 5 }, {}],
      [{ a: { b: 1, c: 2 } }, {}, {}],
    ],
    [
      { fields: ['a.b', 'a.c', 'x.y'], mode: 'remove' },
      { a: { b: 1, c: 2, d: 3 }, x: 1 },
      { a: { d: 3 }, x: 1 },
    ],
    [{ fields: ['["odd name"]'], mode: 'remove' }, { 'odd name': 1, ü: 2 }, { ü: 2 }],
    [{ fields: ['toString'] }, {}, {}],
  ])('%j of %j', async (config, input, output) => {
    const before = structuredClone(input);
    expect(await run(config as JsonObject, input as Json)).toEqual(output);
    expect(input).toEqual(before);
  });

  it.each([
    [{ fields: [] }, {}, 'fields', /at least one/],
    [{ fields: ['a', 'b[1]'] }, {}, 'fields[1]', /must be field names, not positions in a list/],
    [{ fields: ['constructor'] }, {}, 'fields[0]', /path/],
    [
      { fields: ['a.0'], mode: 'remove' },
      [{ a: [1] }],
      'items[0]',
      /a\.0 passes through a list; set items to work on its elements/,
    ],
    [{ fields: ['a'] }, [1], 'items[0]', /must be an object/],
    [{ fields: ['a'] }, null, '', /must be an object or a list of objects, not null/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(pick, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it.each(['keep', 'remove'])(
    'processes 100,000 objects without blocking the event loop: %s',
    async (mode) => {
      const list = Array.from({ length: 100_000 }, (_, i) => ({ id: i, a: { b: 1, c: 2 }, d: 3 }));
      let result: Json | undefined;
      const held = await measureLongestBlock(async () => {
        result = await run({ fields: ['id', 'a.b'], mode }, list);
      });
      expect((result as Json[])[1]).toEqual(mode === 'keep' ? { id: 1, a: { b: 1 } } : { a: { c: 2 }, d: 3 });
      expect(held).toBeLessThan(100);
    },
  );
});
