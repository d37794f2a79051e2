import { Cron } from 'croner';
import type { FieldError } from '../../contract/errors.ts';
import { formatDuration, parseDuration } from '../../lib/time/duration.ts';
import type { JsonObject } from '../../lib/json/json.ts';

export const overlaps = ['skip', 'queue', 'allow'] as const;
export const missedPolicies = ['once', 'skip', 'all'] as const;

/** The minimum interval: 1 s. */
export const MIN_INTERVAL_MS = 1_000;
/** Maximum number of ticks that are caught up; older ones are dropped, which the schedule reports. */
export const MAX_CATCH_UP = 1_000;
/** Number of cron ticks computed at once when searching backwards. */
const BATCH_SIZE = 50;

/** A parsed schedule trigger configuration. Times in ms since the epoch. */
export type ScheduleSpec = {
  /** Returns the first tick strictly after `time`; null when there is none. */
  next(time: number): number | null;
  /**
   * Returns the newest `limit` ticks in [from, until], oldest first. For an interval, `from` is itself a
   * tick.
   */
  listTicks(from: number, until: number, limit: number): number[];
  /** ms between the ticks of an interval; null for cron. */
  every: number | null;
  overlap: (typeof overlaps)[number];
  missed: (typeof missedPolicies)[number];
};

const zones = new Map<string, boolean>();

export function isTimezone(name: string): boolean {
  let known = zones.get(name);
  if (known === undefined) {
    try {
      known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
    } catch {
      known = false;
    }
    if (zones.size < 1_000) zones.set(name, known);
  }
  return known;
}

/**
 * Parses a schedule trigger's configuration; fields of errors are relative to it. `timezone` is the default
 * of the service.
 */
export function readSchedule(config: JsonObject, timezone: string): ScheduleSpec | FieldError[] {
  const errors: FieldError[] = [];
  const zone = typeof config['timezone'] === 'string' ? config['timezone'] : timezone;
  if (!isTimezone(zone))
    errors.push({
      field: 'timezone',
      issue: `must be a time zone such as Europe/Berlin, not ${JSON.stringify(zone)}`,
    });
  const overlap = overlaps.find((name) => name === (config['overlap'] ?? 'skip'));
  if (overlap === undefined) errors.push({ field: 'overlap', issue: 'must be skip, queue or allow' });
  const missed = missedPolicies.find((name) => name === (config['missed'] ?? 'once'));
  if (missed === undefined) errors.push({ field: 'missed', issue: 'must be once, skip or all' });
  const { cron, interval } = config;
  if ((cron === undefined) === (interval === undefined)) {
    errors.push({ field: 'cron', issue: 'exactly one of cron and interval must be set' });
  }
  if (errors.length > 0 || overlap === undefined || missed === undefined) return errors;
  const times = interval === undefined ? readCron(cron, zone) : readInterval(interval);
  return Array.isArray(times) ? times : { ...times, overlap, missed };
}

type Times = Pick<ScheduleSpec, 'next' | 'listTicks' | 'every'>;

function readCron(cron: unknown, timezone: string): FieldError[] | Times {
  if (typeof cron !== 'string') return [{ field: 'cron', issue: 'must be a string such as "0 3 * * 1"' }];
  try {
    const job = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
    return {
      every: null,
      next: (time) => job.nextRun(new Date(time))?.getTime() ?? null,
      listTicks(from, until, limit) {
        const found: number[] = [];
        let before = until + 1;
        while (found.length < limit) {
          const batch = job.previousRuns(Math.min(BATCH_SIZE, limit - found.length), new Date(before));
          for (const date of batch) if (date.getTime() >= from) found.push(date.getTime());
          const oldest = batch.at(-1)?.getTime();
          if (oldest === undefined || oldest < from || oldest >= before) break;
          before = oldest;
        }
        return found.reverse();
      },
    };
  } catch (error) {
    return [
      {
        field: 'cron',
        issue: `is not a schedule: ${error instanceof Error ? error.message : String(error)}`,
      },
    ];
  }
}

function readInterval(interval: unknown): FieldError[] | Times {
  const ms = typeof interval === 'string' ? parseDuration(interval) : null;
  if (ms === null || ms < MIN_INTERVAL_MS) {
    return [
      {
        field: 'interval',
        issue: `must be a duration of at least ${formatDuration(MIN_INTERVAL_MS)}, such as "30s"`,
      },
    ];
  }
  return {
    every: ms,
    next: (time) => time + ms,
    listTicks(from, until, limit) {
      const count = Math.floor((until - from) / ms) + 1;
      const first = Math.max(0, count - limit);
      return Array.from({ length: Math.max(0, count - first) }, (_, i) => from + (first + i) * ms);
    },
  };
}

/**
 * Returns the newest MAX_CATCH_UP ticks from `due` to `now`, oldest first; `dropped` means that older ones
 * were left out. `next` is the first tick after `now`; an interval keeps the phase of `due`.
 */
export function listTicksUntil(
  spec: ScheduleSpec,
  due: number,
  now: number,
): { ticks: number[]; hasDropped: boolean; next: number | null } {
  const newest = spec.listTicks(due, now, MAX_CATCH_UP + 1);
  const hasDropped = newest.length > MAX_CATCH_UP;
  const ticks = hasDropped ? newest.slice(1) : newest;
  const next =
    spec.every === null ? spec.next(now) : due + (Math.floor((now - due) / spec.every) + 1) * spec.every;
  return { ticks, hasDropped, next };
}
