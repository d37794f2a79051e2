import { RE2JS } from 're2js';

/** The longest pattern, in characters. */
export const MAX_PATTERN_LENGTH = 1000;
/** The most work one match may cost: instructions of the compiled pattern times characters of the text (about 20 ns each at worst). */
export const MAX_REGEX_WORK = 10_000_000;
const CACHE_SIZE = 500;

/** A pattern that cannot be compiled, or a text too long for its pattern. */
export class RegexError extends Error {
  override readonly name = 'RegexError';
}

/** A compiled pattern whose matching takes time linear in the text, whatever the pattern. */
export interface Regex {
  readonly pattern: string;
  /** What a match on a text of this many characters may cost, in units of MAX_REGEX_WORK. */
  work(length: number): number;
  /** True when the pattern matches anywhere in the text. @throws {RegexError} when the work would pass MAX_REGEX_WORK. */
  test(text: string): boolean;
  /**
   * The text with every match replaced; `$1` and `$<name>` stand for what a group matched.
   * @throws {RegexError} when the work would pass MAX_REGEX_WORK.
   */
  replace(text: string, replacement: string): string;
}

const cache = new Map<string, Regex>();

/**
 * Compiles a pattern, or takes it from a cache of the last 500. JavaScript's spelling (`\u0041`, `\cA`, `(?<name>…)`) is understood;
 * look-around and back references have no linear-time form and are refused.
 * @throws {RegexError} saying what is wrong with the pattern.
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
      `A regular expression is at most ${MAX_PATTERN_LENGTH} characters long; this one has ${pattern.length}`,
    );
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw new RegexError(`Wrong regular expression ${JSON.stringify(pattern)}: ${reason(error)}`);
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

/** True when the pattern matches anywhere in the text. @throws {RegexError} */
export function matches(pattern: string, text: string): boolean {
  return compileRegex(pattern).test(text);
}

/** What a JSON Schema validator needs of a regular expression. */
interface SchemaPattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The engine for Ajv's `code.regExp`, so that `pattern` in a schema is linear-time. A wrong pattern throws RegexError when the schema
 * is compiled; a text too long for its pattern does not match.
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
