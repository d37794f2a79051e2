import type { Json } from '../../../lib/json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Call, TemplateFunction } from '../function.ts';
import { optionalText, textArg, wrong } from '../function.ts';

/** ISO 8601: a date, and optionally a time and an offset; without an offset, UTC. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** The form of e-mail and HTTP: `Tue, 15 Nov 1994 08:12:31 GMT`. */
const INTERNET =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/;
/** Numbers below this are seconds since 1970, others milliseconds: 10^11 is the year 5138 in seconds and 1973 in milliseconds. */
const SECONDS_BELOW = 1e11;
const MAX_MS = 8.64e15;
const MAX_FORMAT_LENGTH = 200;
const MAX_FORMATTERS = 100;

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

export const DATE_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'date',
    usage: 'date: format?, timezone?',
    description:
      'A time from ISO 8601 text, seconds or milliseconds since 1970, or "now", printed with strftime directives (%Y %m %d %H %M %S …) in a time zone (UTC); without a format as ISO 8601.',
    example: {
      template: '{{ "2024-03-09T22:05:00Z" | date: "%d.%m.%Y %H:%M", "Europe/Berlin" }}',
      result: '09.03.2024 23:05',
    },
    min: 1,
    max: 3,
    run: (args, call) => {
      const ms = parseTime(args[0], call);
      if (args[1] === undefined || args[1] === null) return new Date(ms).toISOString();
      const format = textArg('date', args, 1, call);
      if (format.length > MAX_FORMAT_LENGTH) {
        throw new TemplateEvaluationError(`date takes a format of at most ${MAX_FORMAT_LENGTH} characters`);
      }
      call.spend(50);
      return strftime(ms, format, optionalText('date', args, 2, 'UTC'));
    },
  },
];

function parseTime(value: Json | undefined, call: Call): number {
  const ms =
    typeof value === 'string'
      ? parseText(value.trim(), call)
      : typeof value === 'number'
        ? fromNumber(value)
        : undefined;
  if (ms === undefined)
    throw wrong('date', 'an ISO 8601 text, a number of seconds or milliseconds, or "now"', value);
  if (!(Math.abs(ms) <= MAX_MS)) {
    throw new TemplateEvaluationError(
      'date takes an ISO 8601 text such as 2024-03-09T22:05:00Z, and this text is none',
    );
  }
  return ms;
}

function fromNumber(value: number): number {
  return Math.abs(value) < SECONDS_BELOW ? Math.round(value * 1000) : Math.round(value);
}

function parseText(text: string, call: Call): number {
  if (text === 'now') return call.now;
  if (text.length > 60) return Number.NaN;
  const iso = ISO.exec(text);
  if (iso === null) return INTERNET.test(text) ? Date.parse(text) : Number.NaN;
  const [, day = '', time = '00:00', seconds = '00', fraction = '0', zone = 'Z'] = iso;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2');
  const ms = Date.parse(`${day}T${time}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  // JavaScript takes 30 February for 1 March.
  if (Number.isNaN(ms)) return ms;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? ms : Number.NaN;
}

interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  readonly yearDay: number;
  /** Minutes east of UTC. */
  readonly offset: number;
  readonly epoch: number;
  readonly zone: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter is slow, so the last hundred time zones are kept. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = formatters.get(zone);
  if (kept !== undefined) return kept;
  let formatter: Intl.DateTimeFormat;
  try {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new TemplateEvaluationError('date takes a time zone such as Europe/Berlin');
  }
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

/** The local time in a zone, read as if it were UTC. */
function localTime(ms: number, zone: string): number {
  if (zone === 'UTC') return ms;
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(ms)
      .map((part) => [part.type, part.value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const local = new Date(0);
  local.setUTCFullYear(year, number('month') - 1, number('day'));
  local.setUTCHours(number('hour'), number('minute'), number('second'), ((ms % 1000) + 1000) % 1000);
  return local.getTime();
}

function clockAt(ms: number, zone: string): Clock {
  const localMs = localTime(ms, zone);
  const local = new Date(localMs);
  const yearStart = new Date(0);
  yearStart.setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    ms: local.getUTCMilliseconds(),
    yearDay: Math.floor((localMs - yearStart.getTime()) / 86_400_000) + 1,
    offset: Math.round((localMs - ms) / 60_000),
    epoch: Math.floor(ms / 1000),
    zone,
  };
}

function pad(n: number, width: number, fill = '0'): string {
  return n < 0 ? `-${String(-n).padStart(width, fill)}` : String(n).padStart(width, fill);
}

function offsetOf(clock: Clock, separator: string): string {
  const minutes = Math.abs(clock.offset);
  return `${clock.offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
}

/** Thursday decides which year a week of ISO 8601 belongs to. */
function isoWeek(clock: Clock): { year: number; week: number } {
  const thursday = new Date(0);
  thursday.setUTCFullYear(clock.year, clock.month, clock.day + 4 - (clock.weekday || 7));
  const start = new Date(0);
  start.setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - start.getTime()) / 604_800_000) + 1;
  return { year: thursday.getUTCFullYear(), week };
}

const DIRECTIVES: ReadonlyMap<string, (clock: Clock) => string> = new Map<string, (clock: Clock) => string>([
  ['Y', (c) => pad(c.year, 4)],
  ['y', (c) => pad(((c.year % 100) + 100) % 100, 2)],
  ['m', (c) => pad(c.month + 1, 2)],
  ['B', (c) => MONTHS[c.month] ?? ''],
  ['b', (c) => MONTHS[c.month]?.slice(0, 3) ?? ''],
  ['d', (c) => pad(c.day, 2)],
  ['e', (c) => pad(c.day, 2, ' ')],
  ['j', (c) => pad(c.yearDay, 3)],
  ['A', (c) => DAYS[c.weekday] ?? ''],
  ['a', (c) => DAYS[c.weekday]?.slice(0, 3) ?? ''],
  ['u', (c) => String(c.weekday || 7)],
  ['w', (c) => String(c.weekday)],
  ['H', (c) => pad(c.hour, 2)],
  ['I', (c) => pad(c.hour % 12 || 12, 2)],
  ['p', (c) => (c.hour < 12 ? 'AM' : 'PM')],
  ['M', (c) => pad(c.minute, 2)],
  ['S', (c) => pad(c.second, 2)],
  ['L', (c) => pad(c.ms, 3)],
  ['s', (c) => String(c.epoch)],
  ['z', (c) => offsetOf(c, '')],
  ['Z', (c) => (c.zone === 'UTC' ? 'UTC' : offsetOf(c, ':'))],
  ['F', (c) => `${pad(c.year, 4)}-${pad(c.month + 1, 2)}-${pad(c.day, 2)}`],
  ['T', (c) => `${pad(c.hour, 2)}:${pad(c.minute, 2)}:${pad(c.second, 2)}`],
  ['R', (c) => `${pad(c.hour, 2)}:${pad(c.minute, 2)}`],
  ['D', (c) => `${pad(c.month + 1, 2)}/${pad(c.day, 2)}/${pad(((c.year % 100) + 100) % 100, 2)}`],
  ['V', (c) => pad(isoWeek(c).week, 2)],
  ['G', (c) => pad(isoWeek(c).year, 4)],
  ['%', () => '%'],
]);

/** Prints a time; `%-d` leaves the padding away. @throws {TemplateEvaluationError} for an unknown directive. */
function strftime(ms: number, format: string, zone: string): string {
  const clock = clockAt(ms, zone);
  return format.replace(/%(-?)(.?)/gsu, (_, minus: string, letter: string) => {
    const directive = DIRECTIVES.get(letter);
    if (directive === undefined)
      throw new TemplateEvaluationError(`date does not know the directive %${minus}${letter}`);
    const text = directive(clock);
    return minus === '' ? text : text.replace(/^[0 ]+(?=\d)/, '');
  });
}
