import type { Json } from './json.ts';

export type JsonBounds = {
  /** Values in the whole text, lists and objects included. */
  readonly values: number;
  /** Levels of lists and objects. */
  readonly depth: number;
  /** Names of one object. */
  readonly names: number;
};

/** The text exceeds a bound. The message completes a sentence that begins with the field: `has more than … values`. */
export class JsonBoundError extends Error {
  readonly bound: keyof JsonBounds;
  constructor(bound: keyof JsonBounds, message: string) {
    super(message);
    this.bound = bound;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Parses JSON whose values, names and nesting stay within the bounds. The text is checked before it is parsed, because parsing many
 * small values takes far more time and memory than their bytes suggest.
 * @throws {JsonBoundError} when a bound is exceeded.
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string, bounds: JsonBounds): Json {
  requireJsonBounds(text, bounds);
  return JSON.parse(text) as Json;
}

/**
 * Counts in one pass over the text; an empty list or object counts twice. For text that is not JSON the result is arbitrary; parsing it fails afterwards.
 * @throws {JsonBoundError}
 */
function requireJsonBounds(text: string, { values, depth, names }: JsonBounds): void {
  /** Values of each open list or object so far; negative for lists, whose length is bounded by `values` alone. */
  const open: number[] = [];
  let top = -1;
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      if (++top >= depth) throw new JsonBoundError('depth', `is nested deeper than ${depth} levels`);
      open[top] = code === 0x7b ? 1 : -Infinity;
      count++;
    } else if (code === 0x7d || code === 0x5d) {
      if (top >= 0) top--;
    } else if (code === COMMA) {
      count++;
      if (top >= 0 && ++open[top]! > names)
        throw new JsonBoundError('names', `has an object with more than ${names} names`);
    } else continue;
    if (count > values) throw new JsonBoundError('values', `has more than ${values} values`);
  }
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
