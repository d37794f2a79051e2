import type { Clock } from '../../ports/clock.ts';

/** ms of one go, and of the rest after it while others want the loop: then sockets get half of its time at most. */
const GO = 4;
const REST = 4;
/** ms of a go after which handing out stops, for what was handed out to be sent. */
const HAND_OUT = 2;
/** ms that the loop takes from one go to the next when nobody else wants it. */
const IDLE = 0.5;

/** What has something to do behind those who publish: a piece of it at each call; what is left it notes anew. */
export type Work = { flush(): void };

/**
 * Does the work of the door in turn, behind whoever publishes: to publish costs a note, whatever the sockets do. Feeds go before
 * connections, so that these have much to send at once.
 */
export type SendScheduler = {
  noteFeed(feed: Work): void;
  noteConnection(connection: Work): void;
  /** There is more to do than there is time for. */
  readonly isBehind: boolean;
};

export function createSendScheduler(clock: Clock): SendScheduler {
  const feeds = new Set<Work>();
  const connections = new Set<Work>();
  let isDue = false;
  let isBehind = false;

  /** The time at which it stopped. */
  function work(noted: Set<Work>, until: number): number {
    let at = performance.now();
    for (const one of noted) {
      if (at >= until) break;
      noted.delete(one);
      one.flush();
      at = performance.now();
    }
    return at;
  }
  function go(): void {
    const began = performance.now();
    work(feeds, began + HAND_OUT);
    const ended = work(connections, began + GO);
    isBehind = feeds.size + connections.size > 0;
    isDue = isBehind;
    if (!isDue) return;
    clock.soon(() => {
      if (performance.now() - ended < IDLE) go();
      else clock.after(REST, go);
    });
  }
  function note(noted: Set<Work>, one: Work): void {
    noted.add(one);
    if (isDue) return;
    isDue = true;
    clock.soon(go);
  }

  return {
    noteFeed: (feed) => note(feeds, feed),
    noteConnection: (connection) => note(connections, connection),
    get isBehind() {
      return isBehind;
    },
  };
}
