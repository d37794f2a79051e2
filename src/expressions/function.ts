import type { Json } from '../lib/json/json.ts';
import { isObject } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';
import { MAX_VALUE_LENGTH } from './limits.ts';
import { createTooLargeError } from './result-limits.ts';

/** The context of a call: the time of the evaluation, and its step budget. */
export interface Call {
  readonly now: number;
  /** Counts work: one step per element or per 64 characters. Throws when the budget is used up. */
  spend(steps: number): void;
}

/** An example that is run as a test and printed as documentation. */
export interface Example {
  readonly template: string;
  readonly input?: Json;
  readonly result: Json;
}

/**
 * A function of the template language; `x | join: ", "`, `join(x, ", ")` and `x.join(", ")` are the same
 * call.
 */
export interface TemplateFunction {
  readonly name: string;
  /** Its syntax as a filter, without the pipe, such as `join: separator?`. */
  readonly usage: string;
  /** One line. */
  readonly description: string;
  readonly example: Example;
  /** The number of arguments, including the value before the pipe. */
  readonly min: number;
  readonly max: number;
  readonly run: (args: readonly Json[], call: Call) => Json;
}

/** The kind of a value, as error messages name it. */
export function describeKind(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

export function createTypeError(
  name: string,
  expected: string,
  received: Json | undefined,
): TemplateEvaluationError {
  return new TemplateEvaluationError(`${name}: argument must be ${expected}, got ${describeKind(received)}`);
}

export function readTextArg(name: string, args: readonly Json[], at: number, call: Call): string {
  const value = args[at];
  if (typeof value !== 'string') throw createTypeError(name, 'a string', value);
  spendText(call, value.length);
  return value;
}

export function readOptionalTextArg(
  name: string,
  args: readonly Json[],
  at: number,
  otherwise: string,
): string {
  const value = args[at];
  if (value === undefined) return otherwise;
  if (typeof value !== 'string') throw createTypeError(name, 'a string', value);
  return value;
}

export function readNumberArg(name: string, args: readonly Json[], at: number): number {
  const value = args[at];
  if (typeof value === 'number') return value;
  const hint = typeof value === 'string' ? ' (to_number converts a string to a number)' : '';
  throw createTypeError(name, `a number${hint}`, value);
}

/** A whole number, or `otherwise` when the argument is not given. */
export function readWholeArg(name: string, args: readonly Json[], at: number, otherwise: number): number {
  const value = args[at];
  if (value === undefined) return otherwise;
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw createTypeError(name, 'a whole number', value);
  return value;
}

export function listArg(name: string, args: readonly Json[], at: number, call: Call): readonly Json[] {
  const value = args[at];
  if (!Array.isArray(value)) throw createTypeError(name, 'a list', value);
  call.spend(value.length);
  return value;
}

export function readObjectArg(
  name: string,
  args: readonly Json[],
  at: number,
  call: Call,
): { readonly [key: string]: Json } {
  const value = args[at];
  if (!isObject(value)) throw createTypeError(name, 'an object', value);
  call.spend(Object.keys(value).length);
  return value;
}

/** A number that JSON can carry. */
export function requireFinite(result: number): number {
  if (Number.isFinite(result)) return result;
  throw new TemplateEvaluationError('The result is not a finite number');
}

/** Counts a text of this length, and rejects one that is too long before it is created. */
export function spendText(call: Call, length: number): void {
  if (length > MAX_VALUE_LENGTH) throw createTooLargeError(MAX_VALUE_LENGTH);
  call.spend(length >> 6);
}
