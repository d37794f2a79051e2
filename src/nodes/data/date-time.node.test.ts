import { describe, expect, it } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../../test/support/seeded-random.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { toUtcTime, toWall } from '../../lib/time/zoned-time.ts';
import { addAmount, countUnits, type Unit } from './calendar.ts';
import { dateTime } from './date-time.node.ts';
import { runToError, runToOutput, runNode } from '../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json = null) => runToOutput(dateTime, config, input);
const berlin = { timezone: 'Europe/Berlin' };

describe('date_time', () => {
  it.each([
    [{ operation: 'parse' }, '2026-03-09', '2026-03-09T00:00:00.000Z'],
    [{ operation: 'parse', ...berlin }, '2026-03-09 10:00', '2026-03-09T10:00:00.000+01:00'],
    [{ operation: 'parse', ...berlin }, '2026-07-09T10:00:00.5Z', '2026-07-09T12:00:00.500+02:00'],
    [{ operation: 'parse' }, 1_780_000_000, '2026-05-28T20:26:40.000Z'],
    [{ operation: 'parse' }, -1, '1969-12-31T23:59:59.000Z'],
    [{ operation: 'parse' }, 'Tue, 15 Nov 1994 08:12:31 GMT', '1994-11-15T08:12:31.000Z'],
    [{ operation: 'parse', timezone: 'Asia/Kolkata' }, '0001-06-01T00:00:00Z', '0001-06-01T00:00:00.000Z'],
    [{ operation: 'parse', format: '%d/%m/%y %I:%M %p' }, '05/02/68 12:07 am', '2068-02-05T00:07:00.000Z'],
    [{ operation: 'parse', format: '%B %e, %Y' }, 'march  5, 2026', '2026-03-05T00:00:00.000Z'],
    [
      { operation: 'parse', format: '%a %b %d %T.%L %z %Y' },
      'Mon Mar 09 10:11:12.5 -0330 2026',
      '2026-03-09T13:41:12.500Z',
    ],
    [
      { operation: 'parse', format: '%Y%m%d%H%M%S', ...berlin },
      '20260709101112',
      '2026-07-09T10:11:12.000+02:00',
    ],
    [{ operation: 'parse', format: '%s' }, '0', '1970-01-01T00:00:00.000Z'],
    [{ operation: 'parse', format: 'at %F %R %% é' }, 'at 2026-01-02 03:04 % é', '2026-01-02T03:04:00.000Z'],
    [
      { operation: 'format', format: '%-d. %B %Y, week %V', ...berlin },
      '2026-01-04T23:30:00Z',
      '5. January 2026, week 02',
    ],
  ])('%j of %j', async (config, input, output) => {
    expect(await run(config as JsonObject, input)).toBe(output);
  });

  it('returns the current time', async () => {
    const now = Date.parse('2026-01-02T03:04:05.678Z');
    const message = async (config: JsonObject) => await runNode(dateTime, config, null, { now });
    expect(await message({ operation: 'now' })).toMatchObject({
      outputs: { out: '2026-01-02T03:04:05.678Z' },
    });
    expect(await message({ operation: 'now', format: '%H:%M', timezone: 'Asia/Tokyo' })).toMatchObject({
      outputs: { out: '12:04' },
    });
    expect(await message({ operation: 'add', value: 'now', amount: { hours: -1 } })).toMatchObject({
      outputs: { out: '2026-01-02T02:04:05.678Z' },
    });
  });

  it.each([
    ['2026-01-31T10:00', { months: 1 }, '2026-02-28T10:00:00.000+01:00'],
    ['2024-02-29T10:00', { years: 1 }, '2025-02-28T10:00:00.000+01:00'],
    ['2026-03-31T10:00', { months: -1 }, '2026-02-28T10:00:00.000+01:00'],
    ['2026-03-28T02:30', { days: 1 }, '2026-03-29T03:30:00.000+02:00'],
    ['2026-03-28T12:00', { hours: 24 }, '2026-03-29T13:00:00.000+02:00'],
    ['2026-10-24T02:30', { days: 1 }, '2026-10-25T02:30:00.000+02:00'],
    ['2026-10-25T02:30', { hours: 1 }, '2026-10-25T02:30:00.000+01:00'],
    ['2026-12-31T23:59', { weeks: 1, minutes: 1 }, '2027-01-08T00:00:00.000+01:00'],
  ])('%s and %j', async (value, amount, output) => {
    expect(await run({ operation: 'add', amount, ...berlin }, value)).toBe(output);
    const negative = Object.fromEntries(Object.entries(amount).map(([unit, count]) => [unit, -count]));
    expect(await run({ operation: 'subtract', amount: negative, ...berlin }, value)).toBe(output);
  });

  it.each([
    ['2026-01-31', '2026-02-28', 'months', 1],
    ['2026-01-30', '2026-02-27', 'months', 0],
    ['2026-02-28', '2026-01-31', 'months', 0],
    ['2026-03-01', '2026-01-31', 'months', -1],
    ['2026-03-28T12:00', '2026-03-29T12:00', 'days', 1],
    ['2026-03-28T12:00', '2026-03-29T12:00', 'hours', 23],
    ['2024-02-29', '2025-02-28', 'years', 1],
    ['2026-01-01', '2025-12-31T23:59:59.999', 'days', 0],
    ['2026-01-01', '2025-12-25', 'weeks', -1],
    ['0002-01-01', '9998-01-01', 'days', 3_650_964],
    ['2026-01-01T00:00:01', '2026-01-01', 'milliseconds', -1000],
  ])('from %s to %s in %s', async (from, to, unit, output) => {
    expect(await run({ operation: 'difference', from, to, unit, ...berlin })).toBe(output);
  });

  it('counts and adds alike, at any time and in any zone', () => {
    const seed = chooseSeed('FUZZ_SEED');
    const random = createSeededRandom(seed).int;
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ];
    const units: Unit[] = ['years', 'months', 'weeks', 'days'];
    for (let i = 0; i < 2000; i++) {
      const zone = zones[random(zones.length)]!;
      const unit = units[random(units.length)]!;
      const from = Date.UTC(1950 + random(100), random(12), random(28), random(24), random(60));
      const to = from + (random(2) - 0.5) * random(4_000) * 86_400_000 + random(86_400_000);
      const count = countUnits(from, to, unit, zone);
      const sign = to < from ? -1 : 1;
      const text = `seed ${seed}: ${new Date(from).toISOString()} ${new Date(to).toISOString()} ${unit} ${zone} ${count}`;
      expect((to - addAmount(from, { [unit]: count }, zone)) * sign, text).toBeGreaterThanOrEqual(0);
      expect((to - addAmount(from, { [unit]: count + sign }, zone)) * sign, text).toBeLessThan(0);
      const back = toUtcTime(toWall(from, zone), zone);
      expect(toWall(back, zone), text).toBe(toWall(from, zone));
    }
  });

  it.each([
    ['start_of', 'year', '2026-01-01T00:00:00.000+01:00'],
    ['end_of', 'year', '2026-12-31T23:59:59.999+01:00'],
    ['start_of', 'quarter', '2026-01-01T00:00:00.000+01:00'],
    ['end_of', 'quarter', '2026-03-31T23:59:59.999+02:00'],
    ['end_of', 'month', '2026-03-31T23:59:59.999+02:00'],
    ['start_of', 'week', '2026-03-23T00:00:00.000+01:00'],
    ['end_of', 'week', '2026-03-29T23:59:59.999+02:00'],
    ['start_of', 'day', '2026-03-29T00:00:00.000+01:00'],
    ['end_of', 'day', '2026-03-29T23:59:59.999+02:00'],
    ['start_of', 'hour', '2026-03-29T03:00:00.000+02:00'],
    ['end_of', 'minute', '2026-03-29T03:30:59.999+02:00'],
    ['start_of', 'second', '2026-03-29T03:30:15.000+02:00'],
  ])('%s %s', async (operation, period, output) => {
    expect(await run({ operation, period, ...berlin }, '2026-03-29T01:30:15.25Z')).toBe(output);
  });

  it('handles days without a midnight, and weeks that begin on Sunday', async () => {
    const zone = { timezone: 'America/Sao_Paulo' };
    expect(await run({ operation: 'start_of', period: 'day', ...zone }, '2018-11-04T12:00')).toBe(
      '2018-11-04T01:00:00.000-02:00',
    );
    expect(await run({ operation: 'end_of', period: 'day', ...zone }, '2018-11-04T12:00')).toBe(
      '2018-11-04T23:59:59.999-02:00',
    );
    expect(await run({ operation: 'end_of', period: 'day', ...zone }, '2018-11-03T12:00')).toBe(
      '2018-11-03T23:59:59.999-03:00',
    );
    expect(await run({ operation: 'start_of', period: 'week', weekStart: 'sunday' }, '2026-01-03')).toBe(
      '2025-12-28T00:00:00.000Z',
    );
  });

  it('compares, and splits into parts', async () => {
    const compare = (to: Json, more: JsonObject = {}) =>
      run({ operation: 'compare', to, ...more }, '2026-01-01T00:00:00Z');
    expect(await compare('2026-01-01T01:00:00+01:00')).toBe('same');
    expect(await compare('2026-01-01T00:00:00.001Z')).toBe('before');
    expect(await compare(0)).toBe('after');
    expect(await compare('2025-12-31T23:00:00Z', { period: 'year', ...berlin })).toBe('same');
    expect(await run({ operation: 'parts', ...berlin }, '2026-01-03T23:30:00.007Z')).toEqual({
      year: 2026,
      quarter: 1,
      month: 1,
      day: 4,
      weekday: 7,
      hour: 0,
      minute: 30,
      second: 0,
      millisecond: 7,
      year_day: 4,
      week: 1,
      week_year: 2026,
      offset_minutes: 60,
      epoch_ms: 1_767_483_000_007,
    });
  });

  it.each([
    [{ operation: 'parse' }, 'NaN', 'value', /must be a time such as 2026-03-09T22:05:00Z, not "NaN"/],
    [{ operation: 'parse' }, '', 'value', /must be a time such as 2026-03-09T22:05:00Z, not ""/],
    [{ operation: 'parse' }, 'x'.repeat(100_000), 'value', /must be a time such as/],
    [{ operation: 'parse' }, '2026-13-01', 'value', /must be a time such as/],
    [{ operation: 'parse' }, '2026-01-01T25:00', 'value', /must be a time such as/],
    [{ operation: 'parse' }, { a: 1 }, 'value', /must be a time as a string or number, not an object/],
    [{ operation: 'parse' }, 1e300, 'value', /years 1 to 9999/],
    [
      { operation: 'parse', format: '%d.%m.%Y' },
      '1.x.2026',
      'value',
      /a month \(%m\) is expected at character 3/,
    ],
    [{ operation: 'parse', format: '%d.%m.%Y' }, '30.2.2026', 'value', /is not an existing date and time/],
    [{ operation: 'parse', format: '%d.%m.%Y' }, '1.2.2026 ', 'value', /the end is expected at character 9/],
    [{ operation: 'parse', format: '%d.%m' }, '1.2', 'value', /with a year/],
    [{ operation: 'parse', format: '%b %Y' }, 'Mai 2026', 'value', /not the English name/],
    [{ operation: 'parse', format: '%Q' }, 'x', 'value', /directive %Q/],
    [{ operation: 'parse', format: '%I %p %Y' }, '13 PM 2026', 'value', /not an existing date and time/],
    [{ operation: 'format', format: '%Q' }, 'now', 'format', /directive %Q/],
    [{ operation: 'format' }, 'now', 'format', /is required/],
    [{ operation: 'now', timezone: 'Mars/Base' }, null, 'timezone', /time zone such as/],
    [{ operation: 'now', timezone: '{{ input }}' }, 'Nowhere', 'timezone', /time zone such as/],
    [{ operation: 'add', amount: {} }, 'now', 'amount', /at least 1 field/],
    [{ operation: 'add', amount: { months: 1.5 } }, 'now', 'amount.months', /whole number/],
    [
      { operation: 'add', amount: { eons: 1 } },
      'now',
      'amount.eons',
      /is not a known field; known are years, months, weeks, days, hours,/,
    ],
    [{ operation: 'add', amount: { years: 1e12 } }, 'now', 'amount', /years 1 to 9999/],
    [{ operation: 'subtract', amount: { years: 3000 } }, 'now', 'amount', /years 1 to 9999/],
    [{ operation: 'difference', from: 'now' }, null, 'to', /is required/],
    [{ operation: 'difference', from: 'now', to: null }, null, 'to', /must be a time/],
    [{ operation: 'start_of', period: 'decade' }, 'now', 'period', /one of year/],
    [{ operation: 'compare', to: true }, 'now', 'to', /must be a time/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(dateTime, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });
});
