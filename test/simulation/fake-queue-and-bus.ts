import type { Bus, BusKind } from '../../src/ports/bus.ts';
import type { Queue } from '../../src/ports/queue.ts';
import type { Scheduler } from './scheduler.ts';

/** ms that a process which went silent keeps an id, and between two looks for such. */
const LOCK_DURATION_MS = 500;
const CHECK_INTERVAL_MS = 100;
/** How often an id is given out twice. */
const DUPLICATE_PROBABILITY = 0.3;

/** A process, as far as the hub knows it. */
export type Member = {
  readonly name: string;
  readonly alive: boolean;
  readonly isStalled: boolean;
  /** Runs something in it, unless it is gone by then. */
  later(ms: number, run: () => void): void;
};

type Hand = { member: Member; take: (id: string) => Promise<void>; atOnce: number; resting: boolean };
type Ear = { member: Member; kind: BusKind; receive: (message: never) => void };

/**
 * What several processes share beside their store: a queue that hands out ids, and a bus. Both lose, delay
 * and double; now and then all that they hold is gone, and for a while they cannot be reached.
 */
export class Hub {
  private waiting: string[] = [];
  private held = new Map<string, { hand: Hand; until: number }>();
  private hands: Hand[] = [];
  private ears: Ear[] = [];
  private downUntil = 0;
  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
    const look = (): void => {
      this.tend();
      scheduler.at(CHECK_INTERVAL_MS, look);
    };
    scheduler.at(CHECK_INTERVAL_MS, look);
  }

  /** All is lost, and for so long (ms) nothing gets through. */
  lose(ms: number): void {
    this.waiting = [];
    this.held.clear();
    this.downUntil = this.scheduler.now + ms;
  }

  private get isUp(): boolean {
    return this.scheduler.now >= this.downUntil;
  }

  createQueue(member: Member): Queue {
    const { scheduler } = this;
    const own: Hand[] = [];
    const rest = (resting: boolean): void => {
      for (const hand of own) hand.resting = resting;
      this.hand();
    };
    return {
      announce: (ids) => {
        const update = [...ids];
        scheduler.at(scheduler.between(0, 5), () => {
          if (!this.isUp || scheduler.chance(0.02)) return;
          for (const id of update)
            if (!this.held.has(id) && !this.waiting.includes(id)) this.waiting.push(id);
          this.hand();
        });
      },
      startWorker: (take, atOnce) => {
        const hand = { member, take, atOnce, resting: false };
        own.push(hand);
        this.hands.push(hand);
        this.hand();
      },
      pause: () => rest(true),
      resume: () => rest(false),
      isUp: () => this.isUp,
      depth: () => Promise.resolve(null),
      close: () => Promise.resolve(rest(true)),
    };
  }

  createBus(member: Member): Bus {
    const { scheduler } = this;
    return {
      publish: (kind, message) => {
        const update = structuredClone(message);
        scheduler.at(scheduler.between(0, 5), () => {
          if (!this.isUp || scheduler.chance(0.02)) return;
          for (const ear of this.ears)
            if (ear.kind === kind && ear.member !== member)
              ear.member.later(0, () => ear.receive(update as never));
        });
      },
      subscribe: (kind, receive) => void this.ears.push({ member, kind, receive }),
      onReconnect: () => {},
      isUp: () => this.isUp,
    };
  }

  /** Live processes renew their jobs; the jobs of others are handed out again. */
  private tend(): void {
    const { now } = this.scheduler;
    this.hands = this.hands.filter(({ member }) => member.alive);
    this.ears = this.ears.filter(({ member }) => member.alive);
    for (const [id, entry] of this.held) {
      const { member } = entry.hand;
      if (member.alive && !member.isStalled) entry.until = now + LOCK_DURATION_MS;
      else if (entry.until <= now) {
        this.held.delete(id);
        this.waiting.push(id);
      }
    }
    this.hand();
  }

  /** Hands out waiting jobs, up to the limit of each worker. */
  private hand(): void {
    if (!this.isUp) return;
    const { scheduler } = this;
    while (this.waiting.length > 0) {
      const free = this.hands.filter(
        (hand) =>
          hand.member.alive &&
          !hand.member.isStalled &&
          !hand.resting &&
          [...this.held.values()].filter((entry) => entry.hand === hand).length < hand.atOnce,
      );
      if (free.length === 0) return;
      const id = this.waiting.shift()!;
      this.give(id, scheduler.pick(free));
      if (scheduler.chance(DUPLICATE_PROBABILITY)) this.give(id, scheduler.pick(free));
    }
  }

  private give(id: string, hand: Hand): void {
    const { scheduler } = this;
    const entry = { hand, until: scheduler.now + LOCK_DURATION_MS };
    this.held.set(id, entry);
    scheduler.trace(`${hand.member.name} is given ${id}`);
    hand.member.later(scheduler.between(0, 5), () => {
      void hand.take(id).then(() => {
        if (this.held.get(id) === entry) this.held.delete(id);
        this.hand();
      });
    });
  }
}
