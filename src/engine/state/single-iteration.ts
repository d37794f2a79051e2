import type { Json } from '../../lib/json/json.ts';
import type { BodyControl, BodyResult, BodyStep } from '../../contract/node-type.ts';
import { getFirstOutput, listAncestors, listContainers, type GraphNode } from '../graph/graph.ts';
import type { Iteration } from '../journal/journal.ts';
import type { ExecutionData } from './execution-data.ts';
import type { NodeRun } from './frame.ts';

/** The one iteration of a body that runs, and the nodes in it that the target does not need. */
export type SingleIteration = {
  readonly control: BodyControl;
  readonly skips: (node: GraphNode) => boolean;
};

/**
 * The iteration that a container of the execution's `until` runs instead of those that its control starts.
 * Null for every other node.
 */
export function findSingleIteration(
  { beginEvent, graph }: ExecutionData,
  run: NodeRun,
): SingleIteration | null {
  if (beginEvent?.iterations === undefined || beginEvent.until === undefined) return null;
  const target = graph.nodes.get(beginEvent.until);
  const containers = target === undefined ? [] : listContainers(target);
  const level = containers.findIndex(({ owner }) => owner === run.node);
  const iteration = beginEvent.iterations[level];
  if (iteration === undefined) return null;
  const { node } = containers[level]!;
  const wanted = listAncestors(node);
  return {
    control: new SingleIterationControl(iteration, node.region.name, getFirstOutput(run.node)),
    skips: (each) => !wanted.has(each),
  };
}

/** Runs a body once with given values. The output of the iteration is that of its owner. */
class SingleIterationControl implements BodyControl {
  readonly #iteration: Iteration;
  readonly #region: string;
  readonly #port: string;

  constructor(iteration: Iteration, region: string, port: string) {
    this.#iteration = iteration;
    this.#region = region;
    this.#port = port;
  }

  begin(): BodyStep {
    const { input, item, index } = this.#iteration;
    return {
      start: [
        { key: String(index), region: this.#region, input, index, ...(item !== undefined && { item }) },
      ],
    };
  }

  settled(_key: string, result: BodyResult): BodyStep {
    if (result.status === 'failed') return { outcome: { kind: 'failed', error: result.error } };
    return { outcome: { kind: 'done', outputs: { [this.#port]: result.output } } };
  }

  countRetainedBytes(measure: (value: Json) => number): number {
    return measure(this.#iteration.input) + measure(this.#iteration.item ?? null);
  }

  save(): null {
    return null;
  }

  restore(): void {}
}
