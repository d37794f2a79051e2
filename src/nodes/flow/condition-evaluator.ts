import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { JsonPath, Reading } from '../../lib/json/json-path.ts';
import { compilePath, PathError, readPath } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import type { Regex } from '../../lib/text/regex.ts';
import { compileRegex, MAX_REGEX_WORK, RegexError } from '../../lib/text/regex.ts';

/** Maximum nesting of groups. */
export const MAX_CONDITION_DEPTH = 32;
/** Maximum number of comparisons and groups in one condition. */
export const MAX_CONDITION_PARTS = 1000;

/** A malformed condition. `field` is the location, such as `condition.all[1].operator`. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export interface Condition {
  /** Returns whether the input meets the condition. Never throws. */
  holds(input: Json): boolean;
}

type Test = (reading: Reading) => boolean;
type MakeTest = (value: Json, at: string) => Test;

/** Operators that compare with `value`. A missing field meets only the negated ones. */
const COMPARISONS: ReadonlyMap<string, MakeTest> = new Map<string, MakeTest>([
  ['equals', (value) => (r) => r.isFound && isJsonEqual(r.value, value)],
  ['not_equals', (value) => (r) => !r.isFound || !isJsonEqual(r.value, value)],
  ['greater_than', compareBy((order) => order > 0)],
  ['greater_or_equal', compareBy((order) => order >= 0)],
  ['less_than', compareBy((order) => order < 0)],
  ['less_or_equal', compareBy((order) => order <= 0)],
  ['contains', (value) => (r) => r.isFound && includes(r.value, value)],
  ['not_contains', (value) => (r) => !r.isFound || !includes(r.value, value)],
  ['starts_with', (value, at) => textTest(value, at, (text, start) => text.startsWith(start))],
  ['ends_with', (value, at) => textTest(value, at, (text, end) => text.endsWith(end))],
  ['matches', matching],
  ['in', (value, at) => membership(value, at, true)],
  ['not_in', (value, at) => membership(value, at, false)],
]);

/** Operators without `value`. */
const CHECKS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['exists', (r) => r.isFound],
  ['not_exists', (r) => !r.isFound],
  ['is_empty', (r) => isEmpty(r.value)],
  ['is_not_empty', (r) => !isEmpty(r.value)],
]);

/** Names of all operators, in the order in which the editor lists them. */
export const OPERATORS: readonly string[] = [...COMPARISONS.keys(), ...CHECKS.keys()];

/**
 * Compiles a comparison (`{"field": "customer.age", "operator": "greater_than", "value": 17}`) or a group
 * (`{"all": […]}`, `{"any": […]}`, `{"not": {…}}`). `field` is a path in the input. Numbers compare by value
 * and strings by code unit; values of different types are never equal and have no order. A null field exists
 * and is empty.
 * @param at the path of the condition in error fields.
 * @throws {ConditionError}
 */
export function compileCondition(json: Json, at = 'condition'): Condition {
  const budget = { left: MAX_CONDITION_PARTS };
  return { holds: compilePart(json, at, MAX_CONDITION_DEPTH, budget) };
}

/** `depth` bounds the recursion here and in the compiled condition. */
function compilePart(
  json: Json,
  at: string,
  depth: number,
  budget: { left: number },
): (input: Json) => boolean {
  if (!isObject(json))
    throw new ConditionError(at, 'must be an object with field and operator, or a group: all, any or not');
  if (depth === 0) throw new ConditionError(at, `must be nested at most ${MAX_CONDITION_DEPTH} groups deep`);
  if (budget.left-- === 0)
    throw new ConditionError(at, `must have at most ${MAX_CONDITION_PARTS} comparisons and groups`);
  const group = ['all', 'any', 'not'].find((name) => Object.hasOwn(json, name));
  if (group === undefined) return compileComparison(json, at);
  refuseOthers(json, at, [group]);
  const content = json[group] as Json;
  if (group === 'not') {
    const inner = compilePart(content, `${at}.not`, depth - 1, budget);
    return (input) => !inner(input);
  }
  if (!Array.isArray(content) || content.length === 0) {
    throw new ConditionError(`${at}.${group}`, 'must be a list of at least one condition');
  }
  const parts = content.map((part, i) => compilePart(part, `${at}.${group}[${i}]`, depth - 1, budget));
  return group === 'all'
    ? (input) => parts.every((holds) => holds(input))
    : (input) => parts.some((holds) => holds(input));
}

function compileComparison(json: JsonObject, at: string): (input: Json) => boolean {
  refuseOthers(json, at, ['field', 'operator', 'value']);
  const path = fieldPath(json['field'], `${at}.field`);
  const operator = json['operator'];
  const value = json['value'];
  const check = typeof operator === 'string' ? CHECKS.get(operator) : undefined;
  if (check !== undefined) {
    // Forms send an empty value for these operators, so empty values are accepted.
    if (value !== undefined && value !== null && value !== '')
      throw new ConditionError(`${at}.value`, 'must not be set for an operator without a value');
    return (input) => check(readPath(path, input));
  }
  const make = typeof operator === 'string' ? COMPARISONS.get(operator) : undefined;
  if (make === undefined)
    throw new ConditionError(`${at}.operator`, `must be one of ${OPERATORS.join(', ')}`);
  if (value === undefined) throw new ConditionError(`${at}.value`, 'is required by this operator');
  const test = make(value, `${at}.value`);
  return (input) => test(readPath(path, input));
}

function refuseOthers(json: JsonObject, at: string, known: readonly string[]): void {
  const other = Object.keys(json).find((key) => !known.includes(key));
  if (other !== undefined)
    throw new ConditionError(`${at}.${other}`, `is not a known field; known are ${known.join(', ')}`);
}

function fieldPath(field: Json | undefined, at: string): JsonPath {
  if (typeof field !== 'string')
    throw new ConditionError(at, 'must be a path in the input, such as customer.age');
  try {
    return compilePath(field);
  } catch (error) {
    if (error instanceof PathError) throw new ConditionError(at, error.message);
    throw error;
  }
}

function compareBy(accept: (order: number) => boolean): MakeTest {
  return (value, at) => {
    if (typeof value !== 'number' && typeof value !== 'string')
      throw new ConditionError(at, 'must be a number or a string');
    return ({ value: actual }) =>
      typeof actual === typeof value &&
      accept(actual === value ? 0 : (actual as number | string) > value ? 1 : -1);
  };
}

function textTest(value: Json, at: string, accept: (text: string, part: string) => boolean): Test {
  if (typeof value !== 'string') throw new ConditionError(at, 'must be a string');
  return ({ value: actual }) => typeof actual === 'string' && accept(actual, value);
}

function matching(value: Json, at: string): Test {
  if (typeof value !== 'string') throw new ConditionError(at, 'must be a regular expression');
  let regex: Regex;
  try {
    regex = compileRegex(value);
  } catch (error) {
    if (error instanceof RegexError) throw new ConditionError(at, error.message);
    throw error;
  }
  // A string that is too long for the pattern does not match: data never makes a condition throw.
  return ({ value: actual }) =>
    typeof actual === 'string' && regex.work(actual.length) <= MAX_REGEX_WORK && regex.test(actual);
}

function membership(value: Json, at: string, wanted: boolean): Test {
  if (!Array.isArray(value)) throw new ConditionError(at, 'must be a list');
  return (r) => (r.isFound && value.some((element) => isJsonEqual(element, r.value))) === wanted;
}

/** Whether a string contains a substring, a list an element or an object a key. */
function includes(actual: Json, value: Json): boolean {
  if (Array.isArray(actual)) return actual.some((element) => isJsonEqual(element, value));
  if (typeof value !== 'string') return false;
  if (typeof actual === 'string') return actual.includes(value);
  return isObject(actual) && Object.hasOwn(actual, value);
}

/** null, "", [] and {} are empty. A missing field reads as null. */
function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
