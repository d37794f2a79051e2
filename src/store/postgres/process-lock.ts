import type { LiveProcess, ProcessRow } from '../../ports/store/processes.ts';
import { liveProcesses } from '../transactions/processes.ts';
import { classifyError } from './failure.ts';
import { sleep, retryUntilKnown } from './retry.ts';
import type { Connection } from './connection.ts';
import type { Slot } from './pool.ts';
import { read, openSession } from './transaction.ts';

/** Key in `meta` while data is being moved into the database, which is incomplete until then. */
export const MOVE_KEY = 'moving';

/** In ms: how long a process waits for earlier ones to end: a server may notice a closed connection late. */
const TAKEOVER_TIMEOUT_MS = 3_000;
const RETRY_DELAY_MS = 200;

/**
 * A session lock: held by one process exclusively, or shared by processes that use the same Redis. It ends
 * with the process in every case, so no process has to wait for a heartbeat to expire.
 */
const KEY = `hashtextextended('weft processes', 0)`;

export type ProcessLock = { leave(): Promise<void> };

async function isGiven(connection: Connection, verb: string): Promise<boolean> {
  const [reply] = await connection.runPipeline([{ text: `SELECT ${verb}(${KEY}) AS given` }]);
  return reply?.rows[0]?.['given'] === (true as unknown);
}

/** Runs a function while no process is running on this database; throws `message` when one is. */
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
 * Acquires the process lock on the connection of `slot`, and reacquires it when the connection is lost.
 * Throws an error that the CLI can print when incompatible processes are running. `lost`: another process
 * took over in between, so this process must exit.
 */
export async function acquireProcessLock(
  slot: Slot,
  self: ProcessRow,
  now: () => number,
  lost: (error: Error) => void,
  patience: number = TAKEOVER_TIMEOUT_MS,
): Promise<ProcessLock> {
  const verb = self.shares ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  let isLeaving = false;

  const take = async (): Promise<Connection | null> => {
    const connection = await openSession(slot);
    return (await isGiven(connection, verb)) ? connection : null;
  };
  const wait = async (): Promise<void> => {
    for (let waited = 0; ; waited += RETRY_DELAY_MS) {
      const connection = await take();
      if (connection !== null) return watch(connection);
      if (waited >= patience) throw new Error(refusal(self, await read(slot, () => liveProcesses(now()))));
      await sleep(RETRY_DELAY_MS);
    }
  };
  const watch = (connection: Connection): void =>
    connection.onLost(() => {
      if (isLeaving) return;
      retryUntilKnown(() => isLeaving, wait).catch((error: unknown) => {
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
        // Without a connection there is no lock either.
        if (classifyError(error) !== 'lost') throw error;
      }
    },
  };
}

function refusal(self: ProcessRow, live: readonly LiveProcess[]): string {
  const others = live
    .filter(({ id }) => id !== self.id)
    .map(({ host, pid, role }) => `process ${pid} on ${host} (${role})`);
  const who = others.length === 0 ? 'another Weft process' : others.join(', ');
  if (self.shares)
    return `This database is in use by ${who}, which runs without REDIS_URL and so must be the only one. Stop it, or start it with the same REDIS_URL.`;
  return `This database is in use by ${who}. Several processes need REDIS_URL, the same for all of them: set it, or stop the other one.`;
}
