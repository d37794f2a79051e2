import type { Connection } from './connection.ts';
import { ConnectionLost } from './failure.ts';

/** Requests that may wait for a connection of one pool. */
const WAITING = 10_000;

/**
 * A place for one connection, which is opened when it is first needed and again when it was lost. Whoever has the slot has the
 * connection alone.
 */
export type Slot = {
  readonly name: string;
  /** The connection of this moment; throws what hinders it. `isNew`: it has just been opened, in place of a lost one or as the first. */
  connect(): Promise<{ connection: Connection; isNew: boolean }>;
  /** Closes a connection whose state is unknown. */
  drop(): void;
};

export type Pool = {
  /** Waits until a slot is free, the longest waiting first. Rejects when for `within` ms none is given to anybody. */
  acquire(within: number): Promise<Slot>;
  release(slot: Slot): void;
  /** Slots, those with a connection that is open, those in use, and requests that wait. */
  load(): { size: number; open: number; used: number; waiting: number };
  /** When all slots are back. */
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
      if (waiting.length >= WAITING)
        return Promise.reject(new ConnectionLost('Too much waits for a connection to PostgreSQL.'));
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
