import type { Json } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';

/**
 * Makes sure that the JSON of a value is roughly no longer than `limit` characters, without printing it: a
 * list may hold one large value a thousand times, and printing it would cost all of that. Stops as soon as
 * the limit is passed.
 * @throws {TemplateEvaluationError}
 */
export function checkSize(value: Json, limit: number): void {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string' && value.length > limit) throw createTooLargeError(limit);
    return;
  }
  let left = limit;
  const work: Json[] = [value];
  while (work.length > 0) {
    const next = work.pop() as Json;
    if (typeof next === 'string') left -= next.length + 2;
    else if (typeof next !== 'object' || next === null) left -= 5;
    else if (Array.isArray(next)) {
      left -= next.length + 2;
      if (left < 0) throw createTooLargeError(limit);
      for (const element of next) work.push(element);
    } else {
      left -= 2;
      for (const key of Object.keys(next)) {
        left -= key.length + 4;
        if (left < 0) throw createTooLargeError(limit);
        work.push(next[key] as Json);
      }
    }
    if (left < 0) throw createTooLargeError(limit);
  }
}

/**
 * A value as it is printed inside other text: a text as it is, null as nothing, a list or an object as JSON.
 * @throws {TemplateEvaluationError} when it is longer than `limit` characters.
 */
export function print(value: Json, limit: number): string {
  switch (typeof value) {
    case 'string':
      if (value.length > limit) throw createTooLargeError(limit);
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return value === null ? '' : printJson(value, limit);
  }
}

/** The JSON of a value, at most `limit` characters long. @throws {TemplateEvaluationError} */
export function printJson(value: Json, limit: number, indent = 0): string {
  checkSize(value, limit);
  let text: string;
  try {
    text = JSON.stringify(value, null, indent);
  } catch {
    throw new TemplateEvaluationError('A value is nested too deep to be printed', 'limit');
  }
  if (text.length > limit) throw createTooLargeError(limit);
  return text;
}

export function createTooLargeError(limit: number): TemplateEvaluationError {
  return new TemplateEvaluationError(`The result is larger than ${limit} characters`, 'limit');
}
