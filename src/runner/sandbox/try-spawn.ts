import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Launch } from './isolation-launcher.ts';

/**
 * Starts a process; null if it cannot be started, for example because the system has no descriptor or process
 * left. `spawn` then throws, or returns a child without streams that emits an error.
 */
export function trySpawn({ command, args }: Launch, options: SpawnOptions): ChildProcess | null {
  let child: ChildProcess;
  try {
    child = spawn(command, args, { env: {}, cwd: '/', windowsHide: true, ...options });
  } catch {
    return null;
  }
  if (child.pid !== undefined) return child;
  child.on('error', () => {});
  return null;
}
