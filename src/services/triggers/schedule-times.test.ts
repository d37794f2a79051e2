import { describe, expect, test } from 'vitest';
import { MAX_CATCH_UP, readSchedule, listTicksUntil, type ScheduleSpec } from './schedule-times.ts';

function spec(config: Record<string, string>): ScheduleSpec {
  const read = readSchedule(config, 'UTC');
  if (Array.isArray(read)) throw new Error(JSON.stringify(read));
  return read;
}
const at = (text: string): number => Date.parse(text);
const iso = (times: readonly (number | null)[]): string[] =>
  times.map((time) => (time === null ? 'never' : new Date(time).toISOString()));

describe('times of schedules', () => {
  test('cron in a time zone, over both changes of the clock', () => {
    const berlin = spec({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
    const spring: (number | null)[] = [berlin.next(at('2026-03-28T00:00:00Z'))];
    for (let i = 0; i < 2; i++) spring.push(berlin.next(spring.at(-1)!));
    // 02:30 does not exist on the 29th of March: it runs at 03:00, when the clock has jumped.
    expect(iso(spring)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    const autumn: (number | null)[] = [berlin.next(at('2026-10-24T12:00:00Z'))];
    for (let i = 0; i < 1; i++) autumn.push(berlin.next(autumn.at(-1)!));
    // 02:30 comes twice on the 25th of October, and runs once.
    expect(iso(autumn)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  test('an interval keeps its beat however late it is looked at', () => {
    const every = spec({ interval: '30s' });
    expect(listTicksUntil(every, 1_000, 95_000)).toEqual({
      ticks: [1_000, 31_000, 61_000, 91_000],
      hasDropped: false,
      next: 121_000,
    });
    expect(listTicksUntil(every, 1_000, 1_000)).toEqual({ ticks: [1_000], hasDropped: false, next: 31_000 });
  });

  test('missed ticks are limited to the newest', () => {
    for (const config of [{ interval: '1s' }, { cron: '* * * * * *' }] as const) {
      const due = at('2026-01-01T00:00:00Z');
      const now = due + 100_000_500;
      const { ticks, hasDropped, next } = listTicksUntil(spec(config), due, now);
      expect(ticks.length).toBe(MAX_CATCH_UP);
      expect(hasDropped).toBe(true);
      expect(ticks.at(-1)).toBe(due + 100_000_000);
      expect(next).toBe(due + 100_001_000);
    }
  });

  test('errors name the field', () => {
    const errors = (config: Record<string, string>): unknown => readSchedule(config, 'UTC');
    expect(errors({ cron: 'x' })).toMatchObject([{ field: 'cron' }]);
    expect(errors({ interval: '999ms' })).toMatchObject([{ field: 'interval' }]);
    expect(errors({ interval: '1s', cron: '* * * * *' })).toMatchObject([{ field: 'cron' }]);
    expect(errors({ cron: '* * * * *', timezone: 'Mars/Base' })).toMatchObject([{ field: 'timezone' }]);
    expect(errors({ cron: '* * * * *', overlap: 'x', missed: 'y' })).toMatchObject([
      { field: 'overlap' },
      { field: 'missed' },
    ]);
  });
});
