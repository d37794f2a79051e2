import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { rename } from './rename.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(rename, config, input);

describe('rename', () => {
  it.each([
    [{ fields: { a: 'b', b: 'a' } }, { a: 1, b: 2, c: 3 }, '{"b":1,"a":2,"c":3}'],
    [{ fields: { 'a.x': 'a.y', a: 'b' } }, { a: { x: 1, z: 2 } }, '{"b":{"y":1,"z":2}}'],
    [{ fields: { 'a.x': 'x', y: 'a.y' } }, { a: { x: 1 }, y: 2 }, '{"a":{"y":2},"x":1}'],
    [{ fields: { nothing: 'a', 'a.b.c': 'd' } }, { a: 1 }, '{"a":1}'],
    [{ fields: { '["odd name"]': 'ü' } }, { 'odd name': null }, '{"ü":null}'],
    [{ pattern: { match: '[A-Z]', replace: '_' } }, { aB: { cD: 1 }, e: 2 }, '{"a_":{"cD":1},"e":2}'],
    [
      { pattern: { match: '^x', replace: '', deep: true } },
      { xa: [{ xb: [[{ xc: 1 }]] }, 'xd'] },
      '{"a":[{"b":[[{"c":1}]]},"xd"]}',
    ],
    [{ fields: { a: 'xa' }, pattern: { match: '^x', replace: 'y' } }, { a: 1 }, '{"ya":1}'],
  ])('%j of %j', async (config, input, output) => {
    const before = structuredClone(input);
    expect(JSON.stringify(await run(config as JsonObject, input as Json))).toBe(output);
    expect(input).toEqual(before);
  });

  it('never makes a prototype of data', async () => {
    const odd = JSON.parse('{"__proto__":{"admin":true},"a":1}') as Json;
    const result = (await run({ fields: { a: 'b' } }, odd)) as JsonObject;
    expect(result['admin']).toBeUndefined();
    expect(result).toEqual({ b: 1 });
  });

  it.each([
    [{}, {}, 'fields', /at least one of fields and pattern must be set/],
    [{ fields: { a: 'b[0]' } }, {}, 'fields.a', /must be field names, not positions in a list/],
    [{ fields: { a: '__proto__' } }, {}, 'fields.a', /path/],
    [{ fields: { a: 'c', b: 'c' } }, {}, 'fields.b', /new name of two fields/],
    [{ pattern: { match: '(?=x)', replace: '' } }, {}, 'pattern.match', /look-around/],
    [
      { pattern: { match: '^.*$', replace: 'constructor' } },
      { a: 1 },
      'a',
      /must not be renamed to "constructor"/,
    ],
    [{ pattern: { match: '^.*$', replace: '' } }, [{ a: 1 }], 'items[0].a', /must not be renamed to ""/],
    [
      { pattern: { match: '\\d', replace: '', deep: true } },
      [{ x: { a1: 1, a2: 2 } }],
      'items[0].x.a',
      /already exists/,
    ],
    [{ fields: { a: 'b' } }, [{ a: 1 }, { b: 1, a: 2 }], 'items[1].b', /already exists/],
    [{ fields: { 'a.x': 'b' } }, { a: { x: 1 }, b: 0 }, 'b', /already exists/],
    [{ fields: { a: 'b.c' } }, { a: 1, b: 2 }, 'b.c', /holds a number/],
    [
      { fields: { 'a.0': 'b' } },
      { a: [1] },
      'a.0',
      /a\.0 passes through a list; set items to work on its elements/,
    ],
    [{ fields: { a: 'b' } }, ['x'], 'items[0]', /must be an object/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(rename, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('accepts patterns that backtrack endlessly in other engines', async () => {
    const config = { pattern: { match: '^(a+)+$', replace: 'x' } };
    const list = Array.from({ length: 1000 }, (_, i) => ({ [`${'a'.repeat(200)}${i}`]: i }));
    const held = await measureLongestBlock(() => run(config, list));
    expect(held).toBeLessThan(100);
    expect(await runToError(rename, config, { ['a'.repeat(3_000_000)]: 1 })).toMatchObject({
      issue: expect.stringContaining('too long for the regular expression'),
    });
  });

  it('processes 100,000 objects without blocking the event loop', async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ crm_id: i, crm_owner: { crm_name: 'x' } }));
    let result: Json | undefined;
    const held = await measureLongestBlock(async () => {
      result = await run(
        { fields: { crm_id: 'meta.id' }, pattern: { match: '^crm_', replace: '', deep: true } },
        list,
      );
    });
    expect((result as Json[]).at(-1)).toEqual({ owner: { name: 'x' }, meta: { id: 99_999 } });
    expect(held).toBeLessThan(100);
  });
});
