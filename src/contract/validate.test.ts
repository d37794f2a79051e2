import { Type, type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { limits } from '../ports/limits.ts';
import { MAX_NESTING, validate } from './validate.ts';
import { WeftError, type FieldError } from './errors.ts';
import { readThreadTime } from '../../test/support/time/thread-time.ts';

function errors(schema: TSchema, input: unknown, root?: string): FieldError[] {
  try {
    validate(schema, input, root);
  } catch (error) {
    expect(error).toBeInstanceOf(WeftError);
    const { code, details, message } = error as WeftError;
    expect(code).toBe('VALIDATION_ERROR');
    const list = details['errors'] as FieldError[];
    expect({ field: details['field'], issue: details['issue'] }).toEqual(list[0]);
    expect(message).toBe(`${list[0]!.field || 'The input'}: ${list[0]!.issue}`);
    return list;
  }
  throw new Error(`taken: ${JSON.stringify(input).slice(0, 200)}`);
}

const closed = { additionalProperties: false };
const Item = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 3 }),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  },
  closed,
);
const Thing = Type.Object(
  {
    name: Type.String({ minLength: 2 }),
    items: Type.Optional(Type.Array(Item, { maxItems: 5 })),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    when: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    map: Type.Optional(Type.Record(Type.String(), Type.Number())),
    code: Type.Optional(Type.String({ pattern: '^[a-z]+$', 'x-issue': 'must be small letters' })),
    choice: Type.Optional(Type.Union([Item, Type.Array(Item), Type.Literal('all')])),
  },
  closed,
);

describe('validate', () => {
  test('returns valid input unchanged', () => {
    const input = { name: 'ok', items: [{ id: 'x', size: 2 }], when: null, map: { 'a b': 1.5 } };
    const copy = structuredClone(input);
    expect(validate(Thing, input)).toBe(input);
    expect(input).toEqual(copy);
  });

  test.each<[unknown, string, string]>([
    [{}, 'name', 'is required'],
    [{ name: 'x' }, 'name', 'must have at least 2 characters'],
    [{ name: 5 }, 'name', 'must be a string'],
    [{ name: 'ok', items: [{ id: '' }] }, 'items[0].id', 'must not be empty'],
    [{ name: 'ok', items: [{ id: 'abcd' }] }, 'items[0].id', 'must have at most 3 characters'],
    [{ name: 'ok', items: [{ id: 'a' }, { id: 'a', size: 0 }] }, 'items[1].size', 'must be at least 1'],
    [{ name: 'ok', items: [{ id: 'a', size: 10 }] }, 'items[0].size', 'must be at most 9'],
    [{ name: 'ok', items: [{ id: 'a', size: 1.5 }] }, 'items[0].size', 'must be a whole number'],
    [
      { name: 'ok', items: [{ id: 'a', sise: 1 }] },
      'items[0].sise',
      'is not a known field; known are id, size',
    ],
    [{ name: 'ok', items: {} }, 'items', 'must be a list'],
    [
      { name: 'ok', items: Array.from({ length: 6 }, () => ({ id: 'a' })) },
      'items',
      'must have at most 5 entries',
    ],
    [{ name: 'ok', kind: 'c' }, 'kind', 'must be one of a, b'],
    [
      { name: 'ok', when: 'soon' },
      'when',
      'must be a date and time in ISO 8601, such as 2030-01-31T12:00:00Z',
    ],
    [{ name: 'ok', when: 5 }, 'when', 'must be a string or null'],
    [{ name: 'ok', map: { 'a b': 'x' } }, 'map["a b"]', 'must be a number'],
    [{ name: 'ok', map: { 'a/b~c': 'x' } }, 'map["a/b~c"]', 'must be a number'],
    [{ name: 'ok', map: { 0: 'x' } }, 'map["0"]', 'must be a number'],
    [{ name: 'ok', code: 'A' }, 'code', 'must be small letters'],
    [{ name: 'ok', choice: { id: 'abcd' } }, 'choice.id', 'must have at most 3 characters'],
    [{ name: 'ok', choice: [{ id: 7 }] }, 'choice[0].id', 'must be a string'],
    [{ name: 'ok', choice: true }, 'choice', 'must be one of all or an object or a list'],
    [null, '', 'must be an object'],
    [[], '', 'must be an object'],
  ])('%j: %s %s', (input, field, issue) => {
    expect(errors(Thing, input)).toEqual([{ field, issue }]);
  });

  test('lists all errors', () => {
    const list = errors(Thing, { items: [{}, { id: 1, more: 2 }], kind: 'z' });
    expect(list.map((one) => one.field).sort()).toEqual([
      'items[0].id',
      'items[1].id',
      'items[1].more',
      'kind',
      'name',
    ]);
  });

  test('prefixes every field with the root', () => {
    expect(errors(Thing, {}, 'definition')).toEqual([{ field: 'definition.name', issue: 'is required' }]);
    expect(errors(Thing, 5, 'definition')).toEqual([{ field: 'definition', issue: 'must be an object' }]);
  });

  test('does not treat names of the prototype as fields', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
      const input = JSON.parse(`{"name":"ok","${name}":1}`) as unknown;
      expect(errors(Thing, input)[0]).toMatchObject({ field: name });
    }
    expect(errors(Type.Object({ constructor: Type.String() }), {})[0]).toEqual({
      field: 'constructor',
      issue: 'is required',
    });
  });

  test('rejects input nested deeper than the limit', () => {
    expect(MAX_NESTING).toBe(limits.json.depth);
    const nest = (levels: number) => {
      let value: unknown = 1;
      for (let i = 0; i < levels - 1; i++) value = [value];
      return { deep: value };
    };
    const Any = Type.Object({ deep: Type.Unknown() });
    expect(validate(Any, nest(64))).toBeDefined();
    expect(errors(Any, nest(65))).toEqual([{ field: 'deep', issue: 'is nested deeper than 64 levels' }]);
    expect(errors(Any, nest(1_000_000), 'input')).toEqual([
      { field: 'input.deep', issue: 'is nested deeper than 64 levels' },
    ]);
  });

  test('reports one error for a very large invalid input', () => {
    const began = readThreadTime();
    const list = errors(
      Type.Array(Type.String()),
      Array.from({ length: 2_500_000 }, () => 0),
    );
    expect(list).toEqual([{ field: '[0]', issue: 'must be a string' }]);
    expect(readThreadTime() - began).toBeLessThan(5_000);
    expect(
      errors(
        Type.Array(Type.String()),
        Array.from({ length: 10_000 }, () => 0),
      ),
    ).toHaveLength(100);
  });
});
