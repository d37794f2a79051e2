import { toUtcTime, toWall } from '../../lib/time/zoned-time.ts';

/** From largest to smallest. Units from `hours` on have a constant length. */
export const UNITS = [
  'years',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
] as const;
export type Unit = (typeof UNITS)[number];
export type Amount = { readonly [U in Unit]?: number };

const EXACT_UNITS_MS: Readonly<Record<'hours' | 'minutes' | 'seconds' | 'milliseconds', number>> = {
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
};
const DAY_MS = 86_400_000;

/**
 * Adds an amount, larger units first. Years to days follow the calendar and the local time of the zone: the
 * hour is kept across daylight saving changes, and 31 January plus one month is the last day of February.
 * Hours and smaller units are exact.
 */
export function addAmount(ms: number, amount: Amount, zone: string): number {
  const {
    years = 0,
    months = 0,
    weeks = 0,
    days = 0,
    hours = 0,
    minutes = 0,
    seconds = 0,
    milliseconds = 0,
  } = amount;
  const exact =
    hours * EXACT_UNITS_MS.hours +
    minutes * EXACT_UNITS_MS.minutes +
    seconds * EXACT_UNITS_MS.seconds +
    milliseconds * EXACT_UNITS_MS.milliseconds;
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return ms + exact;
  const wall = addMonths(toWall(ms, zone), years * 12 + months) + (weeks * 7 + days) * DAY_MS;
  return Number.isFinite(wall) ? toUtcTime(wall, zone) + exact : Number.NaN;
}

function addMonths(wall: number, months: number): number {
  if (months === 0) return wall;
  const date = new Date(wall);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const next = new Date(date.getTime());
  next.setUTCMonth(next.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, next.getUTCDate()));
}

/**
 * Returns the number of whole units between two times, truncated toward zero; negative if `to` is earlier.
 */
export function countUnits(from: number, to: number, unit: Unit, zone: string): number {
  if (unit in EXACT_UNITS_MS)
    return Math.trunc((to - from) / EXACT_UNITS_MS[unit as keyof typeof EXACT_UNITS_MS]) + 0;
  const sign = to < from ? -1 : 1;
  const length = { years: 365.2425, months: 30.436875, weeks: 7, days: 1 }[
    unit as 'years' | 'months' | 'weeks' | 'days'
  ];
  // The estimate is off by at most one; adjust it to the largest amount that fits.
  let count = Math.max(0, Math.floor(Math.abs(to - from) / (length * DAY_MS)) - 1);
  while ((to - addAmount(from, { [unit]: sign * (count + 1) }, zone)) * sign >= 0) count++;
  return count === 0 ? 0 : sign * count;
}

export const PERIODS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
export type Period = (typeof PERIODS)[number];

/** The first moment of the period that contains a time. `weekStart` is 0 for Sunday, 1 for Monday. */
export function findPeriodStart(ms: number, period: Period, zone: string, weekStart: number): number {
  const wall = toWall(ms, zone);
  const within = {
    hour: EXACT_UNITS_MS.hours,
    minute: EXACT_UNITS_MS.minutes,
    second: EXACT_UNITS_MS.seconds,
  }[period as 'hour' | 'minute' | 'second'];
  // Subtract within a day from the time itself, because an hour may occur twice.
  if (within !== undefined) return ms - (((wall % within) + within) % within);
  const date = new Date(wall);
  date.setUTCHours(0, 0, 0, 0);
  if (period === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() - weekStart + 7) % 7));
  else if (period === 'month') date.setUTCDate(1);
  else if (period === 'quarter') date.setUTCMonth(Math.floor(date.getUTCMonth() / 3) * 3, 1);
  else if (period === 'year') date.setUTCMonth(0, 1);
  return toUtcTime(date.getTime(), zone);
}

const PERIOD_LENGTHS: Readonly<Record<Period, Amount>> = {
  year: { years: 1 },
  quarter: { months: 3 },
  month: { months: 1 },
  week: { weeks: 1 },
  day: { days: 1 },
  hour: { hours: 1 },
  minute: { minutes: 1 },
  second: { seconds: 1 },
};

/** The last millisecond of the period that contains a time. */
export function findPeriodEnd(ms: number, period: Period, zone: string, weekStart: number): number {
  const start = findPeriodStart(ms, period, zone, weekStart);
  const next = addAmount(start, PERIOD_LENGTHS[period], zone);
  // A day whose midnight was skipped starts later but ends like the others.
  const exact = period === 'hour' || period === 'minute' || period === 'second';
  return (exact ? next : findPeriodStart(next, period, zone, weekStart)) - 1;
}
