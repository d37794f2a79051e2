import type { Bus } from '../../ports/bus.ts';
import type { Events } from '../../ports/events.ts';
import type { Queue } from '../../ports/queue.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { TestWebhooks } from '../../ports/test-webhooks.ts';

/** Communication with other processes on the same store. */
export type Coordination = {
  /** Null: this process is alone on its store. */
  queue: Queue | null;
  bus: Bus;
  events: Events;
  addresses: TestWebhooks;
  /**
   * A counter that all processes share; `fallback` is used while Redis is unavailable or not configured.
   */
  counter(name: string, windowMs: number, fallback: RateCounter): RateCounter;
  isUp(): boolean;
  close(): Promise<void>;
};
