import { describe, expect, test } from 'vitest';
import {
  inferSchema,
  readSchemaFields,
  writeSchemaFields,
} from '../../web/src/node-panel/model/schema-fields.ts';

const order = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    customer: { type: 'object', properties: { name: { type: 'string' }, note: {} }, required: ['name'] },
    items: { type: 'array' },
  },
  required: ['email', 'customer', 'items'],
};

describe('a schema as a table of fields', () => {
  test('has the fields of nested objects, and is written back unchanged', () => {
    const fields = readSchemaFields(order);
    expect(fields?.[1]).toEqual({
      name: 'customer',
      type: 'object',
      isRequired: true,
      fields: [
        { name: 'name', type: 'string', isRequired: true, fields: [] },
        { name: 'note', type: '', isRequired: false, fields: [] },
      ],
    });
    expect(writeSchemaFields(fields!)).toEqual(order);
    expect(readSchemaFields(undefined)).toEqual([]);
  });

  test.each([
    { type: 'array' },
    { ...order, additionalProperties: false },
    { type: 'object', properties: { a: { type: 'string', minLength: 1 } } },
    { type: 'object', properties: { a: { type: 'object', minProperties: 1 } } },
    { type: 'object', properties: { a: { type: ['string', 'null'] } } },
    { type: 'object', properties: {}, required: ['a'] },
    { type: 'object', properties: { a: { type: 'object', required: ['b'] } } },
    'text',
  ])('does not exist for %j', (schema) => {
    expect(readSchemaFields(schema)).toBeNull();
  });

  test('does not exist for a schema of more than four levels', () => {
    const nest = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nest(levels - 1) } };
    expect(readSchemaFields(nest(4))).not.toBeNull();
    expect(readSchemaFields(nest(5))).toBeNull();
  });
});

describe('a schema made from data', () => {
  test('requires every field except those that are null', () => {
    const data = { email: 'ada@example.com', customer: { name: 'Ada', note: null }, items: [{ sku: 'a' }] };
    expect(inferSchema(data)).toEqual(order);
    expect(inferSchema([1])).toBeNull();
  });

  test('of a webhook describes its body only', () => {
    const input = { method: 'POST', headers: { host: 'x' }, params: {}, query: { a: '1' }, body: { id: 7 } };
    expect(inferSchema(input)).toEqual({
      type: 'object',
      properties: { body: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
      required: ['body'],
    });
    expect(inferSchema({ ...input, raw: 'x' })).toEqual(inferSchema(input));
  });

  test('can be edited as a table, however deep the data is', () => {
    let data: object = { a: 1 };
    for (let i = 0; i < 9; i++) data = { a: data };
    expect(readSchemaFields(inferSchema(data))).not.toBeNull();
  });
});
