import { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisOptions } from '../lib/redis-options.ts';
import type { Queue } from '../ports/queue.ts';

const NAME = 'executions';
/** ms that a worker which went silent keeps an id, and between two looks for such. */
const LOCK = 5_000;
const STALL_CHECK = 3_000;
/** An id is handed out again however often its workers died: attempts are counted in the journal. */
const STALLS = 1_000_000;
/** s that a worker waits for an id in one call. */
const WAIT = 2;
/** ms without a word from Redis after which a connection is made anew: longer than that wait. */
const SILENCE = 6_000;
/** Ids that wait to be sent at most, and of one call. */
const PENDING = 50_000;
const BULK = 500;
/** ms that closing waits for the connections. */
const CLOSING = 2_000;

/** What a worker says when Redis went away or forgot: that changes nothing, the lease in the store counts. */
const expected =
  /lock|Missing key|Connection is closed|Socket timeout|ECONN|EPIPE|ETIMEDOUT|Stream isn't writeable/i;

export type BullmqOptions = {
  url: string;
  /** What the keys of this Weft begin with. */
  prefix: string;
  now(): number;
  /** ms. */
  after(ms: number, run: () => void): () => void;
  /** Something failed that no caller waits for. */
  report(message: string, error: unknown): void;
};

/** The queue on BullMQ: a job is an execution's id, and gone when it is done. */
export function createBullmqQueue(options: BullmqOptions): Queue {
  const { url, prefix, now, report } = options;
  const failed = (error: unknown): void => report('the queue on Redis failed', error);

  function connect(): Redis {
    const connection = new Redis(url, { ...redisOptions(SILENCE), connectionName: `${prefix}:queue` });
    // Without it an error of the connection would end the process. Who is told of a lost Redis is told by the bus.
    connection.on('error', () => {});
    return connection;
  }

  const connection = connect();
  const jobs = new BullQueue(NAME, {
    connection,
    prefix,
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  jobs.on('error', () => {});
  const workers: { worker: BullWorker; connection: Redis }[] = [];
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
    return !isClosed && connection.status === 'ready';
  }

  return {
    announce(ids) {
      for (const id of ids) if (pending.size < PENDING) pending.add(id);
      if (isArmed || pending.size === 0) return;
      isArmed = true;
      setImmediate(send);
    },

    work(take, atOnce) {
      // Two of them fetch while one waits for an answer of Redis; a single id needs only one.
      const count = atOnce > 1 ? 2 : 1;
      for (let i = 0; i < count; i++) {
        const own = connect();
        const worker = new BullWorker(
          NAME,
          async (job) => {
            await take(job.id ?? '');
          },
          {
            connection: own,
            prefix,
            concurrency: Math.max(1, Math.floor(atOnce / count)),
            lockDuration: LOCK,
            stalledInterval: STALL_CHECK,
            maxStalledCount: STALLS,
            drainDelay: WAIT,
            runRetryDelay: 500,
            removeOnComplete: { count: 0 },
            removeOnFail: { count: 0 },
          },
        );
        worker.on('error', (error) => {
          if (own.status === 'ready' && !expected.test(error.message)) failed(error);
        });
        workers.push({ worker, connection: own });
      }
    },

    rest() {
      for (const { worker } of workers) worker.pause(true).catch(failed);
    },
    resume() {
      for (const { worker } of workers) worker.resume();
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
      const closing = workers.map(async ({ worker }) => worker.close(true));
      await Promise.race([Promise.allSettled([...closing, jobs.close()]).then(() => {}), late]);
      connection.disconnect();
      for (const { connection: own } of workers) own.disconnect();
    },
  };
}
