import type { Clock } from '../../ports/clock.ts';

/** ms of one go, and of the rest after it while others want the loop: then sockets get half of its time at most. */
const GO = 4;
const REST = 4;
/** ms that the loop takes from one go to the next when nobody else wants it. */
const IDLE = 0.5;

/** Empties outboxes in turn, behind whoever publishes: to publish costs a note, whatever the sockets do. */
export type Flusher = {
  note(connection: { flush(): void }): void;
  /** There is more to send than there is time for. */
  readonly isBehind: boolean;
};

export function createFlusher(clock: Clock): Flusher {
  const noted = new Set<{ flush(): void }>();
  let isDue = false;
  let isBehind = false;

  function go(): void {
    const began = performance.now();
    let ended = began;
    for (const connection of noted) {
      noted.delete(connection);
      connection.flush();
      ended = performance.now();
      if (ended - began >= GO) break;
    }
    isBehind = noted.size > 0;
    isDue = isBehind;
    if (!isDue) return;
    clock.soon(() => {
      if (performance.now() - ended < IDLE) go();
      else clock.after(REST, go);
    });
  }

  return {
    note(connection) {
      noted.add(connection);
      if (isDue) return;
      isDue = true;
      clock.soon(go);
    },
    get isBehind() {
      return isBehind;
    },
  };
}
