import { RE2JS } from 're2js';

/** Maximum length of a pattern, in characters. */
export const MAX_PATTERN_LENGTH = 1000;
/**
 * Maximum work of one match: instructions of the compiled pattern times characters of the text (at most about
 * 20 ns each).
 */
export const MAX_REGEX_WORK = 10_000_000;
const CACHE_SIZE = 500;

/** A pattern that cannot be compiled, or a text that is too long for its pattern. */
export class RegexError extends Error {
  override readonly name = 'RegexError';
}

/** A compiled pattern that matches in time linear in the text. */
export interface Regex {
  readonly pattern: string;
  /** The maximum work of a match on a text of this length, in the unit of MAX_REGEX_WORK. */
  work(length: number): number;
  /**
   * Whether the pattern matches anywhere in the text. @throws {RegexError} when the work would exceed
   * MAX_REGEX_WORK.
   */
  test(text: string): boolean;
  /**
   * Replaces every match; `$1` and `$<name>` refer to groups. @throws {RegexError} when the work would exceed
   * MAX_REGEX_WORK.
   */
  replace(text: string, replacement: string): string;
}

const cache = new Map<string, Regex>();

/**
 * Compiles a pattern, with a cache of the last 500. JavaScript's syntax (`\u0041`, `\cA`, `(?<name>…)`) is
 * supported, except look-around and back references, which cannot be matched in linear time. @throws
 * {RegexError} with the reason.
 */
export function compileRegex(pattern: string): Regex {
  const cached = cache.get(pattern);
  if (cached !== undefined) {
    cache.delete(pattern);
    cache.set(pattern, cached);
    return cached;
  }
  const regex = compile(pattern);
  if (cache.size >= CACHE_SIZE) {
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(pattern, regex);
  return regex;
}

function compile(pattern: string): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new RegexError(
      `A regular expression must have at most ${MAX_PATTERN_LENGTH} characters; this one has ${pattern.length}`,
    );
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw new RegexError(`Invalid regular expression ${JSON.stringify(pattern)}: ${reason(error)}`);
  }
  const size = Math.max(1, compiled.programSize());
  const work = (length: number): number => size * (length + 1);
  const bound = (text: string): void => {
    if (work(text.length) > MAX_REGEX_WORK) {
      throw new RegexError(
        `A text of ${text.length} characters is too long for the regular expression ${JSON.stringify(pattern)}`,
      );
    }
  };
  return {
    pattern,
    work,
    test(text) {
      bound(text);
      return compiled.test(text);
    },
    replace(text, replacement) {
      bound(text);
      return compiled.matcher(text).replaceAll(replacement);
    },
  };
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
  return /Perl syntax|named capture|invalid escape/.test(text)
    ? `${text} (look-around and back references are not supported)`
    : text;
}

/** Whether the pattern matches anywhere in the text. @throws {RegexError} */
export function matchesPattern(pattern: string, text: string): boolean {
  return compileRegex(pattern).test(text);
}

/** The part of RegExp that a JSON Schema validator uses. */
interface SchemaPattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The engine for Ajv's `code.regExp`, so that `pattern` in a schema is linear-time. An invalid pattern throws
 * RegexError when the schema is compiled; a text that is too long for its pattern does not match.
 */
export const schemaRegExp: ((pattern: string, flags: string) => SchemaPattern) & { code: string } =
  Object.assign(
    (pattern: string): SchemaPattern => {
      const regex = compileRegex(pattern);
      return {
        test: (text) => regex.work(text.length) <= MAX_REGEX_WORK && regex.test(text),
        toString: () => pattern,
      };
    },
    { code: 'schemaRegExp' },
  );
