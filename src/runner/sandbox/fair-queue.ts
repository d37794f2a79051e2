import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { findTool } from './isolation-launcher.ts';

/** Sandbox processes run with lower priority than the service and other processes. */
const NICENESS = 10;
const MIN_PRIORITY = 19;

/**
 * Makes the process the preferred victim when CPU time or memory is short. Does nothing if the system does
 * not allow it.
 */
export function lowerPriority(pid: number): void {
  setNiceness(pid, NICENESS);
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
}

/**
 * Lowers the priority of the session that the process leads. Linux with `sched_autogroup_enabled` compares
 * niceness within a session only, and sessions by the value in this file (man 7 sched).
 */
export function lowerSessionPriority(pid: number): void {
  writeFile(`/proc/${pid}/autogroup`, String(NICENESS)).catch(() => {});
}

/**
 * Runs a long-running process only when the CPU is otherwise idle, so that an endless loop does not slow down
 * the service. Uses the idle scheduling class of Linux if `chrt` is available, otherwise the lowest priority.
 */
export function runOnlyWhenIdle(pid: number): void {
  if (process.platform !== 'linux') return setNiceness(pid, MIN_PRIORITY);
  const chrt = findTool('chrt');
  if (chrt !== undefined) {
    spawn(chrt, ['--all-tasks', '--idle', '--pid', '0', String(pid)], { env: {}, stdio: 'ignore' }).on(
      'error',
      () => {},
    );
    return;
  }
  // Niceness is per thread. This call accepts thread ids as process ids.
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setNiceness(Number(thread), MIN_PRIORITY);
  } catch {
    // The process has ended.
  }
}

function setNiceness(id: number, niceness: number): void {
  try {
    setPriority(id, niceness);
  } catch {
    // The process or thread may have ended.
  }
}
