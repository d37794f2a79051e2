import type { Clock } from '../../ports/clock.ts';

/** ms of one go, and of the rest after it while more waits: sockets get half of the loop's time at most. */
const GO = 4;
const REST = 4;

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
    for (const connection of noted) {
      noted.delete(connection);
      connection.flush();
      if (performance.now() - began >= GO) break;
    }
    isBehind = noted.size > 0;
    isDue = isBehind;
    if (isDue) clock.after(REST, go);
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
