import { Worker } from 'node:worker_threads';
import { toError, type Failure } from '../failure.ts';

export type WalCheckpointer = {
  /** Carries over what the log holds now; nothing while the last call is at work. */
  carry(): void;
  /** The thread closes its connection and ends by itself; the calling thread stays alive until then. */
  stop(): void;
};

export type CheckpointerMessage = 'carry' | 'close';

/** What the thread says after each `carry`. */
export type CheckpointResult = { failure: Failure | null };

/** Starts the thread that carries the write-ahead log over. `done` is called after each time, with what went wrong. */
export function startWalCheckpointer(file: string, done: (error: Error | null) => void): WalCheckpointer {
  const entry = import.meta.url.endsWith('.ts') ? '../writer/writer-thread.ts' : './writer-thread.js';
  const worker = new Worker(new URL(entry, import.meta.url), {
    workerData: { role: 'log-carrier', file },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  let isBusy = false;
  let isStopped = false;
  worker.on('message', ({ failure }: CheckpointResult) => {
    isBusy = false;
    if (!isStopped) done(failure === null ? null : toError(failure));
  });
  worker.on('error', (error) => {
    if (!isStopped) done(error);
  });
  worker.unref();
  return {
    carry: () => {
      if (isBusy || isStopped) return;
      isBusy = true;
      worker.postMessage('carry' satisfies CheckpointerMessage, []);
    },
    // Not `terminate()`: the driver aborts the process when its thread is terminated within a call.
    stop: () => {
      isStopped = true;
      worker.ref();
      worker.postMessage('close' satisfies CheckpointerMessage, []);
    },
  };
}
