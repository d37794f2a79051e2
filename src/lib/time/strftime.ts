import { getWallClock, type WallClock } from './zoned-time.ts';

export const MONTHS =
  'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** An unknown directive, such as `%Q`. */
export class DirectiveError extends Error {
  override readonly name = 'DirectiveError';
}

function pad(n: number, width: number, fill = '0'): string {
  return n < 0 ? `-${String(-n).padStart(width, fill)}` : String(n).padStart(width, fill);
}

function formatOffset(clock: WallClock, separator: string): string {
  const minutes = Math.abs(clock.offset);
  return `${clock.offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
}

/** The Thursday of an ISO 8601 week decides its year. */
export function computeIsoWeek(clock: WallClock): { year: number; week: number } {
  const thursday = new Date(0);
  thursday.setUTCFullYear(clock.year, clock.month, clock.day + 4 - (clock.weekday || 7));
  const start = new Date(0);
  start.setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - start.getTime()) / 604_800_000) + 1;
  return { year: thursday.getUTCFullYear(), week };
}

const DIRECTIVES: ReadonlyMap<string, (clock: WallClock) => string> = new Map<
  string,
  (clock: WallClock) => string
>([
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
  ['z', (c) => formatOffset(c, '')],
  ['Z', (c) => (c.zone === 'UTC' ? 'UTC' : formatOffset(c, ':'))],
  ['F', (c) => `${pad(c.year, 4)}-${pad(c.month + 1, 2)}-${pad(c.day, 2)}`],
  ['T', (c) => `${pad(c.hour, 2)}:${pad(c.minute, 2)}:${pad(c.second, 2)}`],
  ['R', (c) => `${pad(c.hour, 2)}:${pad(c.minute, 2)}`],
  ['D', (c) => `${pad(c.month + 1, 2)}/${pad(c.day, 2)}/${pad(((c.year % 100) + 100) % 100, 2)}`],
  ['V', (c) => pad(computeIsoWeek(c).week, 2)],
  ['G', (c) => pad(computeIsoWeek(c).year, 4)],
  ['%', () => '%'],
]);

/**
 * Formats a time by strftime's directives; `%-d` omits the padding. @throws {DirectiveError} {TimeZoneError}
 */
export function strftime(ms: number, format: string, zone: string): string {
  const clock = getWallClock(ms, zone);
  return format.replace(/%(-?)(.?)/gsu, (_, minus: string, letter: string) => {
    const directive = DIRECTIVES.get(letter);
    if (directive === undefined)
      throw new DirectiveError(`does not support the directive %${minus}${letter}`);
    const text = directive(clock);
    return minus === '' ? text : text.replace(/^[0 ]+(?=\d)/, '');
  });
}
