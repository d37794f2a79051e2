import { countCharacters, sliceCharacters } from '../../lib/text/code-points.ts';
import { compileRegex, MAX_REGEX_WORK, RegexError } from '../../lib/text/regex.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { TemplateFunction } from '../function.ts';
import { readOptionalTextArg, spendText, readTextArg, readWholeArg } from '../function.ts';
import { MAX_VALUE_LENGTH } from '../limits.ts';
import { print } from '../result-limits.ts';

/** Units of work of a regular expression per step. */
const REGEX_WORK_PER_STEP = 50;

export const TEXT_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'upcase',
    usage: 'upcase',
    description: 'The string in upper case.',
    example: { template: '{{ "Weft" | upcase }}', result: 'WEFT' },
    min: 1,
    max: 1,
    run: (args, call) => readTextArg('upcase', args, 0, call).toUpperCase(),
  },
  {
    name: 'downcase',
    usage: 'downcase',
    description: 'The string in lower case.',
    example: { template: '{{ "Weft" | downcase }}', result: 'weft' },
    min: 1,
    max: 1,
    run: (args, call) => readTextArg('downcase', args, 0, call).toLowerCase(),
  },
  {
    name: 'capitalize',
    usage: 'capitalize',
    description: 'The string with the first letter in upper case, the rest in lower case.',
    example: { template: '{{ "dEAR john" | capitalize }}', result: 'Dear john' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('capitalize', args, 0, call);
      const first = text.codePointAt(0);
      if (first === undefined) return '';
      const letter = String.fromCodePoint(first);
      return letter.toUpperCase() + text.slice(letter.length).toLowerCase();
    },
  },
  {
    name: 'strip',
    usage: 'strip',
    description: 'The string without white space at its start and end.',
    example: { template: '{{ "  a b " | strip }}', result: 'a b' },
    min: 1,
    max: 1,
    run: (args, call) => readTextArg('strip', args, 0, call).trim(),
  },
  {
    name: 'split',
    usage: 'split: separator',
    description:
      'The parts of a string between a separator, as a list; an empty separator gives its characters.',
    example: { template: '{{ "a,b,c" | split: "," }}', result: ['a', 'b', 'c'] },
    min: 2,
    max: 2,
    run: (args, call) => {
      const text = readTextArg('split', args, 0, call);
      const separator = readTextArg('split', args, 1, call);
      if (separator === '') {
        call.spend(text.length);
        return Array.from(text);
      }
      const parts = text.split(separator);
      call.spend(parts.length);
      return parts;
    },
  },
  {
    name: 'replace',
    usage: 'replace: search, replacement',
    description: 'The string with every occurrence of one string replaced by another.',
    example: { template: '{{ "1.2.3" | replace: ".", "-" }}', result: '1-2-3' },
    min: 3,
    max: 3,
    run: (args, call) => {
      const text = readTextArg('replace', args, 0, call);
      const search = readTextArg('replace', args, 1, call);
      const replacement = readTextArg('replace', args, 2, call);
      if (search === '') return text;
      const parts = text.split(search);
      call.spend(parts.length);
      spendText(call, text.length + (parts.length - 1) * (replacement.length - search.length));
      return parts.join(replacement);
    },
  },
  {
    name: 'truncate',
    usage: 'truncate: length?, ending?',
    description: 'At most this many characters (50), the ending ("...") included where the string is cut.',
    example: { template: '{{ "The quick brown fox" | truncate: 12 }}', result: 'The quick...' },
    min: 1,
    max: 3,
    run: (args, call) => {
      const text = readTextArg('truncate', args, 0, call);
      const length = Math.max(0, readWholeArg('truncate', args, 1, 50));
      const ending = readOptionalTextArg('truncate', args, 2, '...');
      if (text.length <= length) return text;
      spendText(call, text.length);
      if (countCharacters(text) <= length) return text;
      return sliceCharacters(text, 0, Math.max(0, length - countCharacters(ending))) + ending;
    },
  },
  {
    name: 'to_string',
    usage: 'to_string',
    description: 'The value as it is printed inside other text: null as nothing, lists and objects as JSON.',
    example: { template: '{{ [1, true, "a"] | to_string }}', result: '[1,true,"a"]' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = print(args[0] ?? null, MAX_VALUE_LENGTH);
      spendText(call, text.length);
      return text;
    },
  },
  {
    name: 'startsWith',
    usage: 'startsWith: text',
    description: 'Whether a string starts with another.',
    example: { template: '{{ "workflow".startsWith("work") }}', result: true },
    min: 2,
    max: 2,
    run: (args, call) =>
      readTextArg('startsWith', args, 0, call).startsWith(readTextArg('startsWith', args, 1, call)),
  },
  {
    name: 'endsWith',
    usage: 'endsWith: text',
    description: 'Whether a string ends with another.',
    example: { template: '{{ "workflow".endsWith("flow") }}', result: true },
    min: 2,
    max: 2,
    run: (args, call) =>
      readTextArg('endsWith', args, 0, call).endsWith(readTextArg('endsWith', args, 1, call)),
  },
  {
    name: 'matches',
    usage: 'matches: pattern',
    description:
      'Whether a regular expression (without look-around and back references) matches anywhere in a string.',
    example: { template: '{{ "order 42".matches("^order [0-9]+$") }}', result: true },
    min: 2,
    max: 2,
    run: (args, call) => {
      const text = readTextArg('matches', args, 0, call);
      const pattern = readTextArg('matches', args, 1, call);
      try {
        const regex = compileRegex(pattern);
        call.spend(Math.ceil(Math.min(regex.work(text.length), MAX_REGEX_WORK) / REGEX_WORK_PER_STEP));
        return regex.test(text);
      } catch (error) {
        if (error instanceof RegexError) throw new TemplateEvaluationError(error.message);
        throw error;
      }
    },
  },
];
