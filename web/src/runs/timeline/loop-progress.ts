import type { ExecutionDetail, NodeRun } from 'weft-client';

type Loop = { readonly started: Set<string>; readonly active: Map<string, Set<string>> };

/** How many iterations of each loop have ended, from the starts and ends of the node runs in its body. */
export class LoopProgress {
  readonly #loops = new Map<string, Loop>();

  /** The loop that a run with this path belongs to, with its ended iterations; null outside of a loop. */
  read(path: string, isRunning: boolean): { id: string; done: number } | null {
    const location = parseIterationPath(path);
    if (location === null) return null;
    let loop = this.#loops.get(location.loop);
    if (loop === undefined)
      this.#loops.set(location.loop, (loop = { started: new Set(), active: new Map() }));
    loop.started.add(location.iteration);
    const active = loop.active.get(location.iteration);
    if (isRunning && active === undefined) loop.active.set(location.iteration, new Set([path]));
    else if (isRunning) active!.add(path);
    else if (active?.delete(path) === true && active.size === 0) loop.active.delete(location.iteration);
    return { id: getNodeId(location.loop), done: loop.started.size - loop.active.size };
  }
}

/**
 * The loop and iteration of a path: `outer[2]/each[17]/x` gives `outer[2]/each` and 17, not a branch name.
 */
function parseIterationPath(path: string): { loop: string; iteration: string } | null {
  const [, loop, iteration] = /^(.*)\[(\d+)\]\/[^/]*$/s.exec(path) ?? [];
  return loop === undefined || iteration === undefined ? null : { loop, iteration };
}

function getNodeId(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The number of items of a loop, from results, list or a plain template; undefined if unknown. */
export function countLoopItems(
  items: unknown,
  run: Pick<NodeRun, 'input' | 'output'>,
  nodes: ExecutionDetail['nodes'],
): number | undefined {
  const results = valueAt(run.output, ['results']);
  if (Array.isArray(results)) return results.length;
  if (Array.isArray(items)) return items.length;
  if (typeof items !== 'string') return undefined;
  const path = /^\s*\{\{\s*(\w+(?:\.\w+)*)\s*\}\}\s*$/.exec(items)?.[1]?.split('.') ?? [];
  const list =
    path[0] === 'input'
      ? valueAt(run.input, path.slice(1))
      : path[0] === 'nodes'
        ? valueAt(nodes.findLast(({ node_id: id }) => id === path[1])?.output, path.slice(2))
        : undefined;
  return Array.isArray(list) ? list.length : undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}
