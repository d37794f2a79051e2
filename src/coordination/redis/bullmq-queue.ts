import { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import { Redis } from 'ioredis';
import { createRedisOptions } from '../../lib/network/redis-options.ts';
import type { Queue } from '../../ports/queue.ts';

const QUEUE_NAME = 'executions';
/** How long a worker that stopped responding keeps a job. */
const LOCK_DURATION_MS = 5_000;
/** Interval between two checks for jobs with an expired lock, as a part of the lock duration. */
const STALLED_INTERVAL_RATIO = 0.6;
/** A job is never given up, regardless of how many workers died with it: the journal counts the attempts. */
const MAX_STALLED_COUNT = 1_000_000;
/** How long a worker waits for a job in one call to Redis. */
const BLOCKING_WAIT_S = 2;
/** A connection without a response for this long is replaced. Longer than `BLOCKING_WAIT_S`. */
const SOCKET_TIMEOUT_MS = 6_000;
const MAX_PENDING_IDS = 50_000;
const MAX_IDS_PER_CALL = 500;
/** Interval between two checks whether Redis accepts writes again. */
const PROBE_INTERVAL_MS = 1_000;
/** Errors of a Redis that serves reads but refuses writes: memory full, cannot save, or a replica. */
const REFUSAL = /\b(OOM|MISCONF|READONLY|NOREPLICAS)\b/;
/** How long `close` waits for the connections. */
const CLOSE_TIMEOUT_MS = 2_000;
const KEEP_NONE = { count: 0 };

/**
 * Errors of a job whose lock expired, or which Redis lost. They change nothing: the lease in the store
 * counts.
 */
const LOST_JOB = /lock|Missing key|not in the active state/i;
/** Errors of a lost connection. The bus reports the loss. */
const LOST_CONNECTION = /Connection is closed|Socket timeout|ECONN|EPIPE|ETIMEDOUT|Stream isn't writeable/i;

export type BullmqOptions = {
  url: string;
  /** Prefix of the keys of this service. */
  prefix: string;
  now: () => number;
  /** For tests. */
  lockDurationMs?: number;
  /** ms. */
  after: (ms: number, run: () => void) => () => void;
  /** Reports a failure that no caller waits for. */
  report: (message: string, error: unknown) => void;
};

/** The queue on BullMQ. The id of a job is the id of an execution; a job is removed when it is done. */
export function createBullmqQueue(options: BullmqOptions): Queue {
  const { url, prefix, now, report } = options;
  let isRefusing = false;
  function failed(error: unknown): void {
    if (!REFUSAL.test((error as Error).message)) return report('queue operation failed', error);
    if (!isRefusing)
      report('Redis refuses writes: queued executions are found in the store, which is slower', error);
    isRefusing = true;
  }

  /**
   * BullMQ expects the commands of a queue to fail without a connection, and those of a worker to wait for
   * it.
   */
  function connect(enableOfflineQueue: boolean): Redis {
    const connection = new Redis(url, {
      ...createRedisOptions(url, SOCKET_TIMEOUT_MS),
      enableOfflineQueue,
      connectionName: `${prefix}:queue`,
    });
    // Without a listener, a connection error would end the process. The bus reports a lost Redis.
    connection.on('error', () => {});
    return connection;
  }

  const connection = connect(false);
  const jobs = new BullQueue(QUEUE_NAME, { connection, prefix, streams: { events: { maxLen: 100 } } });
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
    for (let i = 0; i < ids.length; i += MAX_IDS_PER_CALL) {
      const sent = jobs
        .addBulk(
          ids.slice(i, i + MAX_IDS_PER_CALL).map((id) => ({ name: 'run', data: {}, opts: { jobId: id } })),
        )
        // A sweep finds ids that were not delivered.
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
      for (const id of ids) if (pending.size < MAX_PENDING_IDS) pending.add(id);
      if (isArmed || pending.size === 0) return;
      isArmed = true;
      setImmediate(send);
    },

    startWorker(take, atOnce) {
      const own = connect(true);
      const lockDuration = options.lockDurationMs ?? LOCK_DURATION_MS;
      // A failed job counts as done: the store knows what remains to be done.
      const worker = new BullWorker(QUEUE_NAME, async (job) => take(job.id!).catch(() => {}), {
        connection: own,
        prefix,
        concurrency: atOnce,
        lockDuration,
        stalledInterval: lockDuration * STALLED_INTERVAL_RATIO,
        maxStalledCount: MAX_STALLED_COUNT,
        drainDelay: BLOCKING_WAIT_S,
        removeOnComplete: KEEP_NONE,
        removeOnFail: KEEP_NONE,
      });
      worker.on('error', (error) => {
        if (isClosed || LOST_JOB.test(error.message) || LOST_CONNECTION.test(error.message)) return;
        if (own.status === 'ready') failed(error);
      });
      workers.push({ worker, connection: own });
    },

    pause() {
      for (const { worker } of workers) void worker.pause(true);
    },
    resume() {
      for (const { worker } of workers) void worker.resume();
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
      const late = new Promise<void>((resolve) => options.after(CLOSE_TIMEOUT_MS, resolve));
      await Promise.race([Promise.allSettled(sending), late]);
      isClosed = true;
      cancelProbe();
      const closing = workers.map(async ({ worker }) => worker.close(true));
      await Promise.race([Promise.allSettled([...closing, jobs.close()]).then(() => {}), late]);
      connection.disconnect();
      for (const { connection: own } of workers) own.disconnect();
    },
  };
}
