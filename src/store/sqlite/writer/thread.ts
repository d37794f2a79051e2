import { Worker } from 'node:worker_threads';
import { ChurnMap } from '../../../lib/churn-map.ts';
import type { Arguments, TransactionName, Result } from '../../transactions/registry.ts';
import type { Checkpoint, CheckpointResult } from '../../../ports/store/checkpoint.ts';
import { encodeBatch } from './batch-codec.ts';
import { toError, type Failure } from '../failure.ts';
import type { Job, Report, ThreadSetup } from './protocol.ts';

/** The main thread's handle of one of the store's threads. */
export type Thread = {
  run<K extends TransactionName>(name: K, ...args: Arguments<K>): Promise<Result<K>>;
  commit(batch: readonly Checkpoint[]): Promise<CheckpointResult[]>;
  shrink(): Promise<boolean>;
  /** Reports direct writes to the writer. */
  reportWrites(groups: number): Promise<void>;
  /** Whether it has no jobs and accepts more. */
  isIdle(): boolean;
  /** Resolves after all submitted jobs. */
  close(): Promise<void>;
};

type Waiting = { resolve(value: never): void; reject(error: Error): void };

function spawn(setup: ThreadSetup): Worker {
  const entry = import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js';
  return new Worker(new URL(entry, import.meta.url), {
    workerData: setup,
    // Options of the process (such as `--eval`) do not apply to the thread.
    execArgv: [],
    // It holds one batch at a time; without this limit V8 would use three times as much memory before it
    // collects garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}

/** Resolves when the thread has opened the database; rejects with the error that prevented it. */
export async function startThread(setup: ThreadSetup, onFatal: (error: Error) => void): Promise<Thread> {
  const worker = spawn(setup);
  const waiting = new ChurnMap<number, Waiting>();
  let lastId = 0;
  let ended: Error | null = null;
  let isBroken = false;
  let isClosing = false;

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const give = <T>(job: (id: number) => Job): Promise<T> => {
    if (ended !== null) return Promise.reject(ended);
    return new Promise<T>((resolve, reject) => {
      const message = job(++lastId);
      worker.postMessage(message, []);
      // The process may exit while no caller waits for the disk.
      if (waiting.size === 0) worker.ref();
      waiting.set(message.id, { resolve, reject });
    });
  };
  const settle = (report: Extract<Report, { kind: 'outcomes' }>): void => {
    for (const outcome of report.outcomes) {
      const job = waiting.take(outcome.id);
      if ('failure' in outcome) job?.reject(toError(outcome.failure));
      else job?.resolve(outcome.value as never);
    }
    // An exit would end the thread within a call of SQLite, which aborts the process.
    if (waiting.size === 0 && !isClosing) worker.unref();
  };
  const end = (error: Error): void => {
    ended ??= error;
    for (const job of waiting.values()) job.reject(error);
    waiting.clear();
  };

  await opened(worker);
  worker.on('message', (report: Report) => {
    if (report.kind === 'outcomes') settle(report);
    if (report.kind !== 'fatal') return;
    isBroken = true;
    onFatal(toError(report.failure));
  });
  worker.once('error', (error) => {
    end(error instanceof Error ? error : new Error(String(error)));
    onFatal(ended!);
  });
  worker.once('exit', () => {
    if (!isClosing && ended === null) onFatal(new Error('A thread of the store exited unexpectedly.'));
    end(new Error('The store is closed.'));
  });
  worker.unref();

  return {
    run: (name, ...args) => give((id) => ({ id, kind: 'transaction', name, args })),
    commit: (batch) => give((id) => ({ id, kind: 'commit', batch: encodeBatch(batch) })),
    shrink: () => give((id) => ({ id, kind: 'shrink' })),
    reportWrites: (groups) => give((id) => ({ id, kind: 'report', groups })),
    isIdle: () => ended === null && !isBroken && waiting.size === 0,
    close: async () => {
      if (!isClosing && ended === null) {
        isClosing = true;
        worker.ref();
        worker.postMessage('close', []);
        ended = new Error('The store is closed.');
      }
      await exited;
    },
  };
}

/** Copies the database at `file` into `target` in a separate thread. */
export async function copyInThread(file: string, target: string): Promise<void> {
  await opened(spawn({ role: 'copier', file, target }));
}

async function opened(worker: Worker): Promise<void> {
  const failure = await new Promise<Failure | null>((resolve, reject) => {
    const ended = (): void => reject(new Error('A thread of the store exited during its start.'));
    worker.once('error', reject);
    worker.once('exit', ended);
    worker.once('message', (report: Report) => {
      worker.off('error', reject);
      worker.off('exit', ended);
      resolve(report.kind === 'failed' ? report.failure : null);
    });
  });
  if (failure !== null) throw toError(failure);
}
