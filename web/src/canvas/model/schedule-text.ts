const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const WEEKDAY_NAMES = new Map(WEEKDAYS.map((day, at) => [day.slice(0, 3).toLowerCase(), at]));
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  ms: ['ms', 'ms'],
  s: ['second', 's'],
  m: ['minute', 'min'],
  h: ['hour', 'h'],
  d: ['day', 'days'],
};

/** A duration such as `5m` as people write it: `5 min`. Other text stays as it is. */
export function durationWords(text: string): string {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return text;
  return unit === 'd' && amount === '1' ? '1 day' : `${amount} ${UNITS[unit]![1]}`;
}

/** How often something with an interval runs: `every 5 min`, `every hour`. */
export function intervalWords(text: string): string {
  const unit = /^1(s|m|h|d)$/.exec(text)?.[1];
  return `every ${unit === undefined ? durationWords(text) : UNITS[unit]![0]}`;
}

/** A cron expression in words where it is a common one: `every weekday at 09:00`. Any other is shown as it is. */
export function cronWords(cron: string): string {
  const all = cron.trim().split(/\s+/);
  const plain = `cron ${all.join(' ')}`;
  const fields = all.length === 6 && all[0] === '0' ? all.slice(1) : all;
  if (fields.length !== 5) return plain;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (month !== '*') return plain;
  const isEveryDay = day === '*' && isAny(weekday);
  if (hour === '*' && isEveryDay) {
    const step = /^(?:\*|0)\/(\d+)$/.exec(minute)?.[1];
    if (minute === '*' || step === '1') return 'every minute';
    if (step !== undefined) return `every ${step} min`;
    if (isNumber(minute)) return minute === '0' ? 'every hour' : `every hour at :${minute.padStart(2, '0')}`;
    return plain;
  }
  const step = /^(?:\*|0)\/(\d+)$/.exec(hour)?.[1];
  if (step !== undefined && minute === '0' && isEveryDay) return `every ${step} h`;
  if (!isNumber(minute) || !isNumber(hour)) return plain;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEveryDay) return `every day at ${time}`;
  if (day === '*') {
    const days = weekdayWords(weekday);
    return days === null ? plain : `${days} at ${time}`;
  }
  return isNumber(day) && isAny(weekday) ? `day ${day} of every month at ${time}` : plain;
}

function weekdayWords(text: string): string | null {
  const days = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [first = '', last = first, more] = part.split('-');
    const from = weekdayOf(first);
    const to = weekdayOf(last);
    if (from === null || to === null || more !== undefined || to < from) return null;
    for (let day = from; day <= to; day++) days.add(day % 7);
  }
  const sorted = [...days].sort((a, b) => (a || 7) - (b || 7));
  const key = sorted.join('');
  if (key === '12345') return 'every weekday';
  if (key === '1234560') return 'every day';
  if (key === '60') return 'every weekend day';
  if (sorted.length === 1) return `every ${WEEKDAYS[sorted[0]!]}`;
  return `every ${sorted.map((day) => WEEKDAYS[day]!.slice(0, 3)).join(', ')}`;
}

function weekdayOf(text: string): number | null {
  return /^[0-7]$/.test(text) ? Number(text) : (WEEKDAY_NAMES.get(text) ?? null);
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/.test(text);
}

function isAny(text: string): boolean {
  return text === '*' || text === '?';
}

/** `next in 4 h`, from the ms until then. */
export function nextRunText(away: number): string {
  if (away < 60_000) return 'next in < 1 min';
  const minutes = Math.round(away / 60_000);
  if (minutes < 60) return `next in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `next in ${hours} h` : `next in ${Math.round(hours / 24)} days`;
}
