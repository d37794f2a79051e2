import { compileRegex, MAX_REGEX_WORK } from '../../../lib/text/regex.ts';
import { SchemaWorkError } from './schema-error.ts';

/**
 * Maximum work of all patterns in one validation, in units of MAX_REGEX_WORK: one to two seconds in the worst
 * case.
 */
const MAX_PATTERN_WORK = 200_000_000;

/** Validation is synchronous, so one counter is sufficient. */
let work = 0;

/** Called before each validation. */
export function resetPatternWork(): void {
  work = 0;
}

/**
 * The regex engine for `pattern` and `patternProperties`: linear time with counted work. A string that is too
 * long for its pattern does not match.
 * @throws {RegexError} if the pattern is invalid; `test` throws {SchemaWorkError}.
 */
export function compileSchemaPattern(pattern: string): { test(text: string): boolean } {
  const regex = compileRegex(pattern);
  return {
    test(text) {
      const cost = regex.work(text.length);
      if (cost > MAX_REGEX_WORK) return false;
      work += cost;
      if (work > MAX_PATTERN_WORK)
        throw new SchemaWorkError('has patterns that take too long for this input');
      return regex.test(text);
    },
  };
}
