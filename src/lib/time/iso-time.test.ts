import { expect, test } from 'vitest';
import { formatIsoTime } from './iso-time.ts';

test('formats any time as Date does', () => {
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  let state = seed;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const times = [
    0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 951_782_400_000, 8.64e15, -8.64e15, 1_795_248_871_506,
  ];
  for (let i = 0; i < 20_000; i++) times.push(Math.floor((random() - 0.3) * 4e12));
  for (const time of times) expect(formatIsoTime(time), `seed ${seed}`).toBe(new Date(time).toISOString());
});

test('rejects an invalid time', () => {
  for (const time of [Number.NaN, Infinity, 8.64e15 + 1])
    expect(() => formatIsoTime(time)).toThrow(RangeError);
});
