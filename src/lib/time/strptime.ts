import { MONTHS } from './strftime.ts';
import { timeOfNumber } from './parse-time.ts';

/** A text that does not match its format. */
export class TimeFormatError extends Error {
  override readonly name = 'TimeFormatError';
}

type Fields = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  afternoon: boolean | null;
  /** Minutes east of UTC. */
  offset: number | null;
  epoch: number | null;
};
type Directive = {
  readonly pattern: RegExp;
  readonly what: string;
  read(fields: Fields, text: string): void;
};

const MONTH_NAMES = MONTHS.map((name) => name.toLowerCase());
const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['Y', digits(/\d{4}/y, 'a year of four digits', 'year')],
  [
    'y',
    {
      pattern: /\d{2}/y,
      what: 'a year of two digits',
      read(fields, text) {
        const year = Number(text);
        fields.year = year + (year < 69 ? 2000 : 1900);
      },
    },
  ],
  ['m', digits(/\d{1,2}/y, 'a month', 'month')],
  ['d', digits(/ ?\d{1,2}/y, 'a day', 'day')],
  ['e', digits(/ ?\d{1,2}/y, 'a day', 'day')],
  ['H', digits(/ ?\d{1,2}/y, 'an hour', 'hour')],
  ['I', digits(/ ?\d{1,2}/y, 'an hour', 'hour')],
  ['M', digits(/\d{1,2}/y, 'a minute', 'minute')],
  ['S', digits(/\d{1,2}/y, 'a second', 'second')],
  [
    'L',
    {
      pattern: /\d{1,9}/y,
      what: 'a part of a second',
      read: (fields, text) => void (fields.ms = Number(text.padEnd(3, '0').slice(0, 3))),
    },
  ],
  [
    'p',
    {
      pattern: /[ap]m/iy,
      what: 'AM or PM',
      read: (fields, text) => void (fields.afternoon = /^p/i.test(text)),
    },
  ],
  ['b', monthName()],
  ['B', monthName()],
  ['a', { pattern: /[A-Za-z]{3,9}/y, what: 'a day of the week', read() {} }],
  ['A', { pattern: /[A-Za-z]{3,9}/y, what: 'a day of the week', read() {} }],
  ['z', { pattern: /Z|[+-]\d{2}:?\d{2}/iy, what: 'an offset such as +01:00', read: readOffset }],
  [
    's',
    {
      pattern: /-?\d{1,12}/y,
      what: 'seconds since 1970',
      read: (fields, text) => void (fields.epoch = Number(text)),
    },
  ],
]);
/** Directives that are shorthands for others. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['F', '%Y-%m-%d'],
  ['T', '%H:%M:%S'],
  ['R', '%H:%M'],
  ['D', '%m/%d/%y'],
]);

/**
 * Parses a text by strftime's directives. `place` converts a local time without an offset (milliseconds as if
 * it were UTC). Fields that the format omits have their first value; it must contain a year or seconds since
 * 1970. A space in the format matches any whitespace, including none. @throws {TimeFormatError} with the
 * expected part and its position.
 */
export function strptime(text: string, format: string, placeAt: (wall: number) => number): number {
  const fields: Fields = {
    year: Number.NaN,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    ms: 0,
    afternoon: null,
    offset: null,
    epoch: null,
  };
  const whole = format.replace(/%([FTRD])/g, (_, letter: string) => SHORTHANDS.get(letter) ?? '');
  let at = 0;
  for (const [part, letter] of whole.matchAll(/%-?(.?)|\s+|[^%\s]/gsu)) {
    if (letter !== undefined && letter !== '%') at = readDirective(part, letter, text, at, fields);
    else if (/^\s/.test(part)) while (/\s/.test(text[at] ?? '')) at++;
    else {
      const literal = letter === '%' ? '%' : part;
      if (!text.startsWith(literal, at)) throw expected(JSON.stringify(literal), at);
      at += literal.length;
    }
  }
  if (at < text.length) throw expected('the end', at);
  return toTime(fields, placeAt);
}

function readDirective(part: string, letter: string, text: string, at: number, fields: Fields): number {
  const directive = DIRECTIVES.get(letter);
  if (directive === undefined) throw new TimeFormatError(`cannot be read by the directive ${part}`);
  directive.pattern.lastIndex = at;
  const match = directive.pattern.exec(text)?.[0];
  if (match === undefined) throw expected(`${directive.what} (${part})`, at);
  directive.read(fields, match);
  return at + match.length;
}

function toTime(fields: Fields, placeAt: (wall: number) => number): number {
  if (fields.epoch !== null) return timeOfNumber(fields.epoch) + fields.ms;
  const { year, month, day, minute, second, ms, afternoon, offset } = fields;
  if (Number.isNaN(year)) throw new TimeFormatError('must have a format with a year (%Y)');
  const hour = afternoon === null ? fields.hour : (fields.hour % 12) + (afternoon ? 12 : 0);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const fits =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60 &&
    (afternoon === null || (fields.hour >= 1 && fields.hour <= 12));
  if (!fits) throw new TimeFormatError('is not an existing date and time');
  const wall = date.setUTCHours(hour, minute, second, ms);
  return offset === null ? placeAt(wall) : wall - offset * 60_000;
}

function digits(
  pattern: RegExp,
  what: string,
  name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
): Directive {
  return { pattern, what, read: (fields, text) => void (fields[name] = Number(text)) };
}

function monthName(): Directive {
  return {
    pattern: /[A-Za-z]{3,9}/y,
    what: 'the English name of a month',
    read(fields, text) {
      const name = text.toLowerCase();
      const month = MONTH_NAMES.findIndex((known) => known === name || known.slice(0, 3) === name);
      if (month < 0) throw new TimeFormatError(`contains ${text}, which is not the English name of a month`);
      fields.month = month + 1;
    },
  };
}

function readOffset(fields: Fields, text: string): void {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  fields.offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}

function expected(what: string, at: number): TimeFormatError {
  return new TimeFormatError(`does not fit the format: ${what} is expected at character ${at + 1}`);
}
