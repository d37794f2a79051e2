// Time from start to the first healthy response, and memory when idle.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, readMemory, startChild, waitForResponse } from './children.ts';
import type { Options } from './options.ts';
import type { FigureRow } from './report.ts';
import { createEnvironment, createDataDir, projectRoot } from './service.ts';
import { LIMITS } from './targets.ts';

const IDLE_MS = 3000;

/** The command of `npm start`, run from another folder than the project's. */
function commandLine(): string[] {
  const file = path.join(projectRoot, 'package.json');
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: { start: string } };
  const [, ...args] = scripts.start.split(' ');
  return args.map((word) => (word.endsWith('.cjs') ? path.join(projectRoot, word) : word));
}

export async function measureStart(options: Options): Promise<FigureRow[]> {
  const dataDir = createDataDir();
  const starts: number[] = [];
  let first = 0;
  let idle = 0;
  try {
    for (let round = 0; round <= options.rounds; round += 1) {
      const port = await freePort();
      const began = performance.now();
      const child = startChild(process.execPath, commandLine(), createEnvironment(port, dataDir));
      await waitForResponse(child, `http://127.0.0.1:${port}/v1/health`, 20_000, 200);
      const took = performance.now() - began;
      if (round === 0) first = took;
      else starts.push(took);
      if (round === options.rounds) {
        await sleep(IDLE_MS);
        idle = readMemory(child.pid).now;
      }
      await child.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  starts.sort((a, b) => a - b);
  return [
    { what: 'start to first healthy answer, new data folder', value: first, unit: 'ms' },
    {
      what: 'start to first healthy answer, built',
      value: starts[Math.floor(starts.length / 2)] ?? first,
      unit: 'ms',
      limit: LIMITS.start,
    },
    { what: 'memory idle', value: idle, unit: 'MiB', limit: LIMITS.memoryIdle },
  ];
}
