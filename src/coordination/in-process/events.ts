import type { Events, WeftEvent } from '../../ports/events.ts';

/** Subscribers one owner may have in this process. */
export const SUBSCRIBERS_PER_OWNER = 1_000;

/**
 * Fan-out within one process: a subscriber is called at once, in the order of publishing, and nothing is kept.
 * A subscriber that throws is a fault of ours; the others still get the event, then `failed` is told.
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
    wanted: (ownerId) => byOwner.has(ownerId),
    subscribe(ownerId, receive) {
      const receivers = byOwner.get(ownerId) ?? new Set();
      if (receivers.size >= SUBSCRIBERS_PER_OWNER) {
        throw new Error(`an owner may have ${SUBSCRIBERS_PER_OWNER} subscribers at once`);
      }
      byOwner.set(ownerId, receivers);
      // A wrapper, so that one function may subscribe twice and leave once.
      const entry = (event: WeftEvent) => receive(event);
      receivers.add(entry);
      return () => {
        receivers.delete(entry);
        if (receivers.size === 0 && byOwner.get(ownerId) === receivers) byOwner.delete(ownerId);
      };
    },
  };
}
