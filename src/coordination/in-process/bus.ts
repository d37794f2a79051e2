import type { Bus, BusKind, BusMessages } from '../../ports/bus.ts';

type Receiver = (message: never) => void;

/** The subscriptions of one member. */
export class Subscription {
  private readonly receivers = new Map<BusKind, Receiver[]>();
  private readonly failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  add<K extends BusKind>(kind: K, receive: (message: BusMessages[K]) => void): void {
    this.receivers.set(kind, [...(this.receivers.get(kind) ?? []), receive]);
  }

  /**
   * Delivers to every receiver, even if others throw. Unknown kinds belong to another version and are
   * ignored.
   */
  deliver(kind: string, message: unknown): void {
    for (const receive of this.receivers.get(kind as BusKind) ?? []) {
      try {
        receive(message as never);
      } catch (error) {
        this.failed(error);
      }
    }
  }
}

/**
 * A bus within one process: a message reaches all other members at once. A single member receives nothing.
 */
export function createInProcessBuses(failed: (error: unknown) => void): { join(): Bus } {
  const members = new Set<Subscription>();
  return {
    join() {
      const own = new Subscription(failed);
      members.add(own);
      return {
        publish(kind, message) {
          for (const member of members) if (member !== own) member.deliver(kind, message);
        },
        subscribe: (kind, receive) => own.add(kind, receive),
        onReconnect: () => {},
        isUp: () => true,
      };
    },
  };
}
