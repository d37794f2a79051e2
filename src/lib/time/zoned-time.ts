/** The maximum distance of a time from 1970, in milliseconds. */
export const MAX_TIME_MS = 8.64e15;
const MAX_FORMATTERS = 100;
const DAY_MS = 86_400_000;

/** A text that is not a time zone. */
export class TimeZoneError extends Error {
  override readonly name = 'TimeZoneError';
}

/** The local time in a zone. */
export interface WallClock {
  readonly year: number;
  /** 0 to 11. */
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  /** 1 is the first of January. */
  readonly yearDay: number;
  /** Minutes east of UTC. */
  readonly offset: number;
  /** Seconds since 1970. */
  readonly epoch: number;
  readonly zone: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Creating a formatter is slow, so the last hundred time zones are cached. */
function getFormatter(zone: string): Intl.DateTimeFormat {
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
    throw new TimeZoneError('must be a time zone such as Europe/Berlin');
  }
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

/** The local time in a zone, in milliseconds as if it were UTC. @throws {TimeZoneError} */
export function toWall(ms: number, zone: string): number {
  if (zone === 'UTC') return ms;
  const parts = new Map(
    getFormatter(zone)
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

/**
 * The time of a local time in a zone (milliseconds as if it were UTC). A local time that occurs twice is the
 * first one; a skipped one moves forward by the length of the gap. @throws {TimeZoneError}
 */
export function toUtcTime(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  // Clocks change by less than a day, and no two changes are that close together.
  const before = toWall(wall - DAY_MS, zone) - (wall - DAY_MS);
  const after = toWall(wall + DAY_MS, zone) - (wall + DAY_MS);
  const early = wall - Math.max(before, after);
  const late = wall - Math.min(before, after);
  if (toWall(early, zone) === wall) return early;
  if (toWall(late, zone) === wall) return late;
  return wall - before;
}

/** The local time in a zone. @throws {TimeZoneError} */
export function getWallClock(ms: number, zone: string): WallClock {
  const wall = toWall(ms, zone);
  const local = new Date(wall);
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
    yearDay: Math.floor((wall - yearStart.getTime()) / DAY_MS) + 1,
    offset: Math.round((wall - ms) / 60_000),
    epoch: Math.floor(ms / 1000),
    zone,
  };
}
