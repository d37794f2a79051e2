import { Worker } from 'node:worker_threads';
import { errorOf, type Failure } from './failure.ts';

export type LogCarrier = {
  /** Carries over what the log holds now; nothing while the last call is at work. */
  carry(): void;
  stop(): void;
};

/** What the thread says after each `carry`. */
export type Carried = { failure: Failure | null };

/** Starts the thread that carries the write-ahead log over. `done` is called after each time, with what went wrong. */
export function startLogCarrier(file: string, done: (error: Error | null) => void): LogCarrier {
  const entry = import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js';
  const worker = new Worker(new URL(entry, import.meta.url), {
    workerData: { role: 'log-carrier', file },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  let isBusy = false;
  worker.on('message', ({ failure }: Carried) => {
    isBusy = false;
    done(failure === null ? null : errorOf(failure));
  });
  worker.on('error', done);
  worker.unref();
  return {
    carry: () => {
      if (isBusy) return;
      isBusy = true;
      worker.postMessage('carry', []);
    },
    stop: () => void worker.terminate(),
  };
}
