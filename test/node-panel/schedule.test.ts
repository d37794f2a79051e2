import { describe, expect, test } from 'vitest';
import { computeNextRuns } from '../../web/src/node-panel/model/next-runs.ts';
import {
  toCron,
  readSchedule,
  listTimeZones,
  writeSchedule,
} from '../../web/src/node-panel/model/schedule.ts';

describe('a schedule', () => {
  test.each([
    ['5 * * * *', { kind: 'hourly', minute: 5 }],
    ['30 9 * * *', { kind: 'daily', hour: 9, minute: 30 }],
    ['0 9 * * 1-5', { kind: 'weekdays', hour: 9, minute: 0 }],
    ['0 9 * * 1,3', { kind: 'weekly', weekdays: [1, 3] }],
    ['0 0 31 * *', { kind: 'monthly', day: 31 }],
    ['*/5 * * * *', { kind: 'cron' }],
    ['0 25 * * *', { kind: 'cron' }],
    ['0 9 1 1 *', { kind: 'cron' }],
    ['0 9 * * 1-3', { kind: 'cron' }],
    ['0 0 9 * * 1', { kind: 'cron' }],
    ['@daily', { kind: 'cron' }],
  ])('%s is described and written back', (cron, described) => {
    const schedule = readSchedule({ cron });
    expect(schedule).toMatchObject(described);
    expect(toCron(schedule)).toBe(cron);
  });

  test('an interval', () => {
    const schedule = readSchedule({ interval: '15m' });
    expect(schedule).toMatchObject({ kind: 'interval', interval: '15m' });
    expect(writeSchedule(schedule)).toEqual({ cron: undefined, interval: '15m' });
  });

  test('the next runs follow the time zone', () => {
    const runs = computeNextRuns('0 9 * * 1-5', 'Asia/Tokyo')!;
    expect(runs).toHaveLength(5);
    for (const run of runs) {
      expect(run.getUTCHours()).toBe(0);
      expect([1, 2, 3, 4, 5]).toContain(run.getUTCDay());
    }
    expect(computeNextRuns('0 25 * * *', 'UTC')).toBeNull();
    expect(computeNextRuns('0 9 * * *', 'Berlin')).toBeNull();
  });

  test('time zones', () => {
    expect(listTimeZones()).toContain('Europe/Berlin');
    expect(listTimeZones().filter((zone) => zone === 'UTC')).toHaveLength(1);
  });
});
