import type { Connection } from './connection.ts';
import { ConnectionLost } from './failure.ts';

/** Maximum number of requests that wait for a connection of one pool. */
const MAX_WAITING = 10_000;

/**
 * A slot for one connection, which is opened when first needed, and again after it was lost. The holder of
 * the slot uses the connection exclusively.
 */
export type Slot = {
  readonly name: string;
  /**
   * The current connection; throws the error that prevents it. `isNew`: it has just been opened, as the first
   * or to replace a lost one.
   */
  connect(): Promise<{ connection: Connection; isNew: boolean }>;
  /** Closes a connection whose state is unknown. */
  drop(): void;
};

export type Pool = {
  /** Waits for a free slot, first come, first served. Rejects when no slot was released for `within` ms. */
  acquire(within: number): Promise<Slot>;
  release(slot: Slot): void;
  /** The number of slots, of open connections, of slots in use, and of waiting requests. */
  load(): { size: number; open: number; used: number; waiting: number };
  /** Resolves when all slots have been released. */
  close(): Promise<void>;
};

export function createPool(
  names: readonly string[],
  open: (name: string, at: number) => Promise<Connection>,
): Pool {
  const slots = names.map((name, at) => createSlot(name, () => open(name, at)));
  const free = [...slots];
  const waiting: { give(slot: OwnSlot): void; refuse(error: Error): void }[] = [];
  let isClosed = false;
  let givenAt = 0;
  let emptied = (): void => {};

  return {
    acquire: (within) => {
      if (isClosed) return Promise.reject(new Error('The store is closed.'));
      const slot = free.pop();
      if (slot !== undefined) return Promise.resolve(slot);
      if (waiting.length >= MAX_WAITING)
        return Promise.reject(
          new ConnectionLost('Too many requests are waiting for a connection to PostgreSQL.'),
        );
      return new Promise((resolve, reject) => {
        const entry = {
          give: (given: OwnSlot): void => {
            clearTimeout(timer);
            resolve(given);
          },
          refuse: (error: Error): void => {
            clearTimeout(timer);
            reject(error);
          },
        };
        const look = (): void => {
          const rest = givenAt + within - performance.now();
          if (rest > 0) {
            timer = setTimeout(look, rest);
            return;
          }
          waiting.splice(waiting.indexOf(entry), 1);
          reject(new ConnectionLost(`No connection to PostgreSQL was free for ${within} ms.`));
        };
        let timer = setTimeout(look, within);
        waiting.push(entry);
      });
    },
    release: (slot) => {
      const next = waiting.shift();
      givenAt = performance.now();
      if (next !== undefined) return next.give(slot as OwnSlot);
      free.push(slot as OwnSlot);
      if (free.length === slots.length) emptied();
    },
    load: () => ({
      size: slots.length,
      open: slots.filter((slot) => slot.isOpen()).length,
      used: slots.length - free.length,
      waiting: waiting.length,
    }),
    close: async () => {
      isClosed = true;
      for (const entry of waiting.splice(0)) entry.refuse(new Error('The store is closed.'));
      if (free.length < slots.length) await new Promise<void>((resolve) => (emptied = resolve));
      await Promise.all(slots.map((slot) => slot.end()));
    },
  };
}

type OwnSlot = Slot & { isOpen(): boolean; end(): Promise<void> };

function createSlot(name: string, open: () => Promise<Connection>): OwnSlot {
  let connection: Connection | null = null;
  return {
    name,
    isOpen: () => connection !== null && !connection.isLost,
    connect: async () => {
      if (connection !== null && !connection.isLost) return { connection, isNew: false };
      connection = await open();
      return { connection, isNew: true };
    },
    drop: () => {
      connection?.drop();
      connection = null;
    },
    end: async () => {
      await connection?.end();
      connection = null;
    },
  };
}
