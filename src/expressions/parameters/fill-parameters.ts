import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  joinPieces,
  listPaths,
  type ParameterSlot,
  type Insert,
  type KeptTemplate,
} from './compile-parameters.ts';
import {
  ParameterError,
  ParametersTooLargeError,
  TemplateError,
  TemplateEvaluationError,
} from '../errors.ts';
import type { Frame } from '../evaluation-context.ts';
import type { Expression } from '../compiler/expression.ts';
import { MAX_PRINTED_LENGTH, MAX_TEMPLATE_LENGTH, MAX_VALUE_LENGTH } from '../limits.ts';
import { checkSize, print } from '../result-limits.ts';
import { scanTemplate } from '../compiler/tokenizer.ts';

/* Inserts the values of parameters into the compiled texts of a template body. */

/** The result of a field that has no value and is left out. */
export const OMITTED = Symbol('left out');

/** Whether any text in the value contains `{{`. */
export function containsPlaceholder(value: Json): boolean {
  const work: Json[] = [value];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') {
      if (next.includes('{{')) return true;
    } else if (typeof next === 'object' && next !== null) {
      for (const inner of Array.isArray(next) ? next : Object.values(next)) work.push(inner);
    }
  }
  return false;
}

/** The placeholder of the resulting workflow. It reads the same paths as before and no others. */
function printKept(kept: KeptTemplate, values: JsonObject, hole: ParameterSlot, frame: Frame): string {
  if (kept.inserts.length === 0) return kept.pieces.join('');
  let left = MAX_TEMPLATE_LENGTH;
  const inserted = kept.inserts.map(({ name, expression }, i) => {
    if (expression === null) return secretPath(values[name], hole, name);
    const value = evaluate(expression, hole, name, frame);
    left -= measureJson(value, left);
    if (left < 0)
      throw createParameterError(hole, name, `a template is at most ${MAX_TEMPLATE_LENGTH} characters long`);
    return printLiteral(value, kept.pieces[i + 1] ?? '');
  });
  const text = joinPieces(kept.pieces, inserted);
  if (kept.inserts.every(({ expression }) => expression === null)) return text;
  const [{ name }] = kept.inserts as [Insert, ...Insert[]];
  let others: string[];
  try {
    others = listPaths(text);
  } catch (error) {
    if (error instanceof TemplateError) throw createParameterError(hole, name, error.message);
    throw error;
  }
  if (others.length !== kept.others.length || others.some((path, i) => path !== kept.others[i]))
    throw createPlaceholderError(hole, name);
  return text;
}

function secretPath(value: Json | undefined, hole: ParameterSlot, name: string): string {
  if (typeof value !== 'string' || !/^[A-Za-z_]\w*$/.test(value))
    throw createParameterError(hole, name, 'it must name a secret');
  return `secrets.${value}`;
}

/**
 * A value as a literal of the expression language: JSON, except for numbers. `next` is the text after it.
 */
function printLiteral(value: Json, next: string): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  const plain = JSON.stringify(value);
  // A whole number beyond what is exact is written as a decimal one; JSON has it as such too.
  const text =
    Number.isInteger(value) && !Number.isSafeInteger(value) && !plain.includes('e') ? `${plain}.0` : plain;
  return value < 0 || /^\s*[.[]/.test(next) ? `(${text})` : text;
}

export function fillHole(hole: ParameterSlot, values: JsonObject, frame: Frame): Json | typeof OMITTED {
  const [first] = hole.parts;
  if (hole.parts.length === 1 && first?.kind === 'value') {
    const { plain } = first;
    if (plain !== null && !Object.hasOwn(values, plain)) return OMITTED;
    const value = evaluate(first.expression, hole, first.names[0], frame);
    if (containsPlaceholder(value)) throw createPlaceholderError(hole, first.names[0]);
    return value;
  }
  const kept: string[] = [];
  let text = '';
  for (const part of hole.parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'kept') {
      kept.push(printKept(part, values, hole, frame));
      text += kept.at(-1);
    } else if (part.plain === null || Object.hasOwn(values, part.plain)) {
      text += printValue(evaluate(part.expression, hole, part.names[0], frame), part.names[0], hole);
    }
    if (text.length > MAX_PRINTED_LENGTH) throw new ParametersTooLargeError();
  }
  requireSame(text, kept, hole);
  return text;
}

function evaluate(expression: Expression, hole: ParameterSlot, name: string | undefined, frame: Frame): Json {
  try {
    const value = expression.run(frame);
    if (expression.made) checkSize(value, MAX_VALUE_LENGTH);
    return value;
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw createParameterError(hole, name, error.message);
    if (error instanceof RangeError)
      throw createParameterError(hole, name, 'the expression is too deep or its result too large');
    throw error;
  }
}

function printValue(value: Json, name: string | undefined, hole: ParameterSlot): string {
  try {
    return print(value, MAX_PRINTED_LENGTH);
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw createParameterError(hole, name, error.message);
    throw error;
  }
}

function createParameterError(
  hole: ParameterSlot,
  name: string | undefined,
  message: string,
): ParameterError {
  return new ParameterError(`does not fit at ${hole.pointer}: ${message}`, name ?? '', hole.pointer);
}

function createPlaceholderError(hole: ParameterSlot, name = ''): ParameterError {
  return new ParameterError(
    `would make a placeholder ({{ … }}) at ${hole.pointer}; what a parameter brings is never one`,
    name,
    hole.pointer,
  );
}

/** The text must contain exactly the kept placeholders: joined pieces could have formed another one. */
function requireSame(text: string, kept: readonly string[], hole: ParameterSlot): void {
  if (kept.length === 0 && !text.includes('{{')) return;
  let found: string[];
  try {
    found = scanTemplate(text).flatMap((part) =>
      typeof part === 'string' ? [] : [text.slice(part.start, part.end)],
    );
  } catch {
    throw createPlaceholderError(hole, hole.names[0]);
  }
  if (found.length !== kept.length || found.some((one, i) => one !== kept[i]))
    throw createPlaceholderError(hole, hole.names[0]);
}

/** Characters of the value's JSON; more than `limit` when the value is too large to print. */
export function measureJson(value: Json, limit: number): number {
  try {
    checkSize(value, limit);
  } catch (error) {
    if (error instanceof TemplateEvaluationError) return limit + 1;
    throw error;
  }
  return JSON.stringify(value).length;
}
