import { Worker as BullWorker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { TransientMap } from '../lib/transient-map.ts';
import { manyInOne, type ManyInOne } from './many-in-one.ts';

/** Of the time that a lock holds: between two looks for ids whose lock is over, and between two renewals of what is in hand. */
const STALL_CHECK = 0.6;
const RENEW = 0.3;
/** An id is handed out again however often its workers died: attempts are counted in the journal. */
const STALLS = 1_000_000;
const NONE_KEPT = { count: 0 };
/** s that a worker waits for an id in one call. */
const WAIT = 2;
/** ms before something that Redis did not do is tried again. */
const AGAIN = 500;

/** What BullMQ says when Redis went away or forgot: that changes nothing, the lease in the store counts. */
const gone = /lock|Missing key|not in the active state/i;
const away = /Connection is closed|Socket timeout|ECONN|EPIPE|ETIMEDOUT|Stream isn't writeable/i;

export type HandsOptions = {
  name: string;
  prefix: string;
  connection: Redis;
  take: (id: string) => Promise<void>;
  atOnce: number;
  /** ms that a worker which went silent keeps an id. */
  lock: number;
  after: (ms: number, run: () => void) => () => void;
  failed: (error: unknown) => void;
};

/**
 * The hands of a worker: what it takes out of the queue, and puts down when it is done. Ids are fetched and put down many at a
 * time, where BullMQ's own loop would go to Redis for each.
 */
export class BullmqHands {
  private readonly options: HandsOptions;
  private readonly many: ManyInOne;
  private readonly worker: BullWorker;
  private readonly inHand = new TransientMap<string, Job>();
  private waves = 0;
  private isResting = false;
  private isClosed = false;
  /** Called when there is room again, or no more rest. */
  private wake = (): void => {};
  private cancelRenewal = (): void => {};

  constructor(options: HandsOptions) {
    this.options = options;
    const { name, prefix, connection, lock } = options;
    this.many = manyInOne(connection, () => (this.isResting ? 1 : this.room));
    this.worker = new BullWorker(
      name,
      null,
      {
        connection,
        prefix,
        autorun: false,
        lockDuration: lock,
        stalledInterval: lock * STALL_CHECK,
        maxStalledCount: STALLS,
        drainDelay: WAIT,
        runRetryDelay: AGAIN,
        removeOnComplete: NONE_KEPT,
        removeOnFail: NONE_KEPT,
      },
      this.many.backend,
    );
    this.worker.on('error', (error) => this.report(error));
    void this.worker.startStalledCheckTimer();
    this.renewLater();
    void this.fetch();
  }

  rest(): void {
    this.isResting = true;
  }

  resume(): void {
    this.isResting = false;
    this.wake();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRenewal();
    this.wake();
    await this.worker.close(true);
  }

  private report(error: unknown): void {
    const { message } = error as Error;
    if (this.isClosed || gone.test(message) || away.test(message)) return;
    if (this.options.connection.status === 'ready') this.options.failed(error);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.after(ms, resolve));
  }

  private async fetch(): Promise<void> {
    while (!this.isClosed) {
      if (this.isResting || this.room <= 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      try {
        await this.fetchWave();
      } catch (error) {
        this.report(error);
        await this.pause(AGAIN);
      }
    }
  }

  private get room(): number {
    return this.options.atOnce - this.inHand.size;
  }

  /** Waits until there is something, and takes all that there is, as far as there is room: so it is read and written together. */
  private async fetchWave(): Promise<void> {
    const wave: Job[] = [];
    const token = `${this.worker.id}:${this.waves++}`;
    try {
      do {
        const job = await this.worker.getNextJob(token, { block: wave.length === 0 });
        if (job === undefined || this.isClosed) return;
        this.inHand.set(job.id!, job);
        wave.push(job);
      } while (this.many.isMoreTaken());
    } finally {
      for (const job of wave) void this.serve(job);
    }
  }

  private async serve(job: Job): Promise<void> {
    const id = job.id!;
    // What fails is done as well: the store knows what is left to do.
    await this.options.take(id).catch(() => {});
    if (this.inHand.get(id) === job) this.inHand.delete(id);
    this.wake();
    await this.putDown(job);
  }

  /** Until Redis has heard of it: what is announced of an id that is still in somebody's hands is dropped. */
  private async putDown(job: Job): Promise<void> {
    while (!this.isClosed) {
      try {
        await this.worker.getBackend().moveToCompleted(job, '', NONE_KEPT, job.token!, false);
        return;
      } catch (error) {
        if (!away.test((error as Error).message)) return this.report(error);
      }
      await this.pause(AGAIN);
    }
  }

  private renewLater(): void {
    const { after, lock } = this.options;
    this.cancelRenewal = after(lock * RENEW, () => {
      void this.renew().finally(() => {
        if (!this.isClosed) this.renewLater();
      });
    });
  }

  private async renew(): Promise<void> {
    const jobs = [...this.inHand.values()];
    if (jobs.length === 0) return;
    try {
      const ids = jobs.map((job) => job.id!);
      const tokens = jobs.map((job) => job.token!);
      await this.worker.extendJobLocks(ids, tokens, this.options.lock);
    } catch (error) {
      this.report(error);
    }
  }
}
