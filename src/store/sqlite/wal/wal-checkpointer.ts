import { Worker } from 'node:worker_threads';
import { errorOf, type Failure } from '../failure.ts';

export type LogCarrier = {
  /** Carries over what the log holds now; nothing while the last call is at work. */
  carry(): void;
  /** The thread closes its connection and ends by itself; the calling thread stays alive until then. */
  stop(): void;
};

export type CarrierMessage = 'carry' | 'close';

/** What the thread says after each `carry`. */
export type Carried = { failure: Failure | null };

/** Starts the thread that carries the write-ahead log over. `done` is called after each time, with what went wrong. */
export function startLogCarrier(file: string, done: (error: Error | null) => void): LogCarrier {
  const entry = import.meta.url.endsWith('.ts') ? '../writer/writer-thread.ts' : './writer-thread.js';
  const worker = new Worker(new URL(entry, import.meta.url), {
    workerData: { role: 'log-carrier', file },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  let isBusy = false;
  let isStopped = false;
  worker.on('message', ({ failure }: Carried) => {
    isBusy = false;
    if (!isStopped) done(failure === null ? null : errorOf(failure));
  });
  worker.on('error', (error) => {
    if (!isStopped) done(error);
  });
  worker.unref();
  return {
    carry: () => {
      if (isBusy || isStopped) return;
      isBusy = true;
      worker.postMessage('carry' satisfies CarrierMessage, []);
    },
    // Not `terminate()`: the driver aborts the process when its thread is terminated within a call.
    stop: () => {
      isStopped = true;
      worker.ref();
      worker.postMessage('close' satisfies CarrierMessage, []);
    },
  };
}
