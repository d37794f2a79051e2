import { compileRegex, MAX_REGEX_WORK } from '../../../lib/text/regex.ts';
import { SchemaWorkError } from './schema-error.ts';

/** What all patterns together may cost in one check, in units of MAX_REGEX_WORK: a second or two at the worst. */
const MAX_PATTERN_WORK = 200_000_000;

/** A check is synchronous, so that one counter serves all. */
let work = 0;

/** Before each check. */
export function forgetPatternWork(): void {
  work = 0;
}

/**
 * The engine for `pattern` and `patternProperties`: linear-time, and counted. A text too long for its pattern does not match.
 * @throws RegexError when the pattern is wrong; `test`: {SchemaWorkError}
 */
export function schemaPattern(pattern: string): { test(text: string): boolean } {
  const regex = compileRegex(pattern);
  return {
    test(text) {
      const cost = regex.work(text.length);
      if (cost > MAX_REGEX_WORK) return false;
      work += cost;
      if (work > MAX_PATTERN_WORK)
        throw new SchemaWorkError('has patterns that take too long for what arrived');
      return regex.test(text);
    },
  };
}
