import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { validateConfig } from '../../validate-config.ts';
import { dataValidator } from './data-validator.node.ts';
import { limits } from '../../../ports/limits.ts';
import { MAX_SCHEMA_LENGTH } from './json-schema.ts';
import { readThreadTime } from '../../../../test/support/time/thread-time.ts';

const run = (schema: JsonObject, input: Json) =>
  dataValidator.run({} as never, { schema } as never, input) as Outcome;

const order: JsonObject = {
  type: 'object',
  required: ['email', 'items'],
  additionalProperties: false,
  properties: {
    email: { type: 'string', format: 'email' },
    code: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    items: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: {
        type: 'object',
        required: ['sku'],
        properties: { sku: { type: 'string' }, price: { type: 'number', exclusiveMinimum: 0 } },
      },
    },
    kind: { anyOf: [{ const: 'a' }, { type: 'integer' }] },
  },
};
const good: JsonObject = { email: 'ada@example.com', items: [{ sku: 'A' }] };

describe('data_validator', () => {
  it('passes on the very value that arrived', () => {
    const outcome = run(order, good);
    expect(outcome.kind === 'done' && outcome.outputs['out']).toBe(good);
  });

  it.each([
    [{}, 'email', 'is required'],
    [{ ...good, email: 'nope' }, 'email', 'must be in the format email'],
    [{ ...good, code: 'x' }, 'code', 'must match the pattern ^[A-Z]{2}-\\d+$'],
    [{ ...good, items: [] }, 'items', 'must have at least one entry'],
    [{ ...good, items: [{ sku: 'A' }, { sku: 5 }] }, 'items[1].sku', 'must be a string'],
    [{ ...good, items: [{ sku: 'A', price: 0 }] }, 'items[0].price', 'must be more than 0'],
    [
      {
        ...good,
        items: [
          { a: 1, sku: 'A' },
          { sku: 'A', a: 1 },
        ],
      },
      'items',
      'must not have the same entry twice',
    ],
    [{ ...good, kind: 'b' }, 'kind', 'must match one of the allowed schemas'],
    [{ ...good, 'odd name': 1 }, '["odd name"]', 'is not a known field; known are email, code, items, kind'],
    ['text', '', 'must be an object'],
  ])('names the field of %j', (input, field, issue) => {
    const outcome = run(order, input as unknown as Json);
    expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'validation', data: { field, issue } } });
  });

  it.each([
    [{ type: 'objekt' }, /must be a JSON Schema: type must be one of array, boolean/],
    [{ tpye: 'object' }, /has an unknown keyword "tpye"; custom keywords require \$schema/],
    [
      { properties: { a: { minimum: 'x' } } },
      /must be a JSON Schema: properties\.a\.minimum must be a number/,
    ],
    [{ $ref: '#/$defs/missing' }, /has an unresolved reference "/],
    [{ $ref: 'https://example.com/schema.json' }, /has an unresolved reference "/],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      /\$schema must be https:\/\/json-schema\.org\/draft\/2020-12\/schema or a/,
    ],
    [{ pattern: '(?=look)' }, /look-around/],
    [{ pattern: '(' }, /Invalid regular expression/],
    [{ format: 'nothing' }, /unknown format "nothing"/],
    [{ description: 'x'.repeat(MAX_SCHEMA_LENGTH) }, /at most 262144 characters/],
    [JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`), /at most 64 levels/],
    [
      { allOf: Array.from({ length: 201 }, () => ({ $ref: '#/$defs/a' })), $defs: { a: {} } },
      /at most 200 references/,
    ],
  ])('refuses a schema at save: %#', (schema, issue) => {
    const errors = validateConfig(dataValidator, { schema } as JsonObject);
    expect(errors[0]?.field).toBe('schema');
    expect(errors[0]?.issue).toMatch(issue);
  });

  it('treats templates in a schema as text', () => {
    expect(validateConfig(dataValidator, { schema: { const: '{{ x }}' } })).toEqual([]);
    expect(run({ const: '{{ x }}' }, '{{ x }}').kind).toBe('done');
    expect(validateConfig(dataValidator, { schema: '{{ x }}' })[0]?.issue).toBe('must be an object');
  });

  it('accepts common forms: draft 2020-12 by name, definitions, unions of types, examples', () => {
    const schema: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'T',
      properties: { a: { type: ['string', 'null'], examples: ['x'] }, b: { $ref: '#/definitions/b' } },
      definitions: { b: { type: 'integer' } },
    };
    expect(validateConfig(dataValidator, { schema })).toEqual([]);
    expect(run(schema, { a: null, b: 1 }).kind).toBe('done');
    expect(run(schema, { b: 'x' })).toMatchObject({ error: { data: { field: 'b' } } });
  });

  it('reckons as numbers are written', () => {
    const schema: JsonObject = { multipleOf: 0.01 };
    for (const price of [19.99, 0.07, 1.1, 3]) expect(run(schema, price).kind).toBe('done');
    expect(run(schema, 19.995)).toMatchObject({ error: { data: { issue: 'must be a multiple of 0.01' } } });
  });

  it('validates a webhook body of the maximum size with many fields', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const schema: JsonObject = {
      items: {
        type: 'object',
        required: names,
        properties: Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 8 }])),
      },
    };
    const row = Object.fromEntries(names.map((name) => [name, '1234']));
    const rows = Array.from(
      { length: Math.floor(limits.webhookBodyBytes / JSON.stringify(row).length) },
      () => row,
    );
    expect(run(schema, rows).kind).toBe('done');
  });

  it('takes linear time for patterns and unique lists', () => {
    const evil: JsonObject = { items: { type: 'string', pattern: '^(a+)+$' }, uniqueItems: true };
    const list = Array.from({ length: 20_000 }, (_, i) => `${'a'.repeat(20)}${i}!`);
    const start = readThreadTime();
    expect(run(evil, [`${'a'.repeat(5000)}!`]).kind).toBe('failed');
    expect(run({ uniqueItems: true }, list).kind).toBe('done');
    expect(readThreadTime() - start).toBeLessThan(1500);
  });

  it('accepts a recursive schema, and a property named $ref', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: {
        left: { $ref: '#' },
        right: { $ref: '#' },
        $ref: { type: 'string' },
        enum: { const: { $ref: 'x' } },
      },
    };
    expect(run(tree, { left: { right: {} }, $ref: 'a', enum: { $ref: 'x' } }).kind).toBe('done');
    expect(run(tree, { left: { right: 5 } })).toMatchObject({ error: { data: { field: 'left.right' } } });
  });

  it('compiles a schema once', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, { type: 'string' }])),
    };
    run(schema, {});
    const start = readThreadTime();
    for (let i = 0; i < 1000; i++) run(schema, {});
    for (let i = 0; i < 50; i++) run(structuredClone(schema), {});
    expect(readThreadTime() - start).toBeLessThan(500);
  });
});
