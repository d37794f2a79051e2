import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compileCondition,
  ConditionError,
  MAX_CONDITION_DEPTH,
  MAX_CONDITION_PARTS,
  OPERATORS,
} from './condition-evaluator.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { Json } from '../../lib/json/json.ts';

const input: Json = {
  n: 5,
  s: 'hello',
  l: [1, { a: 1 }],
  o: { k: 1 },
  t: true,
  z: null,
  e: '',
  el: [],
  eo: {},
  deep: { list: [{ v: 2 }] },
};

const cases: [string, string, Json | undefined, boolean][] = [
  ['n', 'equals', 5, true],
  ['n', 'equals', 5.0, true],
  ['n', 'equals', '5', false],
  ['o', 'equals', { k: 1 }, true],
  ['z', 'equals', null, true],
  ['no', 'equals', null, false],
  ['n', 'not_equals', 4, true],
  ['n', 'not_equals', 5, false],
  ['no', 'not_equals', 5, true],
  ['n', 'greater_than', 4, true],
  ['n', 'greater_than', 5, false],
  ['n', 'greater_than', '4', false],
  ['n', 'greater_or_equal', 5, true],
  ['n', 'less_than', 10, true],
  ['s', 'less_than', 'help', true],
  ['s', 'greater_than', 'Z', true],
  ['n', 'less_or_equal', 5, true],
  ['t', 'less_or_equal', 5, false],
  ['z', 'less_than', 5, false],
  ['no', 'less_than', 5, false],
  ['no', 'greater_or_equal', 5, false],
  ['s', 'contains', 'ell', true],
  ['s', 'contains', 1, false],
  ['l', 'contains', 1, true],
  ['l', 'contains', { a: 1 }, true],
  ['o', 'contains', 'k', true],
  ['o', 'contains', 'toString', false],
  ['n', 'contains', 5, false],
  ['no', 'contains', 'x', false],
  ['s', 'not_contains', 'x', true],
  ['s', 'not_contains', 'ell', false],
  ['no', 'not_contains', 'x', true],
  ['s', 'starts_with', 'he', true],
  ['n', 'starts_with', '5', false],
  ['no', 'starts_with', '', false],
  ['s', 'ends_with', 'lo', true],
  ['s', 'matches', '^h.*o$', true],
  ['n', 'matches', '5', false],
  ['no', 'matches', '', false],
  ['n', 'in', [1, 5], true],
  ['n', 'in', ['5'], false],
  ['no', 'in', [null], false],
  ['n', 'not_in', [1], true],
  ['n', 'not_in', [5], false],
  ['no', 'not_in', [], true],
  ['n', 'exists', undefined, true],
  ['z', 'exists', undefined, true],
  ['no', 'exists', undefined, false],
  ['no', 'not_exists', undefined, true],
  ['z', 'not_exists', undefined, false],
  ['z', 'is_empty', undefined, true],
  ['e', 'is_empty', undefined, true],
  ['el', 'is_empty', undefined, true],
  ['eo', 'is_empty', undefined, true],
  ['no', 'is_empty', undefined, true],
  ['n', 'is_empty', undefined, false],
  ['s', 'is_not_empty', undefined, true],
  ['no', 'is_not_empty', undefined, false],
  ['deep.list[0].v', 'equals', 2, true],
];

test.each(cases)('%s %s %j is %s', (field, operator, value, expected) => {
  const condition = compileCondition(value === undefined ? { field, operator } : { field, operator, value });
  expect(condition.holds(input)).toBe(expected);
});

test('every operator has a case', () => {
  expect(new Set(cases.map(([, operator]) => operator))).toEqual(new Set(OPERATORS));
});

test('groups', () => {
  const yes = { field: 'n', operator: 'equals', value: 5 };
  const no = { field: 'n', operator: 'equals', value: 6 };
  const holds = (json: Json) => compileCondition(json).holds(input);
  expect(holds({ all: [yes, yes] })).toBe(true);
  expect(holds({ all: [yes, no] })).toBe(false);
  expect(holds({ any: [no, yes] })).toBe(true);
  expect(holds({ any: [no, no] })).toBe(false);
  expect(holds({ not: no })).toBe(true);
  expect(holds({ all: [{ any: [no, { not: no }] }, yes] })).toBe(true);
});

test.each<[Json, string, RegExp]>([
  [null, 'condition', /must be an object/],
  [[], 'condition', /must be an object/],
  [{ all: [] }, 'condition.all', /at least one/],
  [{ all: {} }, 'condition.all', /must be a list/],
  [{ not: [] }, 'condition.not', /must be an object/],
  [
    {
      all: [
        { field: 'a', operator: 'exists' },
        { field: 'a', operator: 'is' },
      ],
    },
    'condition.all[1].operator',
    /must be one of equals/,
  ],
  [{ field: 'a', operator: 'constructor', value: 1 }, 'condition.operator', /must be one of/],
  [
    { any: [{ not: { field: 'a.', operator: 'exists' } }] },
    'condition.any[0].not.field',
    /a name is expected/,
  ],
  [{ field: '__proto__', operator: 'exists' }, 'condition.field', /never resolves/],
  [{ operator: 'exists' }, 'condition.field', /must be a path/],
  [{ field: 'a', operator: 'equals' }, 'condition.value', /required/],
  [
    { field: 'a', operator: 'exists', value: false },
    'condition.value',
    /must not be set for an operator without a value/,
  ],
  [{ field: 'a', operator: 'in', value: 'x' }, 'condition.value', /must be a list/],
  [{ field: 'a', operator: 'matches', value: '(' }, 'condition.value', /Invalid regular expression/],
  [{ field: 'a', operator: 'less_than', value: true }, 'condition.value', /must be a number or a string/],
  [{ field: 'a', operator: 'starts_with', value: 1 }, 'condition.value', /must be a string/],
  [{ field: 'a', operator: 'exists', valeu: 1 }, 'condition.valeu', /is not a known field; known are/],
  [
    { all: [{ field: 'a', operator: 'exists' }], any: [] },
    'condition.any',
    /is not a known field; known are/,
  ],
])('%j is malformed', (json, field, message) => {
  const error = (() => {
    try {
      return compileCondition(json);
    } catch (e) {
      return e;
    }
  })();
  expect(error).toBeInstanceOf(ConditionError);
  expect((error as ConditionError).field).toBe(field);
  expect((error as ConditionError).message).toMatch(message);
});

test('depth and parts are bounded', () => {
  const nest = (depth: number): Json =>
    Array.from({ length: depth - 1 }).reduce<Json>((inner) => ({ not: inner }), {
      field: 'n',
      operator: 'exists',
    });
  expect(compileCondition(nest(MAX_CONDITION_DEPTH)).holds(input)).toBe(false);
  expect(() => compileCondition(nest(MAX_CONDITION_DEPTH + 1))).toThrow(
    /must be nested at most 32 groups deep/,
  );
  const wide = (n: number): Json => ({
    any: Array.from({ length: n - 1 }, () => ({ field: 'n', operator: 'exists' })),
  });
  expect(compileCondition(wide(MAX_CONDITION_PARTS)).holds(input)).toBe(true);
  expect(() => compileCondition(wide(MAX_CONDITION_PARTS + 1))).toThrow(
    /must have at most 1000 comparisons and groups/,
  );
});

test('never throws on data', () => {
  const value = fc.jsonValue() as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.constantFrom(...OPERATORS), value, value, (operator, operand, data) => {
      try {
        const condition = compileCondition({ field: 'a', operator, value: operand });
        expect(typeof condition.holds({ a: data })).toBe('boolean');
        expect(typeof condition.holds(data)).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(ConditionError);
      }
    }),
  );
  const heavy = compileCondition({ field: 'a', operator: 'matches', value: '(.*a.{300}b)+$' });
  expect(heavy.holds({ a: 'a'.repeat(1_000_000) })).toBe(false);
});

test('equality agrees with the printed form, whatever the order of keys', () => {
  const sorted = (v: unknown): string =>
    JSON.stringify(v, (_, x: unknown) =>
      typeof x === 'object' && x !== null && !Array.isArray(x)
        ? Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : 1)))
        : x,
    );
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(isJsonEqual(a as Json, JSON.parse(JSON.stringify(a)) as Json)).toBe(true);
      if (!JSON.stringify([a, b]).includes('__proto__'))
        expect(isJsonEqual(a as Json, b as Json)).toBe(sorted(a) === sorted(b));
    }),
  );
});
