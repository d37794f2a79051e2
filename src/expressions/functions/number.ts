import { truncateText } from '../../lib/text/truncate.ts';
import type { Json } from '../../lib/json/json.ts';
import { isInexactInteger } from '../../lib/json/parse-json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { TemplateFunction } from '../function.ts';
import { requireFinite, readNumberArg, readWholeArg, createTypeError } from '../function.ts';

/** Plain decimal numbers only: no hexadecimal, no Infinity, no empty text. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0', '']);

export const NUMBER_FUNCTIONS: readonly TemplateFunction[] = [
  binary('plus', 'number', 'The sum of two numbers.', '{{ 2 | plus: 3 }}', 5, (a, b) => a + b),
  binary('minus', 'number', 'A number less another.', '{{ 2 | minus: 3 }}', -1, (a, b) => a - b),
  binary('times', 'number', 'The product of two numbers.', '{{ 2 | times: 3 }}', 6, (a, b) => a * b),
  binary(
    'divided_by',
    'number',
    'A number divided by another; the result may have decimals.',
    '{{ 5 | divided_by: 2 }}',
    2.5,
    divide,
  ),
  binary(
    'modulo',
    'number',
    'What is left of a number divided by another; it has the sign of the first.',
    '{{ 7 | modulo: 3 }}',
    1,
    computeRemainder,
  ),
  unary('floor', 'The next whole number below.', '{{ 2.7 | floor }}', 2, Math.floor),
  unary('ceil', 'The next whole number above.', '{{ 2.1 | ceil }}', 3, Math.ceil),
  unary('abs', 'The number without its sign.', '{{ -3 | abs }}', 3, Math.abs),
  {
    name: 'round',
    usage: 'round: digits?',
    description: 'The number rounded to this many digits (0) behind the point; halves away from zero.',
    example: { template: '{{ 2.345 | round: 2 }}', result: 2.35 },
    min: 1,
    max: 2,
    run: (args) => {
      const digits = readWholeArg('round', args, 1, 0);
      if (digits < 0 || digits > 15)
        throw new TemplateEvaluationError('round: the number of digits must be 0 to 15');
      return roundTo(readNumberArg('round', args, 0), digits);
    },
  },
  {
    name: 'to_number',
    usage: 'to_number',
    description:
      'The number that a string contains; true is 1, false is 0. An integer that no number holds exactly is an error.',
    example: { template: '{{ " 12.50 " | to_number }}', result: 12.5 },
    min: 1,
    max: 1,
    run: (args) => toNumber('to_number', args[0]),
  },
  {
    name: 'to_boolean',
    usage: 'to_boolean',
    description:
      'True or false, from true, yes, on, 1 or false, no, off, 0, nothing, in any case; null is false.',
    example: { template: '{{ "Yes" | to_boolean }}', result: true },
    min: 1,
    max: 1,
    run: (args) => toBoolean(args[0]),
  },
  {
    name: 'int',
    usage: 'int',
    description: 'The whole part of a number, or of the number that a string contains.',
    example: { template: '{{ int("-2.7") }}', result: -2 },
    min: 1,
    max: 1,
    run: (args) => toPositiveZero(Math.trunc(toNumber('int', args[0]))),
  },
];

/** Converts -0 to 0: JSON prints both as 0, and so do templates. */
export function toPositiveZero(n: number): number {
  return n === 0 ? 0 : n;
}

export function divide(a: number, b: number): number {
  if (b === 0) throw new TemplateEvaluationError('Division by zero');
  return a / b;
}

export function computeRemainder(a: number, b: number): number {
  if (b === 0) throw new TemplateEvaluationError('Division by zero');
  return a % b;
}

function binary(
  name: string,
  argument: string,
  description: string,
  template: string,
  result: Json,
  compute: (a: number, b: number) => number,
): TemplateFunction {
  return {
    name,
    usage: `${name}: ${argument}`,
    description,
    example: { template, result },
    min: 2,
    max: 2,
    run: (args) =>
      toPositiveZero(requireFinite(compute(readNumberArg(name, args, 0), readNumberArg(name, args, 1)))),
  };
}

function unary(
  name: string,
  description: string,
  template: string,
  result: Json,
  compute: (n: number) => number,
): TemplateFunction {
  return {
    name,
    usage: name,
    description,
    example: { template, result },
    min: 1,
    max: 1,
    run: (args) => toPositiveZero(compute(readNumberArg(name, args, 0))),
  };
}

/**
 * Shifts by the decimal exponent of the printed number, so that 1.005 rounds as it reads, not as it is
 * stored.
 */
function roundTo(n: number, digits: number): number {
  const size = Math.abs(n);
  if (size >= 1e15) return n;
  const shifted = Math.round(shift(size, digits));
  return toPositiveZero(Math.sign(n) * shift(shifted, -digits));
}

function shift(n: number, by: number): number {
  const [mantissa = '0', exponent = '0'] = String(n).split('e');
  return Number(`${mantissa}e${Number(exponent) + by}`);
}

function toNumber(name: string, value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') throw createTypeError(name, 'a number or a string that contains one', value);
  const text = value.length > 400 ? '' : value.trim();
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (isInexactInteger(text.replace(/^[+-]?0*/, '')))
    throw new TemplateEvaluationError(
      `${name}: ${truncateText(text, 40)} is too large for an exact number; leave it as a string`,
    );
  if (!Number.isFinite(number))
    throw new TemplateEvaluationError(`${name}: argument must be a number or a string that contains one`);
  return number;
}

function toBoolean(value: Json | undefined): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === 0) return false;
  if (value === 1) return true;
  const text = typeof value === 'string' && value.length < 100 ? value.trim().toLowerCase() : undefined;
  if (text !== undefined && TRUE.has(text)) return true;
  if (text !== undefined && FALSE.has(text)) return false;
  throw new TemplateEvaluationError('to_boolean: argument must be true, yes, on, 1, false, no, off or 0');
}
