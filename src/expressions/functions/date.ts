import type { Json } from '../../lib/json/json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Call, TemplateFunction } from '../function.ts';
import { readOptionalTextArg, readTextArg, createTypeError } from '../function.ts';
import { DirectiveError, strftime } from '../../lib/time/strftime.ts';
import { timeOfNumber, timeOfText } from '../../lib/time/parse-time.ts';
import { MAX_TIME_MS, TimeZoneError } from '../../lib/time/zoned-time.ts';

const MAX_FORMAT_LENGTH = 200;

export const DATE_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'date',
    usage: 'date: format?, timezone?',
    description:
      'A time from ISO 8601 string, seconds or milliseconds since 1970, or "now", printed with strftime directives (%Y %m %d %H %M %S …) in a time zone (UTC); without a format as ISO 8601.',
    example: {
      template: '{{ "2024-03-09T22:05:00Z" | date: "%d.%m.%Y %H:%M", "Europe/Berlin" }}',
      result: '09.03.2024 23:05',
    },
    min: 1,
    max: 3,
    run: (args, call) => {
      const ms = parseTime(args[0], call);
      if (args[1] === undefined || args[1] === null) return new Date(ms).toISOString();
      const format = readTextArg('date', args, 1, call);
      if (format.length > MAX_FORMAT_LENGTH) {
        throw new TemplateEvaluationError(
          `date: the format must have at most ${MAX_FORMAT_LENGTH} characters`,
        );
      }
      call.spend(50);
      return formatTime(ms, format, readOptionalTextArg('date', args, 2, 'UTC'));
    },
  },
];

function parseTime(value: Json | undefined, call: Call): number {
  const ms =
    typeof value === 'string'
      ? parseTimeText(value.trim(), call)
      : typeof value === 'number'
        ? timeOfNumber(value)
        : undefined;
  if (ms === undefined)
    throw createTypeError('date', 'an ISO 8601 string, a number of seconds or milliseconds, or "now"', value);
  if (!(Math.abs(ms) <= MAX_TIME_MS)) {
    throw new TemplateEvaluationError(
      'date: argument must be an ISO 8601 string such as 2024-03-09T22:05:00Z',
    );
  }
  return ms;
}

function parseTimeText(text: string, call: Call): number {
  return text === 'now' ? call.now : timeOfText(text);
}

/** Formats a time; errors name the `date` function. */
function formatTime(ms: number, format: string, zone: string): string {
  try {
    return strftime(ms, format, zone);
  } catch (error) {
    if (error instanceof DirectiveError || error instanceof TimeZoneError)
      throw new TemplateEvaluationError(`date ${error.message}`);
    throw error;
  }
}
