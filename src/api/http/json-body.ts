import { createValidationError } from '../../contract/errors.ts';
import { toJsonFieldError } from '../../contract/json-input.ts';
import { findLossyValue } from '../../lib/json/json-precision.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { endOfString, JsonBoundError, parseJson } from '../../lib/json/parse-json.ts';
import { limits } from '../../ports/limits.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

const QUOTE = 34;
const COMMA = 44;
/** Maximum length of the path in an error about nesting. */
const MAX_PATH_LENGTH = 500;
const COLON = 58;

/**
 * Parses the bytes of a body as JSON; undefined without any bytes.
 * @throws {WeftError} VALIDATION_ERROR when the body is not JSON, has too many values, nests too deep,
 * repeats a key or contains the key `__proto__` (parsers disagree on these), or contains a value that cannot
 * be stored exactly.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw createValidationError([{ field: 'body', issue: 'is not valid UTF-8' }]);
  }
  const value = parseBounded(text);
  const wrong = scan(text) ?? findLossyValue(text, value, { unicode: true });
  if (wrong !== null) throw createValidationError([wrong]);
  return value;
}

function parseBounded(text: string): unknown {
  try {
    return parseJson(text, limits.json);
  } catch (error) {
    // The limits are checked without building paths. For the error, the scan finds the path of the value
    // nested too deep.
    const nested = error instanceof JsonBoundError && error.bound === 'depth' ? scan(text) : null;
    throw createValidationError([nested ?? toJsonFieldError(error)]);
  }
}

/** Rejects compressed bodies, because their decompressed size is unknown before it is limited. */
export function requireNoEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw createValidationError([
    { field: 'content-encoding', issue: 'must be absent: compressed bodies are not supported' },
  ]);
}

/** `keys` is null for a list; `at` is the current key or index. */
type Frame = { keys: Set<string> | null; at: string | number; expectsKey: boolean };

/**
 * Finds the first key that is not allowed, or the value nested too deep. Assumes that `parseJson` has checked
 * the limits.
 */
function scan(text: string): { field: string; issue: string } | null {
  const open: Frame[] = [];
  let top: Frame | undefined;
  let found: { field: string; issue: string } | null = null;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = endOfString(text, i);
      if (top !== undefined && top.keys !== null && top.expectsKey) {
        const key = readKey(text, i, end);
        top.at = key;
        top.expectsKey = false;
        if (found === null && (key === '__proto__' || top.keys.has(key))) {
          found = {
            field: formatPath(open),
            issue: key === '__proto__' ? 'is not allowed as a key' : 'must not be repeated',
          };
        }
        top.keys.add(key);
      }
      i = end;
    } else if (code === 0x7b || code === 0x5b) {
      top = { keys: code === 0x7b ? new Set() : null, at: code === 0x7b ? '' : 0, expectsKey: true };
      open.push(top);
      if (open.length > limits.json.depth) {
        return {
          field: formatPath(open.slice(0, -1)).slice(0, MAX_PATH_LENGTH),
          issue: `is nested deeper than ${limits.json.depth} levels`,
        };
      }
    } else if (code === 0x7d || code === 0x5d) {
      open.pop();
      top = open.at(-1);
    } else if (code === COMMA && top !== undefined) {
      if (typeof top.at === 'number') top.at++;
      top.expectsKey = true;
    } else if (code === COLON && top !== undefined) top.expectsKey = false;
  }
  return found;
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}

function formatPath(open: readonly Frame[]): string {
  let path = '';
  for (const frame of open) path = appendKey(path, frame.at);
  return path;
}
