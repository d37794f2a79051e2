import { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { redisOptions } from '../lib/redis-options.ts';
import type { Queue } from '../ports/queue.ts';
import { BullmqHands } from './bullmq-hands.ts';
import { manyInOne } from './many-in-one.ts';

const NAME = 'executions';
/** ms that a worker which went silent keeps an id. */
const LOCK = 5_000;
/** ms without a word from Redis after which a connection is made anew: longer than a worker waits for an id. */
const SILENCE = 6_000;
/** Ids that wait to be sent at most, and of one call. */
const PENDING = 50_000;
const BULK = 500;
/** ms between two looks whether Redis takes writes. */
const PROBE_INTERVAL_MS = 1_000;
/** How Redis refuses writes while it serves reads: its memory is full, it cannot save, or it is a replica. */
const REFUSAL = /\b(OOM|MISCONF|READONLY|NOREPLICAS)\b/;
/** ms that closing waits for the connections. */
const CLOSING = 2_000;

export type BullmqOptions = {
  url: string;
  /** What the keys of this Weft begin with. */
  prefix: string;
  now: () => number;
  /** For tests: ms that a worker which went silent keeps an id. */
  lock?: number;
  /** ms. */
  after: (ms: number, run: () => void) => () => void;
  /** Something failed that no caller waits for. */
  report: (message: string, error: unknown) => void;
};

/** The queue on BullMQ: a job is an execution's id, and gone when it is done. */
export function createBullmqQueue(options: BullmqOptions): Queue {
  const { url, prefix, now, report } = options;
  let isRefusing = false;
  function failed(error: unknown): void {
    if (!REFUSAL.test((error as Error).message)) return report('the queue on Redis failed', error);
    if (!isRefusing) report('Redis refuses writes: what waits is found in the store, more slowly', error);
    isRefusing = true;
  }

  function connect(): Redis {
    const connection = new Redis(url, {
      ...redisOptions(url, SILENCE),
      connectionName: `${prefix}:queue`,
    });
    // Without it an error of the connection would end the process. Who is told of a lost Redis is told by the bus.
    connection.on('error', () => {});
    return connection;
  }

  const connection = connect();
  const jobs = new BullQueue(
    NAME,
    { connection, prefix, streams: { events: { maxLen: 100 } } },
    manyInOne(connection).backend,
  );
  jobs.on('error', () => {});
  const hands: { hands: BullmqHands; connection: Redis }[] = [];
  let isClosed = false;

  const pending = new Set<string>();
  const sending = new Set<Promise<unknown>>();
  let isArmed = false;

  function send(): void {
    isArmed = false;
    if (!isUp()) return pending.clear();
    const ids = [...pending];
    pending.clear();
    for (let i = 0; i < ids.length; i += BULK) {
      const sent = jobs
        .addBulk(ids.slice(i, i + BULK).map((id) => ({ name: 'run', data: {}, opts: { jobId: id } })))
        // What did not get through is found by a sweep.
        .catch((error: unknown) => {
          if (isUp()) failed(error);
        })
        .finally(() => sending.delete(sent));
      sending.add(sent);
    }
  }

  function isUp(): boolean {
    return !isClosed && connection.status === 'ready' && !isRefusing;
  }

  let cancelProbe = options.after(PROBE_INTERVAL_MS, probe);
  function probe(): void {
    cancelProbe = options.after(PROBE_INTERVAL_MS, probe);
    if (connection.status !== 'ready') return;
    connection.set(`${prefix}:probe`, '', 'PX', PROBE_INTERVAL_MS).then(
      () => (isRefusing = false),
      (error: Error) => {
        if (REFUSAL.test(error.message)) failed(error);
      },
    );
  }

  return {
    announce(ids) {
      for (const id of ids) if (pending.size < PENDING) pending.add(id);
      if (isArmed || pending.size === 0) return;
      isArmed = true;
      setImmediate(send);
    },

    work(take, atOnce) {
      const own = connect();
      const { after } = options;
      hands.push({
        hands: new BullmqHands({
          name: NAME,
          prefix,
          connection: own,
          take,
          atOnce,
          lock: options.lock ?? LOCK,
          after,
          failed,
        }),
        connection: own,
      });
    },

    rest() {
      for (const { hands: each } of hands) each.rest();
    },
    resume() {
      for (const { hands: each } of hands) each.resume();
    },

    isUp,

    async depth() {
      if (!isUp()) return null;
      try {
        const [counts, [first]] = await Promise.all([
          jobs.getJobCounts('waiting', 'active'),
          jobs.getJobs(['waiting'], 0, 0, true),
        ]);
        const oldest = first === undefined ? null : Math.max(0, now() - first.timestamp);
        return { waiting: counts['waiting'] ?? 0, taken: counts['active'] ?? 0, oldest };
      } catch {
        return null;
      }
    },

    async close() {
      if (isClosed) return;
      send();
      const late = new Promise<void>((resolve) => options.after(CLOSING, resolve));
      await Promise.race([Promise.allSettled(sending), late]);
      isClosed = true;
      cancelProbe();
      const closing = hands.map(async ({ hands: each }) => each.close());
      await Promise.race([Promise.allSettled([...closing, jobs.close()]).then(() => {}), late]);
      connection.disconnect();
      for (const { connection: own } of hands) own.disconnect();
    },
  };
}
