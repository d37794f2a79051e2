// Child processes of a benchmark. They are tracked by pid and end with the benchmark, also after an error.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_OUTPUT_LENGTH = 4000;
const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export type Child = {
  readonly pid: number;
  /** The end of its output, for the error message when it does not start. */
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process has ended. */
  readonly stop: (graceMs?: number) => Promise<void>;
};

export function startChild(program: string, args: string[], env: NodeJS.ProcessEnv): Child {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-MAX_OUTPUT_LENGTH);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid,
    output: () => printed,
    hasEnded,
    stop: async (graceMs = 5000) => {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Polls `url` until it responds with `status`, or with any status when none is given. */
export async function waitForResponse(
  child: Child,
  url: string,
  limitMs: number,
  status?: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (child.hasEnded()) throw new Error(`the process behind ${url} ended at its start:\n${child.output()}`);
    if (performance.now() > deadline)
      throw new Error(`${url}: no response within ${limitMs} ms:\n${child.output()}`);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await response.arrayBuffer();
      if (status === undefined || response.status === status) return;
    } catch {
      // Not listening yet.
    }
    await sleep(3);
  }
}

function statusField(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

/** Resident memory in MiB: now, and the highest so far. */
export function readMemory(pid: number): { now: number; peak: number } {
  return { now: statusField(pid, 'VmRSS'), peak: statusField(pid, 'VmHWM') };
}
