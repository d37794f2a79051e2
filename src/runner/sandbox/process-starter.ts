import { listLaunches, type Launch } from './isolation-launcher.ts';
import { SandboxChild } from './sandbox-child.ts';

export type StarterOptions = {
  /** Called when user code runs with weaker isolation than possible, or cannot run. */
  warn(message: string): void;
  /** Ways to start a process, strongest isolation first. Default: those of this system. */
  launches?: () => Launch[];
};

/** Starts a process; null if none starts. `onDeath` is called once when a started process has ended. */
export type Starter = (onDeath: (child: SandboxChild) => void) => Promise<SandboxChild | null>;

/**
 * Keeps the first way that works, so that a system is probed once. Aborting `closing` kills all started
 * processes.
 */
export function createStarter(options: StarterOptions, maxOutput: number, closing: AbortSignal): Starter {
  let found: Launch | null = null;
  let probing: Promise<unknown> = Promise.resolve();

  function listPossibleLaunches(): Launch[] {
    try {
      return (options.launches ?? listLaunches)();
    } catch (error) {
      options.warn(`user code cannot run here: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  async function startBy(
    launch: Launch,
    onDeath: (child: SandboxChild) => void,
  ): Promise<SandboxChild | null> {
    let child: SandboxChild | null = null;
    child = await SandboxChild.start(launch, maxOutput, closing, () => {
      if (child !== null) onDeath(child);
    });
    return child;
  }

  async function probe(onDeath: (child: SandboxChild) => void): Promise<SandboxChild | null> {
    if (found !== null) return startBy(found, onDeath);
    for (const launch of listPossibleLaunches()) {
      if (closing.aborted) return null;
      const child = await startBy(launch, onDeath);
      if (child === null) continue;
      found = launch;
      if (launch.lacks !== '') options.warn(`user code runs in processes without ${launch.lacks}`);
      return child;
    }
    if (!closing.aborted) options.warn('failed to start a process for user code');
    return null;
  }

  return async (onDeath) => {
    if (found !== null) {
      const child = await startBy(found, onDeath);
      // The way that worked may not work any more, so the next start probes again.
      if (child === null) found = null;
      return child;
    }
    const mine = probing.then(() => probe(onDeath));
    probing = mine.catch(() => null);
    return mine;
  };
}
