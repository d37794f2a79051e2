import type { Json } from './json.ts';

export type JsonBounds = {
  /** Values in the whole text, including lists and objects. */
  readonly values: number;
  /** Nesting of lists and objects. */
  readonly depth: number;
  /** Different names of objects in the whole text. */
  readonly names: number;
};

/**
 * The text exceeds a limit. The message completes a sentence that begins with the field: `has more than …
 * values`.
 */
export class JsonBoundError extends Error {
  readonly bound: keyof JsonBounds;
  constructor(bound: keyof JsonBounds, message: string) {
    super(message);
    this.bound = bound;
  }
}

/** Length of the shortest name with its value: `"":1`. */
const MIN_NAME_LENGTH = 4;
/** Digits that a double always represents exactly. */
const SAFE_DIGITS = 15;
/** Digits of the largest double. */
const MAX_DIGITS = 309;
const MANY_DIGITS = /[0-9]{16}/;
const INTEGER = /^-?[1-9][0-9]*$/;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/**
 * Parses JSON whose values, names and nesting are within the limits. The text is checked before it is parsed,
 * because parsing many small values takes far more time and memory than their size suggests. Integers are
 * exact, as in `parseExactJson`. @throws {JsonBoundError} when a limit is exceeded. @throws {SyntaxError}
 * when the text is not JSON.
 */
export function parseJson(text: string, bounds: JsonBounds): Json {
  requireJsonBounds(text, bounds);
  return parseExactJson(text);
}

/**
 * Counts in one pass over the text; an empty list or object counts twice. For text that is not JSON the
 * result is arbitrary; parsing fails afterwards. Different names are limited separately, because V8 creates a
 * new object shape for each, which takes many times as long as a value. @throws {JsonBoundError}
 */
export function requireJsonBounds(text: string, { values, depth, names }: JsonBounds): void {
  /** Null when the text is too short to contain more names than allowed. */
  const found = text.length < names * MIN_NAME_LENGTH ? null : new Set<string>();
  let open = 0;
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (found !== null && isFollowedByColon(text, end)) {
        found.add(text.slice(at + 1, end));
        if (found.size > names) throw new JsonBoundError('names', `has more than ${names} different names`);
      }
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (++open > depth) throw new JsonBoundError('depth', `is nested deeper than ${depth} levels`);
      count++;
    } else if (code === 0x7d || code === 0x5d) {
      if (open > 0) open--;
    } else if (code === COMMA) {
      count++;
    } else continue;
    if (count > values) throw new JsonBoundError('values', `has more than ${values} values`);
  }
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === COLON;
}

/** Whether the text is an integer that a double cannot represent, so that the parsed number would differ. */
export function isInexactInteger(text: string): boolean {
  if (text.length <= SAFE_DIGITS || !INTEGER.test(text)) return false;
  if (text.length > MAX_DIGITS + 1) return true;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return false;
  // The remainder of a double is exact, and much faster than BigInt.
  if (!Number.isFinite(number) || Math.abs(number) % 1e9 !== Number(text.slice(-9))) return true;
  return BigInt(text) !== BigInt(number);
}

/**
 * Parses JSON. An integer that a double cannot represent becomes a string of its digits; everything else is
 * as with `JSON.parse`. The literals are quoted before parsing, because a reviver would be an order of
 * magnitude slower. @throws {SyntaxError}
 */
export function parseExactJson(text: string, reviver?: (key: string, value: unknown) => unknown): Json {
  const quoted = MANY_DIGITS.test(text) ? quoteInexactIntegers(text) : text;
  try {
    return JSON.parse(quoted, reviver) as Json;
  } catch (error) {
    if (quoted === text) throw error;
    // Parses the original text, so that the error message has its positions.
    return JSON.parse(text, reviver) as Json;
  }
}

/** Only where a value may occur and a name may not, so that invalid JSON stays invalid. */
function quoteInexactIntegers(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  /** The last non-whitespace character before this one; the top level behaves like a list. */
  let before = OPEN_LIST;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOfNumber(code)) {
      const end = endOfNumber(text, at);
      if (end - at > SAFE_DIGITS && canPrecedeValue(before) && canFollowValue(text, end)) {
        const literal = text.slice(at, end);
        if (isInexactInteger(literal)) {
          pieces.push(text.slice(done, at), literal);
          done = end;
        }
      }
      at = end - 1;
    }
    before = code;
  }
  if (done === 0) return text;
  pieces.push(text.slice(done));
  // Every second part is a literal.
  return pieces.join('"');
}

function canPrecedeValue(code: number): boolean {
  return code === COLON || code === COMMA || code === OPEN_LIST;
}

function canFollowValue(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  const code = text.charCodeAt(at);
  return at === text.length || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Digits, signs, points and exponents. */
function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x65 ||
    code === 0x45
  );
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The position of the closing quote, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
