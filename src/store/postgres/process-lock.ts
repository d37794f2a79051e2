import type { PlacedProcess, ProcessRow } from '../../ports/store/processes.ts';
import { liveProcesses } from '../transactions/processes.ts';
import { classifyError } from './failure.ts';
import { sleep, untilKnown } from './retry.ts';
import type { Connection } from './connection.ts';
import type { Slot } from './pool.ts';
import { read, sessionOf } from './transaction.ts';

/** In `meta` while data is being moved into the database: until that has ended, it is not all there. */
export const MOVING = 'moving';

/** ms that a process waits for those before it to be gone: a server may notice late that a connection has ended. */
const PATIENCE = 3_000;
const PAUSE = 200;

/**
 * A lock of the session: held by one process alone, or shared by those that know of each other through Redis. It ends with the
 * process, however that ends, so nobody has to wait for a heartbeat to be over.
 */
const KEY = `hashtextextended('weft processes', 0)`;

export type ProcessLock = { leave(): Promise<void> };

async function isGiven(connection: Connection, verb: string): Promise<boolean> {
  const [reply] = await connection.flight([{ text: `SELECT ${verb}(${KEY}) AS given` }]);
  return reply?.rows[0]?.['given'] === (true as unknown);
}

/** Runs something while no process is at work on this database; throws `message` when one is. */
export async function withExclusiveAccess<T>(
  connection: Connection,
  message: string,
  run: () => Promise<T>,
): Promise<T> {
  if (!(await isGiven(connection, 'pg_try_advisory_lock'))) throw new Error(message);
  try {
    return await run();
  } finally {
    if (!connection.isLost) await isGiven(connection, 'pg_advisory_unlock');
  }
}

/**
 * Takes the process's place on the connection of `slot`, and keeps it over losses of the connection. Throws an error fit for the
 * terminal when other processes are there that it cannot work beside. `lost`: another process has come in between, so this one
 * has to end.
 */
export async function acquireProcessLock(
  slot: Slot,
  self: ProcessRow,
  now: () => number,
  lost: (error: Error) => void,
  patience: number = PATIENCE,
): Promise<ProcessLock> {
  const verb = self.shares ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  let isLeaving = false;

  const take = async (): Promise<Connection | null> => {
    const connection = await sessionOf(slot);
    return (await isGiven(connection, verb)) ? connection : null;
  };
  const wait = async (): Promise<void> => {
    for (let waited = 0; ; waited += PAUSE) {
      const connection = await take();
      if (connection !== null) return watch(connection);
      if (waited >= patience) throw new Error(refusal(self, await read(slot, () => liveProcesses(now()))));
      await sleep(PAUSE);
    }
  };
  const watch = (connection: Connection): void =>
    connection.onLost(() => {
      if (isLeaving) return;
      untilKnown(() => isLeaving, wait).catch((error: unknown) => {
        if (!isLeaving) lost(error instanceof Error ? error : new Error(String(error)));
      });
    });

  await wait();
  return {
    leave: async () => {
      isLeaving = true;
      try {
        const { connection } = await slot.connect();
        await connection.end();
      } catch (error) {
        // Without a connection there is no place either.
        if (classifyError(error) !== 'lost') throw error;
      }
    },
  };
}

function refusal(self: ProcessRow, live: readonly PlacedProcess[]): string {
  const others = live
    .filter(({ id }) => id !== self.id)
    .map(({ host, pid, role }) => `process ${pid} on ${host} (${role})`);
  const who = others.length === 0 ? 'another Weft process' : others.join(', ');
  if (self.shares)
    return `This database is in use by ${who}, which runs without REDIS_URL and so must be the only one. Stop it, or start it with the same REDIS_URL.`;
  return `This database is in use by ${who}. Several processes need REDIS_URL, the same for all of them: set it, or stop the other one.`;
}
