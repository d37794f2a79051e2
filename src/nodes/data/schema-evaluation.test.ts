import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { checkConfig } from '../config-check.ts';
import { dataValidator } from './data-validator.node.ts';
import { compileSchema, fits } from './json-schema.ts';
import { threadTime } from '../../lib/testing/thread-time.ts';

/** A document that nobody refers to: with one, a schema is interpreted. */
const beside = { 'https://example.com/unused': {} };
const address: JsonObject = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };

const run = (schema: JsonObject, input: Json, schemas: JsonObject = beside) =>
  dataValidator.run({} as never, { schema, schemas } as never, input) as Outcome;
const faultsOf = (schema: JsonObject, schemas: JsonObject = beside) =>
  checkConfig(dataValidator, { schema, schemas });

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
    expect(faultsOf(schema, schemas)).toEqual([]);
    expect(run(schema, { home: { city: 'Paris', zip: 1 } }, schemas).kind).toBe('done');
    expect(run(schema, { home: {} }, schemas)).toMatchObject({
      error: { type: 'validation', data: { field: 'home.city', issue: 'is required' } },
    });
    expect(run(schema, { work: { city: 'Paris', zip: 1 } }, schemas)).toMatchObject({
      error: { data: { field: 'work.zip', issue: 'is not known here' } },
    });
  });

  it.each([
    [
      { $ref: 'https://example.com/missing' },
      {},
      /can't resolve reference "https:\/\/example.com\/missing".*"schemas"/,
    ],
    [{ $ref: 'https://example.com/a#/$defs/b' }, { 'https://example.com/a': {} }, /no schema at that place/],
    [{ $ref: 'https://example.com/a#b' }, { 'https://example.com/a': {} }, /no such anchor/],
    [{ $ref: 'http://[' }, {}, /\$ref: takes an address/],
    [{}, { 'not an address': {} }, /schemas: takes an address, not "not an address"/],
    [{}, { 'https://example.com/#a': {} }, /schemas: takes addresses without #/],
    [{}, { 'https://example.com/a': { type: 'objekt' } }, /is not a JSON Schema: type takes one of/],
    [{}, { 'https://example.com/a': { tpye: 'object' } }, /unknown keyword: "tpye"/],
    [{}, { 'https://example.com/a': { pattern: '(?=look)' } }, /look-around/],
    [
      { $id: 'https://example.com/a' },
      { 'https://example.com/b': { $id: 'a' } },
      /two schemas with the \$id/,
    ],
    [
      { $schema: 'https://example.com/meta' },
      {},
      /takes a schema of https:\/\/json-schema.org\/draft\/2020-12/,
    ],
    [
      { $schema: 'https://example.com/meta' },
      { 'https://example.com/meta': { $vocabulary: { 'https://example.com/vocabulary': true } } },
      /needs the vocabulary "https:\/\/example.com\/vocabulary"/,
    ],
    [
      { $schema: 'https://example.com/meta', title: 5 },
      { 'https://example.com/meta': { required: ['description'] } },
      /is not a JSON Schema: title takes a string/,
    ],
    [
      { $schema: 'https://example.com/meta', title: 'T' },
      { 'https://example.com/meta': { required: ['description'] } },
      /does not fit its \$schema: required/,
    ],
    [
      {},
      { 'https://example.com/a': JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`) as Json },
      /64 levels/,
    ],
  ])('refuses at save: %#', (schema, schemas, issue) => {
    const [fault] = faultsOf(schema as JsonObject, schemas as JsonObject);
    expect(fault).toMatchObject({ field: 'schema', issue: expect.stringMatching(issue) as string });
  });

  it('takes keywords of one’s own from whoever names the dialect, and `x-…` from all', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    for (const schemas of [{}, beside]) {
      expect(faultsOf({ $schema, javaType: 'A', type: 'string' }, schemas)).toEqual([]);
      expect(run({ $schema, javaType: 'A', type: 'string' }, 5, schemas).kind).toBe('failed');
      expect(faultsOf({ 'x-kind': 1 }, schemas)).toEqual([]);
    }
  });
});

describe('an interpreted schema', () => {
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
    const start = threadTime();
    expect(run(schema, input)).toMatchObject({
      kind: 'failed',
      error: { type: expect.stringMatching(/limit|validation/) as string },
    });
    expect(threadTime() - start).toBeLessThan(4000);
  });

  it('takes names that are those of every object for names', () => {
    const schema = JSON.parse(
      '{"properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}, "required": ["toString"]}',
    ) as JsonObject;
    expect(run(schema, JSON.parse('{"__proto__": 1}') as Json)).toMatchObject({
      error: { data: { field: expect.stringMatching(/__proto__|toString/) as string } },
    });
    expect(run(schema, { toString: 1 }).kind).toBe('done');
    expect(run(schema, {})).toMatchObject({ error: { data: { field: 'toString' } } });
  });

  it('says of every value what the compiled one says, and where', () => {
    const numRuns = 300;
    const found = { fit: 0, not: 0 };
    fc.assert(
      fc.property(
        schemaOf(3),
        fc.array(fc.oneof(value, fc.jsonValue({ maxDepth: 2 })), { minLength: 5 }),
        (schema, values) => {
          const [compiled, interpreted] = [
            compileSchema(schema),
            compileSchema(structuredClone(schema), beside),
          ];
          for (const one of values as Json[]) {
            const isFit = fits(compiled, one);
            found[isFit ? 'fit' : 'not']++;
            expect(fits(interpreted, one)).toBe(isFit);
            if (!isFit) expect(interpreted.errors?.[0]?.instancePath).toBeTypeOf('string');
          }
        },
      ),
      { numRuns },
    );
    expect(Math.min(found.fit, found.not)).toBeGreaterThan(numRuns / 4);
  });
});

const name = fc.constantFrom('a', 'b', 'ab');
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, 2.5, 'a', 'ab', ''),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

/** Schemas of keywords that are often met. */
function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  const plain: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', ['null', 'boolean']),
    minimum: fc.constantFrom(0, 1),
    maxLength: fc.constantFrom(0, 1),
    minItems: fc.constantFrom(1, 2),
    maxProperties: fc.constantFrom(1, 2),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    enum: fc.uniqueArray(fc.constantFrom(1, 'a', null), { minLength: 1 }),
    const: value,
    uniqueItems: fc.boolean(),
    pattern: fc.constantFrom('^a', 'b$'),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 1 }), {
      maxKeys: 1,
      noNullPrototype: true,
    }),
  };
  const inner = depth === 0 ? fc.boolean() : fc.oneof(fc.boolean(), schemaOf(depth - 1), schemaOf(depth - 1));
  const map = fc.dictionary(name, inner, { maxKeys: 2, noNullPrototype: true });
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  const nested: Record<string, fc.Arbitrary<unknown>> = {
    properties: map,
    patternProperties: map,
    dependentSchemas: map,
    additionalProperties: inner,
    propertyNames: inner,
    items: inner,
    prefixItems: list,
    contains: inner,
    maxContains: fc.constantFrom(1, 2),
    minContains: fc.constantFrom(0, 2),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: inner,
    if: inner,
    // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: inner,
    else: inner,
    unevaluatedProperties: inner,
  };
  const all = depth === 0 ? plain : { ...plain, ...nested };
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(all)), { minLength: 1, maxLength: 3 })
    .chain((keys) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, all[key] ?? inner]))),
    ) as fc.Arbitrary<JsonObject>;
}
