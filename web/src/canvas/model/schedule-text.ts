import { locale, t, tPlural } from '../../i18n/index.ts';

/** The names of weekdays in a cron expression, from Sunday. */
const WEEKDAY_NAMES = new Map(
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((day, index) => [day, index]),
);
const INTERVAL_TEXTS: Readonly<Record<string, string>> = {
  s: t('every second'),
  m: t('every minute'),
  h: t('every hour'),
  d: t('every day'),
};

/** A duration such as `5m` in words: `5 min`. Other text is returned unchanged. */
export function describeDuration(text: string): string {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return text;
  switch (unit) {
    case 'ms':
      return t('{{amount}} ms', { amount });
    case 's':
      return t('{{amount}} s', { amount });
    case 'm':
      return t('{{amount}} min', { amount });
    case 'h':
      return t('{{amount}} h', { amount });
    default:
      return tPlural(Number(amount), '{{count}} day', '{{count}} days');
  }
}

/** An interval in words: `every 5 min`, `every hour`. */
export function describeInterval(text: string): string {
  const unit = /^1(s|m|h|d)$/.exec(text)?.[1];
  return unit === undefined
    ? t('every {{duration}}', { duration: describeDuration(text) })
    : INTERVAL_TEXTS[unit]!;
}

/** A common cron expression in words: `every weekday at 09:00`. Others are returned unchanged. */
export function describeCron(cron: string): string {
  const all = cron.trim().split(/\s+/);
  const plain = `cron ${all.join(' ')}`;
  const fields = all.length === 6 && all[0] === '0' ? all.slice(1) : all;
  if (fields.length !== 5) return plain;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (month !== '*') return plain;
  const isEveryDay = day === '*' && isAny(weekday);
  if (hour === '*' && isEveryDay) {
    const step = /^(?:\*|0)\/(\d+)$/.exec(minute)?.[1];
    if (minute === '*' || step === '1') return t('every minute');
    if (step !== undefined) return describeInterval(`${step}m`);
    if (isNumber(minute))
      return minute === '0'
        ? t('every hour')
        : t('every hour at :{{minute}}', { minute: minute.padStart(2, '0') });
    return plain;
  }
  const step = /^(?:\*|0)\/(\d+)$/.exec(hour)?.[1];
  if (step !== undefined && minute === '0' && isEveryDay) return describeInterval(`${step}h`);
  if (!isNumber(minute) || !isNumber(hour)) return plain;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEveryDay) return t('every day at {{time}}', { time });
  if (day === '*') {
    const days = weekdayWords(weekday);
    return days === null ? plain : t('{{days}} at {{time}}', { days, time });
  }
  return isNumber(day) && isAny(weekday) ? t('day {{day}} of every month at {{time}}', { day, time }) : plain;
}

function weekdayWords(text: string): string | null {
  const days = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [first = '', last = first, more] = part.split('-');
    const from = parseWeekday(first);
    const to = parseWeekday(last);
    if (from === null || to === null || more !== undefined || to < from) return null;
    for (let day = from; day <= to; day++) days.add(day % 7);
  }
  const sorted = [...days].sort((a, b) => (a || 7) - (b || 7));
  const key = sorted.join('');
  if (key === '12345') return t('every weekday');
  if (key === '1234560') return t('every day');
  if (key === '60') return t('every weekend day');
  if (sorted.length === 1) return t('every {{day}}', { day: weekdayName(sorted[0]!, 'long') });
  return t('every {{days}}', { days: sorted.map((day) => weekdayName(day, 'short')).join(', ') });
}

/** `day`: from Sunday, 0. */
function weekdayName(day: number, weekday: 'long' | 'short'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(Date.UTC(1970, 0, 4 + day));
}

function parseWeekday(text: string): number | null {
  return /^[0-7]$/.test(text) ? Number(text) : (WEEKDAY_NAMES.get(text) ?? null);
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/.test(text);
}

function isAny(text: string): boolean {
  return text === '*' || text === '?';
}

/** `next in 4 h`, from the ms until then. */
export function formatNextRun(away: number): string {
  if (away < 60_000)
    return t('next in {{duration}}', { duration: `< ${t('{{amount}} min', { amount: '1' })}` });
  const minutes = Math.round(away / 60_000);
  if (minutes < 60) return t('next in {{duration}}', { duration: describeDuration(`${minutes}m`) });
  const hours = Math.round(minutes / 60);
  return t('next in {{duration}}', {
    duration: describeDuration(hours < 48 ? `${hours}h` : `${Math.round(hours / 24)}d`),
  });
}
