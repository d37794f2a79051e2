// The processes of packs that belong to a service, read from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = 'pack-process.js';

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

function listChildren(pid: number): number[] {
  let tasks: string[] = [];
  try {
    tasks = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return tasks.flatMap((task) =>
    read(pid, `task/${task}/children`)
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
}

/** The processes below `pid`, each with the time when it started. */
function listDescendants(pid: number): number[] {
  return listChildren(pid).flatMap((child) => [child, ...listDescendants(child)]);
}

/** The processes that run a pack, without the programs that isolate them. */
export function listPackProcesses(service: number): number[] {
  return listDescendants(service).filter((pid) => {
    const [program = '', ...args] = read(pid, 'cmdline').split('\0');
    return program.endsWith('node') && args.some((argument) => argument.endsWith(PROGRAM));
  });
}

/** Proportional set size in MiB: pages that several processes share count in parts. */
export function readProportionalSize(pid: number): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(read(pid, 'smaps_rollup'));
  if (line === null) throw new Error(`the memory of the process ${pid} cannot be read`);
  return Number(line[1]) / 1024;
}

/** ms until `isReached` for the number of processes. */
export async function waitForProcesses(
  service: number,
  isReached: (count: number) => boolean,
  limitMs: number,
): Promise<number> {
  const began = performance.now();
  while (!isReached(listPackProcesses(service).length)) {
    if (performance.now() - began > limitMs)
      throw new Error(`${listPackProcesses(service).length} processes of packs run after ${limitMs} ms`);
    await sleep(2);
  }
  return performance.now() - began;
}
