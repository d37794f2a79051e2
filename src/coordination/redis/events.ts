import type { Events, WeftEvent } from '../../ports/events.ts';
import type { RedisSubscriptions } from './subscriptions.ts';
import type { RedisConnection } from './connection.ts';

/** Events that wait for the end of the event loop's turn at most. */
const PENDING = 50_000;

/**
 * Fan-out over processes. Subscribers of this one get an event at once, by `local`; those of others by Redis, all events of one
 * owner and turn of the event loop in one message, so in order. What Redis loses is lost: the store has it.
 */
export function createRedisEvents(
  link: RedisConnection,
  local: Events,
  interest: RedisSubscriptions,
  failed: (error: unknown) => void,
): Events {
  const counts = new Map<string, number>();
  const pending = new Map<string, WeftEvent[]>();
  let count = 0;
  let isArmed = false;
  const channelOf = (ownerId: string): string => `${link.prefix}:owner:${ownerId}`;

  function send(): void {
    isArmed = false;
    count = 0;
    for (const [ownerId, events] of pending)
      link.publish(channelOf(ownerId), JSON.stringify({ from: link.self, events }));
    pending.clear();
  }

  function receive(text: string): void {
    try {
      const { from, events } = JSON.parse(text) as { from: string; events: WeftEvent[] };
      if (from !== link.self) for (const event of events) local.publish(event);
    } catch (error) {
      failed(error);
    }
  }

  return {
    publish(event) {
      local.publish(event);
      if (!interest.isWanted(event.ownerId) || count >= PENDING) return;
      count++;
      const events = pending.get(event.ownerId);
      if (events === undefined) pending.set(event.ownerId, [event]);
      else events.push(event);
      if (isArmed) return;
      isArmed = true;
      setImmediate(send);
    },
    wanted: (ownerId) => local.wanted(ownerId) || interest.isWanted(ownerId),
    subscribe(ownerId, receiver) {
      const leave = local.subscribe(ownerId, receiver);
      const before = counts.get(ownerId) ?? 0;
      counts.set(ownerId, before + 1);
      if (before === 0) {
        // Told when what is published would come.
        void link.subscribe(channelOf(ownerId), receive).then(() => {
          if (counts.has(ownerId)) interest.want(ownerId, true);
        });
      }
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        leave();
        const left = (counts.get(ownerId) ?? 1) - 1;
        if (left > 0) return void counts.set(ownerId, left);
        counts.delete(ownerId);
        interest.want(ownerId, false);
        link.unsubscribe(channelOf(ownerId));
      };
    },
  };
}
