import type { Events, WeftEvent } from '../../ports/events.ts';
import type { RedisSubscriptions } from './subscriptions.ts';
import type { RedisConnection } from './connection.ts';

/** Limit of the events that wait for the end of the event-loop turn. */
const MAX_PENDING_EVENTS = 50_000;

/**
 * Events across processes. Subscribers in this process receive an event at once, from `local`. Other
 * processes receive it by Redis: all events of one owner and event-loop turn in one message, and so in order.
 * Events that Redis loses are not resent; the store has the data.
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
  const toChannel = (ownerId: string): string => `${link.prefix}:owner:${ownerId}`;

  function send(): void {
    isArmed = false;
    count = 0;
    for (const [ownerId, events] of pending)
      link.publish(toChannel(ownerId), JSON.stringify({ from: link.self, events }));
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
      if (!interest.isWanted(event.ownerId) || count >= MAX_PENDING_EVENTS) return;
      count++;
      const events = pending.get(event.ownerId);
      if (events === undefined) pending.set(event.ownerId, [event]);
      else events.push(event);
      if (isArmed) return;
      isArmed = true;
      setImmediate(send);
    },
    hasSubscriber: (ownerId) => local.hasSubscriber(ownerId) || interest.isWanted(ownerId),
    subscribe(ownerId, receiver) {
      const leave = local.subscribe(ownerId, receiver);
      const before = counts.get(ownerId) ?? 0;
      counts.set(ownerId, before + 1);
      if (before === 0) {
        // Announce the interest only when published events would arrive.
        void link.subscribe(toChannel(ownerId), receive).then(() => {
          if (counts.has(ownerId)) interest.announceInterest(ownerId, true);
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
        interest.announceInterest(ownerId, false);
        link.unsubscribe(toChannel(ownerId));
      };
    },
  };
}
