import { launches, type Launch } from './isolation-launcher.ts';
import { SandboxChild } from './sandbox-child.ts';

export type StarterOptions = {
  /** Told when user code runs with less around it than it could, or not at all. */
  warn(message: string): void;
  /** The ways to start a process, strongest first. Default: those of this system. */
  launches?: () => Launch[];
};

/** Starts a process; null when none comes up. `onDeath` is called once when one that was up is gone. */
export type Starter = (onDeath: (child: SandboxChild) => void) => Promise<SandboxChild | null>;

/** The first way that works is kept, so that a system is probed once. Aborting `closing` kills whatever was started. */
export function createStarter(options: StarterOptions, maxOutput: number, closing: AbortSignal): Starter {
  let found: Launch | null = null;
  let probing: Promise<unknown> = Promise.resolve();

  function ways(): Launch[] {
    try {
      return (options.launches ?? launches)();
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
    for (const launch of ways()) {
      if (closing.aborted) return null;
      const child = await startBy(launch, onDeath);
      if (child === null) continue;
      found = launch;
      if (launch.lacks !== '') options.warn(`user code runs in processes without ${launch.lacks}`);
      return child;
    }
    if (!closing.aborted) options.warn('no process for user code could be started');
    return null;
  }

  return async (onDeath) => {
    if (found !== null) {
      const child = await startBy(found, onDeath);
      // What worked may not any more: the next one looks again.
      if (child === null) found = null;
      return child;
    }
    const mine = probing.then(() => probe(onDeath));
    probing = mine;
    return mine;
  };
}
