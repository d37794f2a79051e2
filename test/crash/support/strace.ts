import { spawnSync } from 'node:child_process';

export const hasStrace = spawnSync('strace', ['--version']).status === 0;

/** For tests that need strace: they are skipped where it is missing, and fail on CI. */
export function findStraceOrSkip(skip: (note: string) => void): void {
  if (hasStrace) return;
  const note = 'strace is missing (on Debian: apt-get install strace)';
  if (process.env['CI'] === 'true') throw new Error(note);
  console.log(`skipped: ${note}`);
  skip(note);
}

/** Kills the process with SIGKILL when one of its threads enters its nth call of one of these. */
export function killAt(syscalls: string, n: number, log: string): string[] {
  return traced(syscalls, `signal=KILL:when=${n}`, log);
}

/**
 * Makes the nth call of one of these in a thread, and with `+` all later ones, fail with this error without
 * effect.
 */
export function failAt(syscalls: string, error: string, when: string, log: string): string[] {
  return traced(syscalls, `error=${error}:when=${when}`, log);
}

/** Delays each of these calls by this many µs, from the nth on in a thread. */
export function traceWithDelay(syscalls: string, us: number, n: number, log: string): string[] {
  return traced(syscalls, `delay_exit=${us}:when=${n}+`, log);
}

export function countCalls(syscalls: string, log: string): string[] {
  return ['strace', '-f', '-o', log, '-e', `trace=${syscalls}`];
}

function traced(syscalls: string, problem: string, log: string): string[] {
  return [...countCalls(syscalls, log), '-e', `inject=${syscalls}:${problem}`];
}

/** From a log without failures: the most calls that one thread made of each system call. */
export function countMaxCalls(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    const found = /^(\d+) +(\w+)\(/.exec(line);
    if (found === null) continue;
    const key = `${found[1]} ${found[2]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = new Map<string, number>();
  for (const [key, n] of counts) {
    const name = key.split(' ')[1]!;
    most.set(name, Math.max(most.get(name) ?? 0, n));
  }
  return most;
}
