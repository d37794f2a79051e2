import type { FieldError } from '../contract/errors.ts';
import { appendKey } from '../lib/json/json-path.ts';
import type { Json } from '../lib/json/json.ts';
import { isObject } from '../lib/json/json.ts';
import { isTemplated } from './template-mode.ts';

/** A token (RFC 9110). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** Visible characters, spaces and tabs. Characters outside Latin-1 cannot be sent. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Set by Weft because they control message framing and routing. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const HEADER_VALUE_ISSUE =
  'must not contain line breaks, control characters or characters outside Latin-1';

export const isHeaderName = (text: string): boolean => NAME.test(text);
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** Validates a header: its name, reserved names, and line breaks or other control characters in its value. */
export function validateHeader(
  at: string,
  name: string,
  value: string,
  reserved: ReadonlySet<string>,
): FieldError | null {
  const field = appendKey(at, name);
  if (!isHeaderName(name)) return { field, issue: 'must be a valid header name' };
  if (reserved.has(name.toLowerCase())) return { field, issue: 'is set by Weft and cannot be overridden' };
  if (!isHeaderValue(value)) return { field, issue: HEADER_VALUE_ISSUE };
  return null;
}

/** Validates saved headers. Templated values are validated after evaluation. */
export function validateHeaders(at: string, headers: unknown, reserved: ReadonlySet<string>): FieldError[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const error = validateHeader(at, name, isTemplated(value) ? '' : printHeader(value), reserved);
    return error === null ? [] : [error];
  });
}

/** The schema has already limited values to strings, numbers and booleans. */
export function printHeader(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
