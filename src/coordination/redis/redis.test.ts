import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisProgram, startRedis, type RedisServer } from '../../../test/support/servers/redis-server.ts';
import { testEvents, notification, waitForCondition, type Member } from '../conformance/events.ts';
import { createInProcessEvents } from '../in-process/events.ts';
import { createRedisBus } from './bus.ts';
import { createRedisEvents } from './events.ts';
import { createRedisSubscriptions } from './subscriptions.ts';
import { createRedisConnection } from './connection.ts';
import { createRedisRateCounter } from './rate-counter.ts';
import { createRedisTestWebhooks } from './test-webhooks.ts';

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
const now = (): number => Date.now();

describe.skipIf(redisProgram === null)('on Redis', () => {
  let redis: RedisServer;
  let used = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.remove();
  });

  function link(prefix: string, url = redis.url) {
    const changes: (string | null)[] = [];
    const made = createRedisConnection({
      url,
      prefix,
      self: `p${++used}`,
      now,
      after,
      changed: (error) => changes.push(error === null ? null : error.message),
    });
    return { made, changes };
  }

  /** `speed`: how much faster than the world's its clock goes. */
  async function join(prefix: string, failed: (error: unknown) => void = () => {}, speed = 1) {
    const { made, changes } = link(prefix);
    const interest = createRedisSubscriptions(made, {
      now: () => now() * speed,
      after: (ms, run) => after(ms / speed, run),
    });
    const events = createRedisEvents(made, createInProcessEvents(failed), interest, failed);
    const bus = createRedisBus(made, failed);
    await made.opened(5_000);
    const member: Member = {
      events,
      bus,
      addresses: createRedisTestWebhooks(made, now),
      leave() {
        interest.close();
        made.close();
      },
    };
    return { ...member, made, changes };
  }

  testEvents('on Redis', () => {
    const prefix = `weft-${++used}`;
    return { join: (failed) => join(prefix, failed), close() {} };
  });

  test('after Redis loses its data, subscriptions are restored and the gap is reported', async () => {
    const [a, b] = [await join('gap'), await join('gap')];
    // A connection attempt of more than a second was reported, too.
    const before = a.changes.length;
    const received: string[] = [];
    let gaps = 0;
    b.bus.onReconnect(() => gaps++);
    b.bus.subscribe('follow', () => received.push('told'));
    b.events.subscribe('usr_1', (event) => received.push(event.kind));
    await waitForCondition('it is known', () => a.events.hasSubscriber('usr_1'));
    await redis.stop();
    await waitForCondition('both saw it', () => !a.bus.isUp() && !b.bus.isUp());
    a.events.publish(notification('usr_1', 'lost'));
    b.events.publish(notification('usr_1', 'local'));
    a.bus.publish('follow', {});
    expect(received).toEqual(['notification']);
    await redis.start();
    await waitForCondition('both are back', () => a.bus.isUp() && b.bus.isUp() && gaps === 1);
    await waitForCondition('it is known', () => a.events.hasSubscriber('usr_1'));
    a.bus.publish('follow', {});
    a.events.publish(notification('usr_1', 'x'));
    await waitForCondition('both came', () => received.length === 3);
    expect(a.changes.slice(before)).toEqual([expect.any(String), null]);
    a.leave();
    b.leave();
  });

  test('removes a lost process after its timeout, and a leaving process at once', async () => {
    const fast = () => join('gone', () => {}, 5);
    const [a, b, c] = [await fast(), await fast(), await fast()];
    b.events.subscribe('usr_1', () => {});
    c.events.subscribe('usr_2', () => {});
    await waitForCondition(
      'it is known',
      () => a.events.hasSubscriber('usr_1') && a.events.hasSubscriber('usr_2'),
    );
    b.made.close();
    c.leave();
    await waitForCondition(
      'the one that said so is forgotten',
      () => !a.events.hasSubscriber('usr_2'),
      4_000,
    );
    expect(a.events.hasSubscriber('usr_1')).toBe(true);
    await waitForCondition('the other one is, too', () => !a.events.hasSubscriber('usr_1'), 15_000);
    a.leave();
  });

  test('processes share a window, and count separately while Redis is unavailable', async () => {
    const prefix = `weft-${++used}`;
    const fallback = { count: () => ({ isCounted: true, used: -1, endsAt: 0 }) };
    const options = { name: 'rate', windowMs: 400, now, fallback };
    const [a, b] = [link(prefix).made, link(prefix).made];
    await Promise.all([a.opened(5_000), b.opened(5_000)]);
    const counters = [createRedisRateCounter(a, options), createRedisRateCounter(b, options)];
    const responses = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => await counters[i % 2]!.count('usr_1', 20)),
    );
    expect(responses.filter(({ isCounted }) => isCounted)).toHaveLength(20);
    expect(new Set(responses.filter(({ isCounted }) => isCounted).map((one) => one.used)).size).toBe(20);
    for (const { endsAt } of responses) expect(Math.abs(endsAt - now() - 400)).toBeLessThan(400);
    expect((await counters[0]!.count('usr_2', 20)).used).toBe(1);
    await waitForCondition('the window ends', async () => (await counters[1]!.count('usr_1', 20)).isCounted);
    a.close();
    expect((await counters[0]!.count('usr_1', 20)).used).toBe(-1);
    b.close();
  });

  test('an unavailable Redis is reported once and does not prevent the start', async () => {
    const { made, changes } = link('none', 'redis://127.0.0.1:1');
    const began = performance.now();
    expect(await made.opened(300)).toBe(false);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(changes).toEqual([expect.stringContaining('ECONNREFUSED')]);
    await expect(made.command((client) => client.ping())).rejects.toThrow();
    made.close();
  });

  test('a rejected password is an error for the terminal', async () => {
    const { made } = link('none', redis.url.replace('//', '//someone:wrong@'));
    await expect(made.opened(5_000)).rejects.toThrow(/WRONGPASS|AUTH/i);
    made.close();
  });
});
