import { spawn } from 'node:child_process';
import type { Launch } from './isolation-launcher.ts';

/** Written by a process once it runs, which distinguishes a process that did not start from one that failed. */
export const READY = 'ready\n';

/**
 * The result of a process for one request: its response, or why there is none. `late`: it exceeded the time
 * limit. `broken`: it crashed, wrote too much or was cancelled. `unavailable`: no way to start it works.
 */
export type SingleRun =
  | { kind: 'response'; text: string }
  | { kind: 'late' }
  | { kind: 'broken' }
  | { kind: 'unavailable' };

export type SingleRunOptions = {
  /** Written to stdin. */
  request: string;
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
    const child = spawn(launch.command, launch.args, {
      env,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
      // A separate process group, because the process may start others, and all must be killed.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
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
      const input = Buffer.concat(pieces).toString('utf8');
      end(input.startsWith(READY) ? { kind: 'response', text: input.slice(READY.length) } : 'not started');
    });
    child.stdin.end(request);
  });
}
