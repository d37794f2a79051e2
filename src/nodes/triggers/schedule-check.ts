import { Cron } from 'croner';
import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { JsonObject } from '../../lib/json/json.ts';

const MIN_INTERVAL_MS = 1000;

/** Validation that the schema cannot express. */
export function validateSchedule(config: JsonObject): FieldError[] {
  const { cron, interval, timezone } = config;
  if (cron === undefined && interval === undefined)
    return [{ field: 'cron', issue: 'is required unless interval is set' }];
  if (cron !== undefined && interval !== undefined)
    return [{ field: 'interval', issue: 'must not be set with cron' }];
  if (typeof interval === 'string') {
    if (timezone !== undefined) return [{ field: 'timezone', issue: 'is only allowed with cron' }];
    const ms = parseDuration(interval) ?? 0;
    return ms < MIN_INTERVAL_MS ? [{ field: 'interval', issue: 'must be at least 1s' }] : [];
  }
  const isWrongZone = typeof timezone === 'string' && !isTimeZone(timezone);
  return [
    ...validateCron(cron as string, typeof timezone === 'string' && !isWrongZone ? timezone : 'UTC'),
    ...(isWrongZone
      ? [{ field: 'timezone', issue: `must be an IANA time zone such as Europe/Berlin, not ${timezone}` }]
      : []),
  ];
}

function isTimeZone(name: string): boolean {
  // Intl accepts offsets such as +02:00, but a schedule needs a zone with daylight saving rules.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function validateCron(cron: string, timezone: string): FieldError[] {
  // The library accepts a date and time as a schedule that runs once, which is not supported.
  if (cron.includes(':')) return [{ field: 'cron', issue: 'must be a cron expression, not a date and time' }];
  try {
    const next = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' }).nextRun();
    return next === null ? [{ field: 'cron', issue: 'must match a date in the future' }] : [];
  } catch (error) {
    const parts = cron.trim().split(/\s+/).length;
    if (parts !== 5 && parts !== 6)
      return [
        {
          field: 'cron',
          issue: `must be a cron expression of five fields (minute hour day month weekday), or six with seconds first, and has ${parts}`,
        },
      ];
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return [{ field: 'cron', issue: `must be a cron expression: ${reason}` }];
  }
}
