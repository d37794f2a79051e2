import type { FieldError } from '../contract/errors.ts';
import { appendKey } from '../lib/json/json-path.ts';
import type { Json } from '../lib/json/json.ts';
import { isObject } from '../lib/json/json.ts';
import { isTemplated } from './template-mode.ts';

/** RFC 9110: a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** Visible characters, spaces and tabs; what is beyond Latin-1 has no form on the wire. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What is wrong with a header: its name, a line break or another control character in its value, or a reserved name. */
export function headerFault(
  at: string,
  name: string,
  value: string,
  reserved: ReadonlySet<string>,
): FieldError | null {
  const field = appendKey(at, name);
  if (!NAME.test(name)) return { field, issue: 'is not a name that a header can have' };
  if (reserved.has(name.toLowerCase())) return { field, issue: 'is written by Weft and cannot be set' };
  if (!VALUE.test(value))
    return { field, issue: 'must not hold line breaks, control characters or characters outside Latin-1' };
  return null;
}

/** The faults of headers as saved; values that are templates are checked when they have a value. */
export function headerFaults(at: string, headers: unknown, reserved: ReadonlySet<string>): FieldError[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const fault = headerFault(at, name, isTemplated(value) ? '' : printHeader(value), reserved);
    return fault === null ? [] : [fault];
  });
}

/** Headers fit their schema when this runs: values are texts, numbers and booleans. */
export function printHeader(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
