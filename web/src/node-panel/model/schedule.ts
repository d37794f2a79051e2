import { t } from '../../i18n/index.ts';

export type ScheduleKind = 'interval' | 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'cron';

/** A schedule as people describe it. Only the fields of its kind apply. */
export type Schedule = {
  readonly kind: ScheduleKind;
  readonly interval: string;
  readonly minute: number;
  readonly hour: number;
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  readonly day: number;
  readonly cron: string;
};

export const scheduleKinds: readonly (readonly [kind: ScheduleKind, label: string])[] = [
  ['interval', t('At an interval')],
  ['hourly', t('Every hour')],
  ['daily', t('Every day')],
  ['weekdays', t('Every weekday (Monday to Friday)')],
  ['weekly', t('Every week')],
  ['monthly', t('Every month')],
  ['cron', t('Cron expression')],
];

const initial: Schedule = {
  kind: 'cron',
  interval: '15m',
  minute: 0,
  hour: 9,
  weekdays: [1],
  day: 1,
  cron: '',
};

const NUMBER = /^\d{1,2}$/;

/** Reads the schedule of a configuration. A cron expression that fits no other kind has the kind `cron`. */
export function readSchedule(config: Readonly<Record<string, unknown>>): Schedule {
  const { cron, interval } = config;
  if (cron === undefined && interval !== undefined)
    return { ...initial, kind: 'interval', interval: typeof interval === 'string' ? interval : '' };
  if (typeof cron !== 'string') return initial;
  return { ...initial, cron, ...parseCron(cron) };
}

function parseCron(cron: string): Partial<Schedule> {
  const parts = cron.split(' ');
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5 || month !== '*' || !isInRange(minute, 0, 59)) return {};
  const minutes = { minute: Number(minute) };
  if (hour === '*') return day === '*' && weekday === '*' ? { kind: 'hourly', ...minutes } : {};
  if (!isInRange(hour, 0, 23)) return {};
  const time = { ...minutes, hour: Number(hour) };
  if (day === '*' && weekday === '*') return { kind: 'daily', ...time };
  if (day === '*' && weekday === '1-5') return { kind: 'weekdays', ...time };
  if (day === '*' && weekday.split(',').every((part) => isInRange(part, 0, 6)))
    return { kind: 'weekly', ...time, weekdays: weekday.split(',').map(Number) };
  return weekday === '*' && isInRange(day, 1, 31) ? { kind: 'monthly', ...time, day: Number(day) } : {};
}

function isInRange(text: string, min: number, max: number): boolean {
  return NUMBER.test(text) && Number(text) >= min && Number(text) <= max;
}

/** The fields of the configuration; undefined for the one that is not set. */
export function writeSchedule(schedule: Schedule): {
  cron: string | undefined;
  interval: string | undefined;
} {
  if (schedule.kind === 'interval') return { cron: undefined, interval: schedule.interval };
  return { cron: toCron(schedule), interval: undefined };
}

export function toCron({ kind, minute, hour, weekdays, day, cron }: Schedule): string {
  switch (kind) {
    case 'hourly':
      return `${minute} * * * *`;
    case 'daily':
      return `${minute} ${hour} * * *`;
    case 'weekdays':
      return `${minute} ${hour} * * 1-5`;
    case 'weekly':
      return `${minute} ${hour} * * ${[...weekdays].sort((a, b) => a - b).join(',')}`;
    case 'monthly':
      return `${minute} ${hour} ${day} * *`;
    default:
      return cron;
  }
}

/** The value of an input of type time, such as `09:05`. */
export function formatTime({ hour, minute }: Schedule): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** The time zones that this browser supports, UTC first. */
export function listTimeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}
