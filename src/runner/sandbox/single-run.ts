import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Launch } from './isolation-launcher.ts';
import { trySpawn } from './try-spawn.ts';

/** Written by a running process, to distinguish a process that did not start from one that failed. */
export const READY = 'ready\n';

/**
 * The result of a process for one request: its response, or why there is none. `late`: it exceeded the time
 * limit. `broken`: it crashed, wrote too much or was cancelled. `unavailable`: no way to start it works.
 */
export type SingleRun =
  | { kind: 'response'; bytes: Buffer }
  | { kind: 'late' }
  | { kind: 'broken' }
  | { kind: 'unavailable' };

export type SingleRunOptions = {
  /** Written to stdin; a stream is read again for each way to start the process. */
  request: string | (() => AsyncIterable<Uint8Array>);
  /** Ways to start the process; the first one that works is used. */
  launches: readonly Launch[];
  env: Readonly<Record<string, string>>;
  /** ms. */
  timeout: number;
  /** Maximum size of the response in bytes. */
  maxBytes: number;
  signal: AbortSignal;
};

/** Runs a process that handles untrusted input, and kills it afterwards. Never rejects. */
export async function runOnce({ launches, ...options }: SingleRunOptions): Promise<SingleRun> {
  for (const launch of launches) {
    const run = await tryLaunch(launch, options);
    if (run !== 'not started') return run;
  }
  return { kind: 'unavailable' };
}

function tryLaunch(
  launch: Launch,
  { request, env, timeout, maxBytes, signal }: Omit<SingleRunOptions, 'launches'>,
): Promise<SingleRun | 'not started'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'broken' });
    const child = trySpawn(launch, {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      // A separate process group, because the process may start others, and all must be killed.
      detached: process.platform !== 'win32',
    }) as ChildProcessByStdio<Writable, Readable, null> | null;
    if (child === null) return resolve('not started');
    const pieces: Buffer[] = [];
    let size = 0;
    const kill = (): void => {
      try {
        if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // The process has ended.
      }
    };
    const end = (run: SingleRun | 'not started'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      kill();
      resolve(run);
    };
    const onAbort = (): void => end({ kind: 'broken' });
    const timer = setTimeout(() => end({ kind: 'late' }), timeout);
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', () => end('not started'));
    child.stdin.on('error', () => {});
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) return end({ kind: 'broken' });
      pieces.push(piece);
    });
    child.on('close', () => {
      const output = Buffer.concat(pieces);
      const isReady = output.toString('latin1', 0, READY.length) === READY;
      end(isReady ? { kind: 'response', bytes: output.subarray(READY.length) } : 'not started');
    });
    if (typeof request === 'string') child.stdin.end(request);
    // The source of the request failed.
    else writeAll(child.stdin, request()).catch(() => end({ kind: 'broken' }));
  });
}

/** Returns early when the process closes its stdin. */
async function writeAll(stdin: Writable, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of bytes) {
    if (stdin.destroyed) return;
    if (stdin.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stdin.off('drain', go).off('close', go);
        resolve();
      };
      stdin.on('drain', go).on('close', go);
    });
  }
  stdin.end();
}
