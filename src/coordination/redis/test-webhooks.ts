import type { Redis } from 'ioredis';
import { WeftError } from '../../contract/errors.ts';
import type { TestWebhook, TestWebhooks } from '../../ports/test-webhooks.ts';
import type { RedisConnection } from './connection.ts';

/** Keys: the URL, all open URLs, the owner's. Arguments: value, key, now, end, limits of owner and all. */
const OPEN = `
for i, most in ipairs({ARGV[5], ARGV[6]}) do
  local open = KEYS[4 - i]
  redis.call('ZREMRANGEBYSCORE', open, '-inf', ARGV[3])
  if redis.call('ZCARD', open) >= tonumber(most) then
    return {tonumber(most), redis.call('ZRANGE', open, 0, 0, 'WITHSCORES')[2]}
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4] - ARGV[3])
for i = 2, 3 do
  redis.call('ZADD', KEYS[i], ARGV[4], ARGV[2])
  if redis.call('PTTL', KEYS[i]) < ARGV[4] - ARGV[3] then redis.call('PEXPIRE', KEYS[i], ARGV[4] - ARGV[3]) end
end
return {}`;

/** Test URLs that are open in every process. They are closed when Redis loses its data. */
export function createRedisTestWebhooks(link: RedisConnection, now: () => number): TestWebhooks {
  const toKey = (key: string): string => `${link.prefix}:listen:${key}`;
  const openKey = `${link.prefix}:listening`;
  const toOwnerKey = (ownerId: string): string => `${openKey}:${ownerId}`;
  const unlimited = String(2 ** 31);

  async function runCommand<T>(run: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await link.command(run);
    } catch (error) {
      throw new WeftError(
        'RATE_LIMITED',
        'Test URLs are temporarily unavailable.',
        { reason: 'capacity', retry_after: 5 },
        error,
      );
    }
  }

  async function open(key: string, address: TestWebhook, most: readonly [string, string]) {
    const result = (await runCommand((redis) =>
      redis.eval(
        OPEN,
        3,
        toKey(key),
        openKey,
        toOwnerKey(address.ownerId),
        JSON.stringify(address),
        key,
        now(),
        address.expiresAt,
        ...most,
      ),
    )) as [number, string] | [];
    return result.length === 0 ? null : { limit: result[0], until: Number(result[1]) };
  }

  async function find(key: string): Promise<TestWebhook | null> {
    const text = await runCommand((redis) => redis.get(toKey(key)));
    return text === null ? null : (JSON.parse(text) as TestWebhook);
  }

  async function take(key: string): Promise<boolean> {
    const text = await runCommand((redis) => redis.getdel(toKey(key)));
    if (text === null) return false;
    const { ownerId } = JSON.parse(text) as TestWebhook;
    await runCommand((redis) => redis.zrem(toOwnerKey(ownerId), key));
    await runCommand((redis) => redis.zrem(openKey, key));
    return true;
  }

  return {
    open: (key, address, most) => open(key, address, [String(most.ofOwner), String(most.all)]),
    find,
    take,
    async close(ownerId, workflowId, nodeId) {
      let closed = 0;
      // At most as many as one owner may open.
      for (const key of await runCommand((redis) => redis.zrange(toOwnerKey(ownerId), '0', '-1'))) {
        const one = await find(key);
        if (one === null || one.workflowId !== workflowId) continue;
        if ((nodeId === null || one.nodeId === nodeId) && (await take(key))) closed++;
      }
      return closed;
    },
    async putBack(key, address) {
      if (address.expiresAt > now()) await open(key, address, [unlimited, unlimited]);
    },
  };
}
