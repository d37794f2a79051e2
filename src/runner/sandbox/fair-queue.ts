import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { findTool } from './isolation-launcher.ts';

/** Others come first: the service, and whatever else the machine does. */
const NICENESS = 10;
const LAST = 19;

/** Behind the others when there is too little time or memory; where the system does not let us, so be it. */
export function retire(pid: number): void {
  setNiceness(pid, NICENESS);
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
}

/**
 * What runs for long gets the time that nobody else wants: an endless loop must not cost the service its answers. On Linux by
 * the scheduler's class for that, where `chrt` is there; elsewhere by the last niceness.
 */
export function putLast(pid: number): void {
  if (process.platform !== 'linux') return setNiceness(pid, LAST);
  const chrt = findTool('chrt');
  if (chrt !== undefined) {
    spawn(chrt, ['--all-tasks', '--idle', '--pid', '0', String(pid)], { env: {}, stdio: 'ignore' }).on(
      'error',
      () => {},
    );
    return;
  }
  // A niceness is of one thread; their ids are those of processes to this call.
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setNiceness(Number(thread), LAST);
  } catch {
    // It has ended.
  }
}

function setNiceness(id: number, niceness: number): void {
  try {
    setPriority(id, niceness);
  } catch {
    // It may have ended already.
  }
}
