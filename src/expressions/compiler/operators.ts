import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { isForbiddenKey } from '../../lib/json/json-path.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Call } from '../function.ts';
import { requireFinite, describeKind, spendText } from '../function.ts';
import { isEqual } from '../functions/list.ts';
import { divide, toPositiveZero, computeRemainder } from '../functions/number.ts';

export type Operator = (left: Json, right: Json, call: Call) => Json;

/** All numbers are JSON numbers, without a separate integer type: `1 / 2` is 0.5 and `1 == 1.0`. */
export const BINARY: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['+', add],
  ['-', arithmetic('-', (a, b) => a - b)],
  ['*', arithmetic('*', (a, b) => a * b)],
  ['/', arithmetic('/', divide)],
  ['%', arithmetic('%', computeRemainder)],
  ['==', (left, right, call) => isEqual(left, right, call)],
  ['!=', (left, right, call) => !isEqual(left, right, call)],
  ['<', comparison('<', (a, b) => a < b)],
  ['<=', comparison('<=', (a, b) => a <= b)],
  ['>', comparison('>', (a, b) => a > b)],
  ['>=', comparison('>=', (a, b) => a >= b)],
  ['in', isIn],
]);

function add(left: Json, right: Json, call: Call): Json {
  if (typeof left === 'number' && typeof right === 'number')
    return toPositiveZero(requireFinite(left + right));
  if (typeof left === 'string' && typeof right === 'string') {
    spendText(call, left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    call.spend(left.length + right.length);
    return [...left, ...right];
  }
  const hint =
    typeof left === 'string' || typeof right === 'string' ? ' (to_string converts a value to a string)' : '';
  throw mismatch('+', 'two numbers, two strings or two lists', left, right, hint);
}

function arithmetic(name: string, compute: (a: number, b: number) => number): Operator {
  return (left, right) => {
    if (typeof left !== 'number' || typeof right !== 'number')
      throw mismatch(name, 'two numbers', left, right);
    return toPositiveZero(requireFinite(compute(left, right)));
  };
}

function comparison(
  name: string,
  compare: (a: number | string | boolean, b: number | string | boolean) => boolean,
): Operator {
  return (left, right) => {
    if (
      (typeof left === 'number' && typeof right === 'number') ||
      (typeof left === 'string' && typeof right === 'string') ||
      (typeof left === 'boolean' && typeof right === 'boolean')
    ) {
      return compare(left, right);
    }
    throw mismatch(name, 'two numbers or two strings', left, right);
  };
}

/** An element of a list, a key of an object, or a part of a text. */
function isIn(left: Json, right: Json, call: Call): Json {
  if (Array.isArray(right)) return right.some((element) => isEqual(element, left, call));
  if (typeof right === 'string' && typeof left === 'string') {
    spendText(call, right.length);
    return right.includes(left);
  }
  if (isObject(right) && (typeof left === 'string' || typeof left === 'number')) {
    return !isForbiddenKey(String(left)) && Object.hasOwn(right, left);
  }
  throw mismatch('in', 'an element and a list, a key and an object, or two strings', left, right);
}

function mismatch(
  operator: string,
  expected: string,
  left: Json,
  right: Json,
  hint = '',
): TemplateEvaluationError {
  return new TemplateEvaluationError(
    `${operator}: operands must be ${expected}, got ${describeKind(left)} and ${describeKind(right)}${hint}`,
  );
}
