import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { DirectiveError, computeIsoWeek, strftime } from '../../lib/time/strftime.ts';
import { strptime, TimeFormatError } from '../../lib/time/strptime.ts';
import { timeOfNumber, timeOfText } from '../../lib/time/parse-time.ts';
import { getWallClock, toUtcTime, TimeZoneError, toWall } from '../../lib/time/zoned-time.ts';
import { defineNode } from '../define-node.ts';
import { closed, oneOfTexts, tagged } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import {
  addAmount,
  countUnits,
  findPeriodEnd,
  PERIODS,
  findPeriodStart,
  UNITS,
  type Amount,
} from './calendar.ts';
import { DataError, toFailure } from './data-error.ts';
import { describeType } from './items.ts';
import { outputField, createOutcome, valueField, readValue } from './value.ts';

const value = valueField('The time: ISO 8601, seconds or milliseconds since 1970, or "now"');
const time = (description: string) => Type.Unsafe<Json>({ description });
const timezone = Type.Optional(
  Type.String({
    maxLength: 100,
    default: 'UTC',
    description:
      'A time zone such as Europe/Berlin. It applies to calendar calculations, to input without an offset, and to the result.',
  }),
);
const format = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const period = oneOfTexts(PERIODS);
const weekStart = Type.Optional(oneOfTexts(['monday', 'sunday'], { default: 'monday' }));
const output = outputField();
const amount = closed(
  Object.fromEntries(
    UNITS.map((unit) => [unit, Type.Optional(Type.Integer({ minimum: -1e12, maximum: 1e12 }))]),
  ) as Record<(typeof UNITS)[number], ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>>,
  {
    minProperties: 1,
    description:
      'The amount, such as {"months": 1, "hours": -2}. Years to days follow the calendar: the hour is kept across daylight saving changes, and 31 January plus one month is the last day of February.',
  },
);

const DateTimeConfig = tagged('operation', [
  closed(
    {
      operation: Type.Literal('now'),
      format: Type.Optional(format('The output format, as in the operation format. Default: ISO 8601.')),
      timezone,
      output,
    },
    { title: 'Now' },
  ),
  closed(
    {
      operation: Type.Literal('format'),
      value,
      format: format('strftime directives such as %d.%m.%Y %H:%M; the same as in the template filter date.'),
      timezone,
      output,
    },
    { title: 'Format' },
  ),
  closed(
    {
      operation: Type.Literal('parse'),
      value,
      format: Type.Optional(
        format(
          'The format of the text, using %Y %y %m %d %e %H %I %M %S %L %p %b %B %a %A %z %s %F %T %R %D.',
        ),
      ),
      timezone,
      output,
    },
    { title: 'Parse' },
  ),
  closed({ operation: Type.Literal('add'), value, amount, timezone, output }, { title: 'Add' }),
  closed({ operation: Type.Literal('subtract'), value, amount, timezone, output }, { title: 'Subtract' }),
  closed(
    {
      operation: Type.Literal('difference'),
      from: time('The start time, as for value.'),
      to: time('The end time.'),
      unit: Type.Optional(
        oneOfTexts(UNITS, {
          default: 'days',
          description: 'The unit. Partial units are truncated toward zero.',
        }),
      ),
      timezone,
      output,
    },
    { title: 'Difference' },
  ),
  closed(
    { operation: Type.Literal('start_of'), value, period, weekStart, timezone, output },
    { title: 'Start of' },
  ),
  closed(
    { operation: Type.Literal('end_of'), value, period, weekStart, timezone, output },
    { title: 'End of' },
  ),
  closed(
    {
      operation: Type.Literal('compare'),
      value,
      to: time('The time to compare with.'),
      period: Type.Optional(
        oneOfTexts(PERIODS, { description: 'Two times in the same period count as the same.' }),
      ),
      weekStart,
      timezone,
      output,
    },
    { title: 'Compare' },
  ),
  closed({ operation: Type.Literal('parts'), value, timezone, output }, { title: 'Parts' }),
]);
type DateTimeConfig = Static<typeof DateTimeConfig>;

export const dateTime = defineNode({
  type: 'date_time',
  version: '1.0.0',
  name: 'Date and time',
  category: 'data',
  description:
    'Parses, formats, shifts and compares dates and times, or splits them into parts. Supports all time zones and the years 1 to 9999. Times are returned in ISO 8601.',
  icon: 'calendar-clock',
  keywords: [
    'date',
    'time',
    'now',
    'today',
    'time zone',
    'timezone',
    'timestamp',
    'format date',
    'parse date',
    'calendar',
    'weekday',
  ],
  config: DateTimeConfig,
  templates: { operation: 'literal', output: 'literal' },
  outputs: [
    {
      name: 'out',
      type: 'any',
      description:
        'The time or text; for difference a number; for compare before, same or after; for parts an object',
    },
  ],
  effects: 'none',
  check: validateZone,
  run(ctx, config, input) {
    try {
      return createOutcome(config, input, computeResult(config as DateTimeConfig, input, ctx.now()));
    } catch (error) {
      return toFailure(error);
    }
  },
  examples: [
    {
      title: 'Format a time for Berlin',
      config: {
        operation: 'format',
        value: '{{ input.created_at }}',
        format: '%d.%m.%Y %H:%M',
        timezone: 'Europe/Berlin',
      },
      input: { created_at: '2026-03-09T22:05:00Z' },
      outputs: { out: '09.03.2026 23:05' },
    },
    {
      title: 'Parse a custom format and keep the other fields',
      config: {
        operation: 'parse',
        value: '{{ input.date }}',
        format: '%d.%m.%Y',
        timezone: 'Europe/Berlin',
        output: 'at',
      },
      input: { date: '24.12.2026' },
      outputs: { out: { date: '24.12.2026', at: '2026-12-24T00:00:00.000+01:00' } },
    },
    {
      title: 'Add a month across a daylight saving change',
      config: { operation: 'add', amount: { months: 1 }, timezone: 'Europe/Berlin' },
      input: '2026-02-28T09:00:00+01:00',
      outputs: { out: '2026-03-28T09:00:00.000+01:00' },
    },
    {
      title: 'Count whole days until a date',
      config: { operation: 'difference', from: '{{ input.today }}', to: '{{ input.due }}' },
      input: { today: '2026-01-30', due: '2026-03-01T12:00:00Z' },
      outputs: { out: 30 },
    },
    {
      title: 'Start of the week',
      config: { operation: 'start_of', period: 'week' },
      input: '2026-01-01T15:00:00Z',
      outputs: { out: '2025-12-29T00:00:00.000Z' },
    },
    {
      title: 'Compare by day',
      config: {
        operation: 'compare',
        value: '{{ input.a }}',
        to: '{{ input.b }}',
        period: 'day',
        timezone: 'America/New_York',
      },
      input: { a: '2026-05-01T03:00:00Z', b: '2026-04-30T12:00:00Z' },
      outputs: { out: 'same' },
    },
    {
      title: 'Text that is not a time',
      config: { operation: 'parse' },
      input: '2026-02-30',
      failure: 'validation',
    },
  ],
});

function computeResult(config: DateTimeConfig, input: Json, now: number): Json {
  const zone = readZone(config.timezone);
  const read = (given: Json, field: string): number => parseTimeValue(given, field, zone, now);
  const first = (): number => read(readValue(config as { value?: Json }, input), 'value');
  switch (config.operation) {
    case 'now':
      return config.format === undefined ? formatIso(now, zone) : formatTime(now, config.format, zone);
    case 'format':
      return formatTime(first(), config.format, zone);
    case 'parse':
      return formatIso(config.format === undefined ? first() : parseFormatted(config, input, zone), zone);
    case 'add':
      return formatIso(checkRange(addAmount(first(), config.amount, zone), 'amount'), zone);
    case 'subtract':
      return formatIso(checkRange(addAmount(first(), negate(config.amount), zone), 'amount'), zone);
    case 'difference':
      return countUnits(read(config.from, 'from'), read(config.to, 'to'), config.unit ?? 'days', zone);
    case 'start_of':
      return formatIso(findPeriodStart(first(), config.period, zone, readWeekStart(config)), zone);
    case 'end_of':
      return formatIso(findPeriodEnd(first(), config.period, zone, readWeekStart(config)), zone);
    case 'compare': {
      const [a, b] = [first(), read(config.to, 'to')].map((ms) =>
        config.period === undefined ? ms : findPeriodStart(ms, config.period, zone, readWeekStart(config)),
      ) as [number, number];
      return a === b ? 'same' : a < b ? 'before' : 'after';
    }
    default:
      return splitTime(first(), zone);
  }
}

function readWeekStart(config: { weekStart?: 'monday' | 'sunday' }): number {
  return config.weekStart === 'sunday' ? 0 : 1;
}

function negate(given: Amount): Amount {
  return Object.fromEntries(Object.entries(given).map(([unit, count]) => [unit, -count]));
}

/** ISO 8601 years have four digits. */
const MIN_TIME_MS = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIME_MS = Date.parse('9999-12-31T00:00:00Z');

function checkRange(ms: number, field: string): number {
  if (ms >= MIN_TIME_MS && ms <= MAX_TIME_MS) return ms;
  throw new DataError(field, 'must be in the years 1 to 9999');
}

function parseTimeValue(given: Json, field: string, zone: string, now: number): number {
  if (given === 'now') return now;
  if (typeof given !== 'string' && typeof given !== 'number')
    throw new DataError(field, `must be a time as a string or number, not ${describeType(given)}`);
  const ms =
    typeof given === 'number'
      ? timeOfNumber(given)
      : timeOfText(given.trim(), (wall) => toUtcTime(wall, zone));
  if (Number.isNaN(ms))
    throw new DataError(
      field,
      `must be a time such as 2026-03-09T22:05:00Z, not ${JSON.stringify(given).slice(0, 80)}`,
    );
  return checkRange(ms, field);
}

function parseFormatted(config: { value?: Json; format?: string }, input: Json, zone: string): number {
  const text = readValue(config, input);
  if (typeof text !== 'string') throw new DataError('value', `must be a string, not ${describeType(text)}`);
  try {
    return checkRange(
      strptime(text, config.format ?? '', (wall) => toUtcTime(wall, zone)),
      'value',
    );
  } catch (error) {
    if (error instanceof TimeFormatError) throw new DataError('value', error.message);
    throw error;
  }
}

function formatTime(ms: number, text: string, zone: string): string {
  try {
    return strftime(ms, text, zone);
  } catch (error) {
    if (error instanceof DirectiveError) throw new DataError('format', error.message);
    throw error;
  }
}

/**
 * Formats with the offset of the zone, or in UTC if the offset is not a whole minute (before standard time
 * zones).
 */
function formatIso(ms: number, zone: string): string {
  const offset = toWall(ms, zone) - ms;
  if (zone === 'UTC' || offset % 60_000 !== 0) return new Date(ms).toISOString();
  return strftime(ms, '%Y-%m-%dT%H:%M:%S.%L%Z', zone);
}

function splitTime(ms: number, zone: string): JsonObject {
  const {
    year,
    month,
    day,
    weekday: sunday,
    hour,
    minute,
    second,
    ms: millisecond,
    yearDay,
    offset,
  } = getWallClock(ms, zone);
  const week = computeIsoWeek(getWallClock(ms, zone));
  return {
    year,
    quarter: Math.floor(month / 3) + 1,
    month: month + 1,
    day,
    weekday: sunday === 0 ? 7 : sunday,
    hour,
    minute,
    second,
    millisecond,
    year_day: yearDay,
    week: week.week,
    week_year: week.year,
    offset_minutes: offset,
    epoch_ms: ms,
  };
}

function readZone(zone = 'UTC'): string {
  const issue = findZoneIssue(zone);
  if (issue !== null) throw new DataError('timezone', issue);
  return zone;
}

function validateZone({ timezone: zone }: JsonObject): FieldError[] {
  if (typeof zone !== 'string' || isTemplated(zone)) return [];
  const issue = findZoneIssue(zone);
  return issue === null ? [] : [{ field: 'timezone', issue }];
}

function findZoneIssue(zone: string): string | null {
  try {
    toWall(0, zone);
    return null;
  } catch (error) {
    if (error instanceof TimeZoneError) return error.message;
    throw error;
  }
}
