import type { Bus } from '../ports/bus.ts';
import type { Events } from '../ports/events.ts';
import type { Queue } from '../ports/queue.ts';
import type { RateCounter } from '../ports/rate-counter.ts';
import type { TestAddresses } from '../ports/test-addresses.ts';

/** What this process has of the others on its store. */
export type Coordination = {
  /** Null: there are no others. */
  queue: Queue | null;
  bus: Bus;
  events: Events;
  addresses: TestAddresses;
  /** A counter that all share, in windows of `window` ms; `alone` counts while they cannot, and where there are no others. */
  counter(name: string, window: number, alone: RateCounter): RateCounter;
  isUp(): boolean;
  close(): Promise<void>;
};
