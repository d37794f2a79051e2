import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { set } from './set.node.ts';
import {
  runToError,
  measureLongestBlock,
  runToOutput,
  runNode,
} from '../../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json) => runToOutput(set, config, input);
const expectError = (config: JsonObject, input: Json) => runToError(set, config, input);

describe('set', () => {
  it('creates the objects of a path and leaves the input unchanged', async () => {
    const input = { a: { b: 1 }, list: [{ x: 1 }] };
    const before = structuredClone(input);
    expect(await run({ fields: { 'a.c.d': 2, 'list[0].y': 3, '["odd name"]': null } }, input)).toEqual({
      a: { b: 1, c: { d: 2 } },
      list: [{ x: 1, y: 3 }],
      'odd name': null,
    });
    expect(input).toEqual(before);
  });

  it('accepts templates in objects and lists, and keeps the type of a template alone', async () => {
    const fields = {
      place: { city: '{{ item.city }}', tags: ['x', '{{ index }}', { deep: '{{ item.n }}' }] },
    };
    expect(await run({ fields, mode: 'only' }, [{ city: 'Köln', n: null }])).toEqual([
      { place: { city: 'Köln', tags: ['x', 0, { deep: null }] } },
    ]);
  });

  it('must be a list by its path or by a template', async () => {
    const input = { data: { rows: [{ a: 1 }] } };
    for (const items of ['data.rows', '{{ input.data.rows }}'])
      expect(await run({ fields: { b: '{{ item.a + 1 }}' }, items }, input)).toEqual([{ a: 1, b: 2 }]);
    expect(await run({ fields: { b: 1 }, items: 'data.rows' }, { data: { rows: [] } })).toEqual([]);
  });

  it('never reads what a template brings as a template', async () => {
    expect(await run({ fields: { a: '{{ input.text }}' } }, { text: '{{ secrets.KEY }}' })).toEqual({
      text: '{{ secrets.KEY }}',
      a: '{{ secrets.KEY }}',
    });
  });

  it.each([
    [{ fields: {} }, {}, 'fields', /at least one field|at least 1/],
    [{ fields: { 'a..b': 1 } }, {}, 'fields["a..b"]', /name is expected/],
    [{ fields: { '__proto__.x': 1 } }, {}, 'fields["__proto__.x"]', /never resolves/],
    [{ fields: { 'a.constructor': 1 } }, {}, 'fields["a.constructor"]', /never resolves/],
    [{ fields: '{{ input }}' }, {}, 'fields', /must be an object/],
    [{ fields: { a: 1 }, mode: 'both' }, {}, 'mode', /one of keep, only/],
    [{ fields: { a: 1 }, items: 'n' }, { n: 5 }, 'items', /must be a list, not a number \(at n\)/],
    [{ fields: { a: 1 }, items: 'rows' }, {}, 'items', /the input has no value at rows/],
    [{ fields: { a: 1 } }, 'text', '', /must be an object or a list of objects, not a string/],
    [{ fields: { a: 1 } }, [{}, 5], 'items[1]', /must be an object, not a number/],
    [{ fields: { 'a.b': 1 }, items: 'rows' }, { rows: [{}, { a: 'x' }] }, 'rows[1].a.b', /a holds a string/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await expectError(config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('reports the element in which a template found nothing', async () => {
    expect(await expectError({ fields: { n: '{{ item.name }}' } }, [{ name: 'a' }, {}])).toMatchObject({
      type: 'template',
      field: 'fields.n',
      issue: expect.stringMatching(/item.name is missing.*at items\[1\]/),
    });
  });

  it('stops what would multiply beyond all bounds', async () => {
    const input = { big: 'x'.repeat(100_000), rows: Array.from({ length: 10_000 }, () => ({})) };
    expect(await expectError({ fields: { all: '{{ input }}' }, items: 'rows' }, input)).toMatchObject({
      type: 'limit',
      issue: expect.stringContaining('67108864'),
    });
  });

  it('processes 100,000 objects without blocking the event loop', async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ price: i, count: 2 }));
    let result: Json | undefined;
    const held = await measureLongestBlock(async () => {
      result = await run({ fields: { total: '{{ item.price * item.count }}', 'a.b': '{{ index }}' } }, list);
    });
    expect((result as Json[]).at(-1)).toEqual({ price: 99_999, count: 2, total: 199_998, a: { b: 99_999 } });
    expect(held).toBeLessThan(100);
  });

  it('ends with its attempt', async () => {
    const controller = new AbortController();
    const list = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    const outcome = runNode(set, { fields: { a: '{{ item.i + 1 }}' } }, list, { aborted: controller.signal });
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
  });
});
