import { Cron } from 'croner';
import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { JsonObject } from '../../lib/json/json.ts';

const MIN_INTERVAL_MS = 1000;

/** Faults of a schedule's configuration that its schema cannot say. */
export function scheduleFaults(config: JsonObject): FieldError[] {
  const { cron, interval, timezone } = config;
  if (cron === undefined && interval === undefined)
    return [{ field: 'cron', issue: 'is required, or interval' }];
  if (cron !== undefined && interval !== undefined)
    return [{ field: 'interval', issue: 'must not stand beside cron' }];
  if (typeof interval === 'string') {
    if (timezone !== undefined) return [{ field: 'timezone', issue: 'is only for cron' }];
    const ms = parseDuration(interval) ?? 0;
    return ms < MIN_INTERVAL_MS ? [{ field: 'interval', issue: 'takes at least 1s' }] : [];
  }
  if (typeof timezone === 'string' && !isTimeZone(timezone))
    return [
      {
        field: 'timezone',
        issue: `${timezone} is not a time zone; it takes an IANA name such as Europe/Berlin`,
      },
    ];
  return cronFaults(cron as string, typeof timezone === 'string' ? timezone : 'UTC');
}

function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are known to Intl, but a schedule needs a zone with its rules.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function cronFaults(cron: string, timezone: string): FieldError[] {
  // The library takes a point in time for a schedule of one run; after it the workflow would be faulty.
  if (cron.includes(':')) return [{ field: 'cron', issue: 'is not a cron expression: it is a time' }];
  try {
    const next = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' }).nextRun();
    return next === null ? [{ field: 'cron', issue: 'never comes' }] : [];
  } catch (error) {
    const parts = cron.trim().split(/\s+/).length;
    if (parts !== 5 && parts !== 6)
      return [
        {
          field: 'cron',
          issue: `is not a cron expression: it takes five fields (minute hour day month weekday), or six with seconds first, and has ${parts}`,
        },
      ];
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return [{ field: 'cron', issue: `is not a cron expression: ${reason}` }];
  }
}
