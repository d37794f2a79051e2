import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { validateConfig } from '../../validate-config.ts';
import { dataValidator } from './data-validator.node.ts';
import { readThreadTime } from '../../../../test/support/time/thread-time.ts';

const address: JsonObject = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };

const run = (schema: JsonObject, input: Json, schemas: JsonObject = {}) =>
  dataValidator.run({} as never, { schema, schemas } as never, input) as Outcome;
const validateSchemaConfig = (schema: JsonObject, schemas: JsonObject = {}) =>
  validateConfig(dataValidator, { schema, schemas });

describe('data_validator, of schemas that refer to others', () => {
  it('finds other documents by their address and by their $id, and one in another', () => {
    const schema: JsonObject = {
      properties: {
        home: { $ref: 'https://example.com/address' },
        work: { $ref: 'https://example.com/v2/address#/$defs/strict' },
      },
    };
    const schemas: JsonObject = {
      'https://example.com/address': address,
      'https://example.com/other-name': {
        $id: 'https://example.com/v2/address',
        $defs: { strict: { $ref: '/address', unevaluatedProperties: false } },
      },
    };
    expect(validateSchemaConfig(schema, schemas)).toEqual([]);
    expect(run(schema, { home: { city: 'Paris', zip: 1 } }, schemas).kind).toBe('done');
    expect(run(schema, { home: {} }, schemas)).toMatchObject({
      error: { type: 'validation', data: { field: 'home.city', issue: 'is required' } },
    });
    expect(run(schema, { work: { city: 'Paris', zip: 1 } }, schemas)).toMatchObject({
      error: { data: { field: 'work.zip', issue: 'is not a known field' } },
    });
  });

  it.each([
    [
      { $ref: 'https://example.com/missing' },
      {},
      /has an unresolved reference "https:\/\/example.com\/missing".*"schemas"/,
    ],
    [
      { $ref: 'https://example.com/a#/$defs/b' },
      { 'https://example.com/a': {} },
      /no schema at this location/,
    ],
    [{ $ref: 'https://example.com/a#b' }, { 'https://example.com/a': {} }, /does not have this anchor/],
    [{ $ref: 'http://[' }, {}, /\$ref must be a URI/],
    [{}, { 'not an address': {} }, /schemas must be a URI, not "not an address"/],
    [{}, { 'https://example.com/#a': {} }, /schemas: keys must be URIs without #/],
    [{}, { 'https://example.com/a': { type: 'objekt' } }, /must be a JSON Schema: type must be one of/],
    [{}, { 'https://example.com/a': { tpye: 'object' } }, /unknown keyword "tpye"/],
    [{}, { 'https://example.com/a': { pattern: '(?=look)' } }, /look-around/],
    [
      { $id: 'https://example.com/a' },
      { 'https://example.com/b': { $id: 'a' } },
      /two schemas with the \$id/,
    ],
    [
      { $schema: 'https://example.com/meta' },
      {},
      /\$schema must be https:\/\/json-schema.org\/draft\/2020-12/,
    ],
    [
      { $schema: 'https://example.com/meta' },
      { 'https://example.com/meta': { $vocabulary: { 'https://example.com/vocabulary': true } } },
      /requires the unsupported vocabulary "https:\/\/example.com\/vocabulary"/,
    ],
    [
      { $schema: 'https://example.com/meta', title: 5 },
      { 'https://example.com/meta': { required: ['description'] } },
      /must be a JSON Schema: title must be a string/,
    ],
    [
      { $schema: 'https://example.com/meta', title: 'T' },
      { 'https://example.com/meta': { required: ['description'] } },
      /must match its \$schema: required/,
    ],
    [
      {},
      { 'https://example.com/a': JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`) as Json },
      /64 levels/,
    ],
  ])('refuses at save: %#', (schema, schemas, issue) => {
    const [error] = validateSchemaConfig(schema as JsonObject, schemas as JsonObject);
    expect(error).toMatchObject({ field: 'schema', issue: expect.stringMatching(issue) as string });
  });

  it('accepts custom keywords where the schema names the dialect, and `x-…` everywhere', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(validateSchemaConfig({ $schema, javaType: 'A', type: 'string' })).toEqual([]);
    expect(run({ $schema, javaType: 'A', type: 'string' }, 5).kind).toBe('failed');
    expect(validateSchemaConfig({ 'x-kind': 1 })).toEqual([]);
  });
});

describe('data_validator, of hard schemas', () => {
  it.each<[string, JsonObject, Json]>([
    ['a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 1],
    ['itself', { $ref: '#' }, 1],
    ['itself by a dynamic name', { $dynamicAnchor: 'a', allOf: [{ $dynamicRef: '#a' }] }, 1],
    [
      'what doubles',
      {
        $ref: '#/$defs/s0',
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, i) => [
            `s${i}`,
            i === 29 ? {} : { allOf: [{ $ref: `#/$defs/s${i + 1}` }, { $ref: `#/$defs/s${i + 1}` }] },
          ]),
        ),
      },
      1,
    ],
    [
      'what branches with the data',
      { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } },
      JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as Json,
    ],
    [
      'many patterns on a long text',
      { allOf: Array.from({ length: 1000 }, (_, i) => ({ pattern: `^(a{1,20}|b{${i}}c){5}?x*$` })) },
      'a'.repeat(20_000),
    ],
  ])('ends as a limit, in its time: %s', (_, schema, input) => {
    const start = readThreadTime();
    expect(run(schema, input)).toMatchObject({
      kind: 'failed',
      error: { type: expect.stringMatching(/limit|validation/) as string },
    });
    expect(readThreadTime() - start).toBeLessThan(4000);
  });

  it('treats names of Object.prototype as ordinary names', () => {
    const schema = JSON.parse(
      '{"properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}, "required": ["toString"]}',
    ) as JsonObject;
    expect(run(schema, JSON.parse('{"__proto__": 1}') as Json)).toMatchObject({
      error: { data: { field: expect.stringMatching(/__proto__|toString/) as string } },
    });
    expect(run(schema, { toString: 1 }).kind).toBe('done');
    expect(run(schema, {})).toMatchObject({ error: { data: { field: 'toString' } } });
  });
});
