import type { Bus, BusKind, BusMessages } from '../../ports/bus.ts';

type Receiver = (message: never) => void;

/** What one member hears. */
export class Subscription {
  private readonly receivers = new Map<BusKind, Receiver[]>();
  private readonly failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  add<K extends BusKind>(kind: K, receive: (message: BusMessages[K]) => void): void {
    this.receivers.set(kind, [...(this.receivers.get(kind) ?? []), receive]);
  }

  /** Each gets the message, whatever the others do with it. A kind that nobody here knows is for another version. */
  tell(kind: string, message: unknown): void {
    for (const receive of this.receivers.get(kind as BusKind) ?? []) {
      try {
        receive(message as never);
      } catch (error) {
        this.failed(error);
      }
    }
  }
}

/** A bus for parts of one process: each that joins hears the others, at once. A process alone on its store hears nothing. */
export function createInProcessBuses(failed: (error: unknown) => void): { join(): Bus } {
  const members = new Set<Subscription>();
  return {
    join() {
      const own = new Subscription(failed);
      members.add(own);
      return {
        publish(kind, message) {
          for (const member of members) if (member !== own) member.tell(kind, message);
        },
        subscribe: (kind, receive) => own.add(kind, receive),
        onReconnect: () => {},
        isUp: () => true,
      };
    },
  };
}
