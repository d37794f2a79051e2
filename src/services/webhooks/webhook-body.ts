import { isUtf8 } from 'node:buffer';
import { createValidationError } from '../../contract/errors.ts';
import { toJsonFieldError } from '../../contract/json-input.ts';
import { readDispositionName } from '../../lib/text/file-name.ts';
import type { Json } from '../../lib/json/json.ts';
import { findLossyValue } from '../../lib/json/json-precision.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';
import { parseJson, type JsonBounds } from '../../lib/json/parse-json.ts';
import type { TakeFile } from './webhook-files.ts';
import { readMultipart } from './multipart.ts';

const MAX_FIELDS = 10_000;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Returns a webhook's body as a value: JSON as it is, forms as an object, text as text, anything else as one
 * file; null without a body. Files are passed to `take`.
 * @throws {WeftError} VALIDATION_ERROR for malformed JSON, for JSON above its limits and for a malformed
 * form.
 */
export function readWebhookBody(
  bytes: Buffer,
  headers: {
    'content-type'?: string | undefined;
    'content-disposition'?: string | undefined;
    'content-encoding'?: string | undefined;
  },
  bounds: JsonBounds,
  take: TakeFile,
): Json | Promise<Json> {
  if (bytes.length === 0) return null;
  const type = parseMediaType(headers['content-type']);
  const kind = classifyMediaType(type);
  if (kind === 'json') {
    if (!isUtf8(bytes)) {
      requireNoEncoding(headers['content-encoding']);
      throw createValidationError([{ field: 'body', issue: 'is not valid UTF-8' }]);
    }
    const text = bytes.toString('utf8');
    return readJson(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text, bounds);
  }
  if (type === 'multipart/form-data') return readMultipart(bytes, headers['content-type'] ?? '', take);
  if ((kind === 'text' || type === '') && isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    return type === 'application/x-www-form-urlencoded' ? readFields(text, 'body') : text;
  }
  if (kind === 'text') requireNoEncoding(headers['content-encoding']);
  const name = readDispositionName(headers['content-disposition'] ?? '') ?? 'body';
  return take(name, type === '' ? 'application/octet-stream' : (headers['content-type'] ?? ''), bytes);
}

/** Returns the received bytes of a body in a form that JSON can represent. */
export function encodeRawBody(bytes: Buffer): { raw: string; raw_encoding: 'utf8' | 'base64' } {
  return isUtf8(bytes)
    ? { raw: bytes.toString('utf8'), raw_encoding: 'utf8' }
    : { raw: bytes.toString('base64'), raw_encoding: 'base64' };
}

/** Checked only for bodies that are parsed: compressed bytes cannot be. */
function requireNoEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw createValidationError([
    { field: 'content-encoding', issue: 'must be absent; compressed bodies are not supported' },
  ]);
}

/** Parses `a=1&b=2` into an object; a repeated name becomes an array. */
export function readFields(text: string, field: string): { [name: string]: Json } {
  if (text === '') return {};
  const fields: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > MAX_FIELDS)
      throw createValidationError([{ field, issue: `must have at most ${MAX_FIELDS} fields` }]);
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else fields[name] = [before, value];
  }
  return { ...fields };
}

function readJson(text: string, bounds: JsonBounds): Json {
  let value: Json;
  try {
    value = parseJson(text, bounds);
  } catch (error) {
    throw createValidationError([toJsonFieldError(error)]);
  }
  const wrong = findLossyValue(text, value, { root: 'body', unicode: false });
  if (wrong !== null) throw createValidationError([wrong]);
  return value;
}
