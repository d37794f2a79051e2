import { Worker } from 'node:worker_threads';
import { toError, type Failure } from '../failure.ts';

export type WalCheckpointer = {
  /** Starts a checkpoint; does nothing while one is running. */
  startCheckpoint(): void;
  /** The thread closes its connection and exits; the calling thread stays alive until then. */
  stop(): void;
};

export type CheckpointerMessage = 'carry' | 'close';

/** The thread's message after each checkpoint. */
export type CheckpointResult = { failure: Failure | null };

/**
 * Starts the thread that checkpoints the write-ahead log. `done` is called after each checkpoint, with the
 * error if it failed.
 */
export function startWalCheckpointer(file: string, done: (error: Error | null) => void): WalCheckpointer {
  const entry = import.meta.url.endsWith('.ts') ? '../writer/writer-thread.ts' : './writer-thread.js';
  const worker = new Worker(new URL(entry, import.meta.url), {
    workerData: { role: 'checkpointer', file },
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
    startCheckpoint: () => {
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
