import type { Queue } from '../../ports/queue.ts';

type Worker = { take: (id: string) => Promise<void>; atOnce: number; inHand: number };
/** One client of the queue. */
type Member = { worker: Worker | null; isResting: boolean };

/**
 * A queue for engines in one process; each member is a worker. An id that is announced twice is assigned
 * once.
 */
export function createInProcessQueues(now: () => number): { join(): Queue } {
  /** Waiting ids, with the time of their announcement. */
  const waiting = new Map<string, number>();
  const inHand = new Set<string>();
  const members = new Set<Member>();

  function dispatch(): void {
    for (const [id] of waiting) {
      const free = [...members].filter(
        ({ worker, isResting }) => worker !== null && !isResting && worker.inHand < worker.atOnce,
      );
      const least = free.toSorted((a, b) => a.worker!.inHand - b.worker!.inHand)[0]?.worker;
      if (least === undefined || least === null) return;
      waiting.delete(id);
      assign(id, least);
    }
  }

  function assign(id: string, worker: Worker): void {
    inHand.add(id);
    worker.inHand++;
    const done = (): void => {
      inHand.delete(id);
      worker.inHand--;
      dispatch();
    };
    worker.take(id).then(done, done);
  }

  return {
    join() {
      const member: Member = { worker: null, isResting: false };
      members.add(member);
      return {
        announce(ids) {
          for (const id of ids) if (!inHand.has(id) && !waiting.has(id)) waiting.set(id, now());
          dispatch();
        },
        startWorker(take, atOnce) {
          member.worker = { take, atOnce, inHand: 0 };
          dispatch();
        },
        pause() {
          member.isResting = true;
        },
        resume() {
          member.isResting = false;
          dispatch();
        },
        isUp: () => true,
        depth() {
          const [first] = waiting.values();
          const oldest = first === undefined ? null : now() - first;
          return Promise.resolve({ waiting: waiting.size, taken: inHand.size, oldest });
        },
        close() {
          member.worker = null;
          members.delete(member);
          return Promise.resolve();
        },
      };
    },
  };
}
