import type { Bus, BusKind } from '../../ports/bus.ts';
import { Subscription } from '../in-process/bus.ts';
import type { RedisConnection } from './connection.ts';

/**
 * Limits of the messages that wait for the end of the event-loop turn, and of the bytes of one published
 * message.
 */
const MAX_PENDING_MESSAGES = 20_000;
const MAX_MESSAGE_BYTES = 256 * 1024;

/**
 * Completions are published on a channel of their own, to which only processes with waiting callers
 * subscribe.
 */
const COMPLETION_KINDS: ReadonlySet<BusKind> = new Set<BusKind>(['ended', 'answered']);

type PendingMessages = { texts: string[]; size: number };

/** A bus over Redis. Messages of one event-loop turn are published together. */
export function createRedisBus(link: RedisConnection, failed: (error: unknown) => void): Bus {
  const subscription = new Subscription(failed);
  const gaps: (() => void)[] = [];
  const channels = { ends: `${link.prefix}:ends`, bus: `${link.prefix}:bus` };
  const pending = new Map<string, PendingMessages>();
  const subscribed = new Set<string>();
  let count = 0;
  let isArmed = false;

  function receive(text: string): void {
    const message = JSON.parse(text) as { from: string; told: [string, unknown][] };
    if (message.from === link.self) return;
    for (const [kind, what] of message.told) subscription.deliver(kind, what);
  }

  function send(): void {
    isArmed = false;
    count = 0;
    for (const channel of pending.keys()) flush(channel);
    pending.clear();
  }

  function flush(channel: string): void {
    const texts = pending.get(channel)?.texts ?? [];
    if (texts.length === 0) return;
    link.publish(channel, `{"from":${JSON.stringify(link.self)},"told":[${texts.join(',')}]}`);
    pending.delete(channel);
  }

  link.onUp(() => {
    for (const run of gaps) {
      try {
        run();
      } catch (error) {
        failed(error);
      }
    }
  });

  return {
    publish(kind, message) {
      if (!link.isUp() || count >= MAX_PENDING_MESSAGES) return;
      const channel = COMPLETION_KINDS.has(kind) ? channels.ends : channels.bus;
      const text = JSON.stringify([kind, message]);
      const group = pending.get(channel) ?? { texts: [], size: 0 };
      pending.set(channel, group);
      group.texts.push(text);
      group.size += text.length;
      count++;
      if (group.size >= MAX_MESSAGE_BYTES) flush(channel);
      if (isArmed) return;
      isArmed = true;
      setImmediate(send);
    },
    subscribe(kind, run) {
      subscription.add(kind, run);
      const channel = COMPLETION_KINDS.has(kind) ? channels.ends : channels.bus;
      if (subscribed.has(channel)) return;
      subscribed.add(channel);
      void link.subscribe(channel, (text) => {
        try {
          receive(text);
        } catch (error) {
          failed(error);
        }
      });
    },
    onReconnect: (run) => void gaps.push(run),
    isUp: () => link.isUp(),
  };
}
