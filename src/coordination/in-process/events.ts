import type { Events, WeftEvent } from '../../ports/events.ts';

/** Limit of subscribers per owner in this process. */
export const SUBSCRIBERS_PER_OWNER = 1_000;

/**
 * Events within one process: subscribers are called synchronously, in the order of publishing, and nothing is
 * stored. A subscriber that throws is a bug: the others still receive the event, then `failed` is called.
 */
export function createInProcessEvents(failed: (error: unknown) => void): Events {
  const byOwner = new Map<string, Set<(event: WeftEvent) => void>>();
  return {
    publish(event) {
      const receivers = byOwner.get(event.ownerId);
      if (receivers === undefined) return;
      for (const receive of receivers) {
        try {
          receive(event);
        } catch (error) {
          failed(error);
        }
      }
    },
    hasSubscriber: (ownerId) => byOwner.has(ownerId),
    subscribe(ownerId, receive) {
      const receivers = byOwner.get(ownerId) ?? new Set();
      if (receivers.size >= SUBSCRIBERS_PER_OWNER) {
        throw new Error(`an owner must have at most ${SUBSCRIBERS_PER_OWNER} subscribers`);
      }
      byOwner.set(ownerId, receivers);
      // A new function for each subscription, so that one receiver may subscribe twice and unsubscribe once.
      const entry = (event: WeftEvent) => receive(event);
      receivers.add(entry);
      return () => {
        receivers.delete(entry);
        if (receivers.size === 0 && byOwner.get(ownerId) === receivers) byOwner.delete(ownerId);
      };
    },
  };
}
