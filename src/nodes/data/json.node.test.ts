import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { json, MAX_TEXT_LENGTH } from './json.node.ts';
import { runToError, measureLongestBlock, runToOutput } from '../../../test/support/run-data-node.ts';

const parse = (text: Json) => runToOutput(json, { operation: 'parse' }, text);

describe('json', () => {
  it.each(['1', '"ü\\u0000\\ud83d\\ude00"', '[[],{}]', ' null ', '"NaN"', '-0.5e-3', 'true'])(
    'reads %s',
    async (text) => {
      expect(await parse(text)).toEqual(JSON.parse(text));
    },
  );

  it('leaves out what would become a prototype, and keeps other odd names', async () => {
    const value = (await parse(
      '{"__proto__":{"x":1},"a":[{"\\u005f_proto__":2}],"constructor":3,"":4}',
    )) as JsonObject;
    expect(Object.keys(value)).toEqual(['a', 'constructor', '']);
    expect(JSON.stringify(value)).toBe('{"a":[{}],"constructor":3,"":4}');
  });

  it.each([
    ['', 'value', /must be valid JSON: unexpected end of the text/],
    ['{"a":', 'value', /must be valid JSON: unexpected end of the text/],
    ["{'a':1}", 'value', /must be valid JSON: error at line 1, column 2/],
    ['NaN', 'value', /must be valid JSON/],
    ['[1,\n2,]', 'value', /must be valid JSON: unexpected '\]'/],
    ['[1e999]', 'value', /must not have a number beyond about 1\.8e308 \(at \[0\]\)/],
    [5, 'value', /must be a string, not a number/],
    [{ a: '1' }, 'value', /must be a string, not an object/],
  ])('refuses %j', async (text, field, issue) => {
    const found = await runToError(json, { operation: 'parse' }, text);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it.each([
    [{}, 'operation'],
    [{ operation: 'read' }, 'operation'],
    [{ operation: 'parse', indent: 2 }, 'indent'],
    [{ operation: 'stringify', indent: 11 }, 'indent'],
    [{ operation: 'stringify', output: 'a b' }, 'output'],
    [{ operation: 'stringify', value: 1, output: 'a.b' }, 'output'],
  ])('names the field of %j', async (config, field) => {
    expect(await runToError(json, config as JsonObject, { a: 1 })).toMatchObject({
      type: 'validation',
      field,
    });
    if (field === 'output') expect(await runToError(json, config as JsonObject, [])).toMatchObject({ field });
  });

  it('writes with an indent, and puts the text where it is wanted', async () => {
    const config = { operation: 'stringify', value: '{{ input.a }}', indent: 2, output: 'text' };
    expect(await runToOutput(json, config, { a: [1] })).toEqual({ a: [1], text: '[\n  1\n]' });
  });

  it('bounds depth, length and indent', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(await parse(nested(200))).toHaveLength(1);
    expect(await runToError(json, { operation: 'parse' }, nested(100_000))).toMatchObject({ type: 'limit' });
    expect(await runToError(json, { operation: 'parse' }, ' '.repeat(MAX_TEXT_LENGTH + 1))).toMatchObject({
      type: 'limit',
      issue: expect.stringContaining('8388608'),
    });
    const deep = JSON.parse(nested(100_000)) as Json;
    expect(await runToError(json, { operation: 'stringify' }, deep)).toMatchObject({ type: 'limit' });
    const wide = JSON.parse(`${'['.repeat(60)}${'1,'.repeat(100_000)}1${']'.repeat(60)}`) as Json;
    expect(await runToOutput(json, { operation: 'stringify' }, wide)).toHaveLength(200_121);
    expect(await runToError(json, { operation: 'stringify', indent: 10 }, wide)).toMatchObject({
      type: 'limit',
    });
    const text = { '"],\\': ['a,"[{', [2]], b: {} };
    expect(await runToOutput(json, { operation: 'stringify', indent: 3 }, text)).toBe(
      JSON.stringify(text, null, 3),
    );
  });

  it('reads 20,000 objects without holding the event loop', async () => {
    const list = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] }));
    const text = JSON.stringify(list);
    let value: Json | undefined;
    const held = await measureLongestBlock(async () => {
      value = await parse(text);
    });
    expect(value).toEqual(list);
    expect(held).toBeLessThan(100);
  });
});
