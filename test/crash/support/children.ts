import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { findWeftProgram } from '../../support/program.ts';
import { adminEmail, adminPassword } from '../../support/service.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * A process that a test started, in its own process group, so that a tracer and the traced process end
 * together.
 */
export type Child = {
  readonly process: ChildProcess;
  /** Its output on both channels so far. */
  output(): string;
  /** Resolves when its output matches; rejects when it ends first or times out. */
  printed(pattern: RegExp, ms?: number): Promise<RegExpExecArray>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly isOver: () => boolean;
  /** Sends the signal to the whole group. */
  kill(signal?: NodeJS.Signals): void;
};

const started = new Set<Child>();

// Separate groups would outlive an interrupted test run.
process.once('exit', () => {
  for (const child of started) child.kill();
});

export function startChild(command: string, args: string[], env: Record<string, string> = {}): Child {
  const child = spawn(command, args, {
    env: { ...cleanEnvironment(), ...env },
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let isOver = false;
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (output.length > 4_000_000) output = output.slice(-2_000_000);
    notify();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      started.delete(one);
      resolve({ code, signal });
      notify();
    });
  });
  const one: Child = {
    process: child,
    output: () => output,
    exited,
    isOver: () => isOver,
    printed: (pattern, ms = 30_000) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          settle();
        };
        const look = (): void => {
          const found = pattern.exec(output);
          if (found !== null) end(() => resolve(found));
          else if (isOver) end(() => reject(new Error(`It ended before it printed ${pattern}:\n${output}`)));
        };
        const timer = setTimeout(
          () => end(() => reject(new Error(`It did not print ${pattern} within ${ms} ms:\n${output}`))),
          ms,
        );
        listeners.add(look);
        look();
      }),
    kill: (signal = 'SIGKILL') => {
      if (isOver) return;
      try {
        process.kill(-child.pid!, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
  };
  started.add(one);
  return one;
}

/** Ends all remaining processes of a test. */
export async function endChildren(): Promise<void> {
  const left = [...started];
  for (const child of left) child.kill();
  await Promise.all(left.map((child) => child.exited));
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(WEFT_|PORT$|HOST$|DATABASE_URL$|REDIS_URL$|NODE_OPTIONS$|VITEST)/.test(name),
    ),
  );
}

/** A service on a fixed port across restarts. `wrap` is a command before the program: a tracer. */
export function startService(options: { dataDir: string; port: number; wrap?: string[] }): Child {
  const command = [...(options.wrap ?? []), process.execPath, findWeftProgram(), 'start'];
  return startChild(command[0]!, command.slice(1), {
    PORT: String(options.port),
    WEFT_DATA_DIR: options.dataDir,
    WEFT_ADMIN_EMAIL: adminEmail,
    WEFT_ADMIN_PASSWORD: adminPassword,
    WEFT_ALLOWED_HOSTS: '127.0.0.1',
    WEFT_LOG_LEVEL: 'warn',
    WEFT_RATE_LIMIT_STANDARD: 'unlimited',
    WEFT_RATE_LIMIT_PRO: 'unlimited',
    WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
  });
}

export const readyLine = /is ready at (\S+)/;

export async function startUpstream(recordFile: string): Promise<{ child: Child; url: string }> {
  const child = startChild(process.execPath, [
    path.join(import.meta.dirname, 'upstream-program.ts'),
    recordFile,
  ]);
  const [, port] = await child.printed(/listening on (\d+)/);
  return { child, url: `http://127.0.0.1:${port}` };
}
