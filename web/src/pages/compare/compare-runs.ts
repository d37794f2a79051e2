import type { NodeRun } from 'weft-client';
import type { Json } from '../../canvas/model/document.ts';
import { listValueChanges, type FieldChange } from '../../canvas/model/value-changes.ts';
import type { NodeRuns } from '../../runs/node-runs.ts';

type LoadedRuns = Pick<NodeRuns, 'nodes' | 'total'>;

/** A node run of two executions, by its path; undefined: that execution has none, or skipped it. */
export type ComparedRun = {
  readonly path: string;
  readonly nodeId: string;
  readonly before: NodeRun | undefined;
  readonly after: NodeRun | undefined;
  readonly input: readonly FieldChange[];
  readonly output: readonly FieldChange[];
  readonly error: readonly FieldChange[];
};

const isWhole = ({ nodes, total }: LoadedRuns): boolean => nodes.length >= total;

/**
 * Pairs the node runs of two executions, in their order. Durations and times are no differences. A run
 * without a counterpart is left out if not all runs of the other execution are loaded.
 */
export function compareRuns(before: LoadedRuns, after: LoadedRuns): ComparedRun[] {
  const lefts = byPath(before.nodes);
  const rights = byPath(after.nodes);
  return mergeOrder([...lefts.keys()], [...rights.keys()]).flatMap((path) => {
    const left = lefts.get(path);
    const right = rights.get(path);
    if ((left === undefined && !isWhole(before)) || (right === undefined && !isWhole(after))) return [];
    const isPair = left !== undefined && right !== undefined;
    return [
      {
        path,
        nodeId: (right ?? left)!.node_id,
        before: left,
        after: right,
        input: isPair ? listChanges(left.input, right.input) : [],
        output: isPair ? listChanges(withPorts(left), withPorts(right)) : [],
        error: isPair ? listChanges(errorOf(left), errorOf(right)) : [],
      },
    ];
  });
}

export function isDifferent({ before, after, input, output, error }: ComparedRun): boolean {
  return before?.status !== after?.status || input.length + output.length + error.length > 0;
}

/** Which values of a pair differ. */
export function listChangedParts({ input, output, error }: ComparedRun): ('input' | 'output' | 'error')[] {
  return [
    ...(input.length > 0 ? (['input'] as const) : []),
    ...(output.length > 0 ? (['output'] as const) : []),
    ...(error.length > 0 ? (['error'] as const) : []),
  ];
}

export function listChanges(before: unknown, after: unknown): FieldChange[] {
  return listValueChanges(before as Json, after as Json, true);
}

/** Another port means another branch, also with the same value. */
function withPorts({ output, output_ports: ports }: NodeRun): unknown {
  return ports.length === 1 && ports[0] !== 'out' ? { [ports[0]!]: output } : output;
}

function errorOf({ error }: NodeRun): unknown {
  return error === null
    ? undefined
    : {
        type: error.type,
        message: error.message,
        ...(error.status !== undefined && { status: error.status }),
      };
}

function byPath(runs: readonly NodeRun[]): Map<string, NodeRun> {
  return new Map(runs.filter(({ status }) => status !== 'skipped').map((run) => [run.path, run]));
}

/** All of both: those of the second alone follow the one that they follow there. */
function mergeOrder(before: readonly string[], after: readonly string[]): string[] {
  const earlier = new Set(before);
  const following = new Map<string, string[]>();
  let last = '';
  for (const path of after) {
    if (earlier.has(path)) last = path;
    else {
      const group = following.get(last);
      if (group === undefined) following.set(last, [path]);
      else group.push(path);
    }
  }
  return ['', ...before].flatMap((path) => [...(path === '' ? [] : [path]), ...(following.get(path) ?? [])]);
}
