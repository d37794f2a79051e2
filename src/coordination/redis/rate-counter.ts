import type { RateCount, RateCounter } from '../../ports/rate-counter.ts';
import type { RedisConnection } from './connection.ts';

/**
 * Key: the window. Arguments: limit, length in ms. Returns whether the request was counted, the count, and
 * the ms left.
 */
const COUNT = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= tonumber(ARGV[1]) then return {0, used, redis.call('PTTL', KEYS[1])} end
used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, used, redis.call('PTTL', KEYS[1])}`;

/**
 * Counts for all processes together. While Redis is unavailable, each process counts with `fallback`, so the
 * limit applies per process. When Redis loses its data, new windows begin.
 */
export function createRedisRateCounter(
  link: RedisConnection,
  options: { name: string; windowMs: number; now: () => number; fallback: RateCounter },
): RateCounter {
  const { name, windowMs, now, fallback } = options;
  return {
    async count(subject, limit): Promise<RateCount> {
      try {
        const [isCounted, used, left] = (await link.command((redis) =>
          redis.eval(COUNT, 1, `${link.prefix}:${name}:${subject}`, limit, windowMs),
        )) as [number, number, number];
        return { isCounted: isCounted === 1, used, endsAt: now() + Math.max(0, left) };
      } catch {
        return fallback.count(subject, limit);
      }
    },
  };
}
