import type { NodeRun } from 'weft-client';
import type { Catalog } from '../canvas/model/catalog.ts';
import type { Doc } from '../canvas/model/document.ts';
import { getGraphIndex, type BodyPosition, type GraphIndex } from '../canvas/model/graph-index.ts';
import { listOutputNames } from '../canvas/model/ports.ts';
import { isRecord } from '../node-panel/model/field-path.ts';
import { findSelectedRun, listEarlierNodes } from '../node-panel/template-scope-for-node.ts';
import type { DisplayedRun } from './displayed-run.ts';
import { readOutput, toPinFields, type PinnedOutput, type PinnedOutputs } from './pins/pinned-outputs.ts';

type Iteration = { readonly input: unknown; readonly item?: unknown; readonly index: number };

export type NodeRunRequest = {
  readonly until: string;
  readonly input: Record<string, unknown>;
  readonly pins?: Record<string, unknown>;
  readonly pin_ports?: Record<string, string[]>;
  readonly iterations?: Iteration[];
};

/** One iteration of a container: the path of its node runs is `prefix` and the node's id. */
type RunIteration = Iteration & { readonly position: BodyPosition; readonly prefix: string };

/**
 * The request that runs one node. Earlier nodes supply their pinned output or that of the displayed run
 * instead of running. A node in a body runs once, for the iteration of its chosen run at `path`, otherwise of
 * its newest; before the first iteration, its container runs as a whole. A trigger gets the run's input.
 */
export function createNodeRunRequest(
  doc: Doc,
  catalog: Catalog,
  nodeId: string,
  run: DisplayedRun | null,
  pinned: PinnedOutputs,
  path: string | null = null,
): NodeRunRequest {
  const index = getGraphIndex(doc, catalog);
  const containers = listContainers(index, nodeId);
  const iterations = run === null ? null : findIterations(index, containers, nodeId, run, path, doc);
  const used = new Map<string, PinnedOutput>();
  for (const id of listEarlierNodes(doc, catalog, nodeId)) {
    const entry = doc.nodes.get(id);
    const type = catalog.get(entry?.type ?? '');
    if (entry === undefined || type === undefined || type.category === 'trigger') continue;
    const output = readOutput(getRunOfIteration(index, iterations, run, id), listOutputNames(entry, catalog));
    if (output !== null) used.set(id, output);
  }
  for (const [id, output] of pinned) used.set(id, output);
  for (const id of [nodeId, ...containers.map(({ container }) => container)]) used.delete(id);
  const input = run?.execution.input;
  return {
    until: nodeId,
    input: isRecord(input) ? input : {},
    ...toPinFields(used),
    ...(iterations !== null &&
      iterations.length > 0 && {
        iterations: iterations.map(({ input: value, item, index: position }) => ({
          input: value,
          ...(item !== undefined && { item }),
          index: position,
        })),
      }),
  };
}

/** The positions of a node and of the containers around it, the outermost first. */
function listContainers(index: GraphIndex, nodeId: string): BodyPosition[] {
  const positions: BodyPosition[] = [];
  for (
    let position = index.bodyPositions.get(nodeId);
    position !== undefined;
    position = index.bodyPositions.get(position.container)
  )
    positions.unshift(position);
  return positions;
}

/** Null: the displayed run has no iteration of one of the containers. */
function findIterations(
  index: GraphIndex,
  containers: readonly BodyPosition[],
  nodeId: string,
  run: DisplayedRun,
  path: string | null,
  doc: Doc,
): RunIteration[] | null {
  const iterations: RunIteration[] = [];
  let of = findSelectedRun(nodeId, { run, pinned: new Map(), path })?.path;
  for (const position of containers.toReversed()) {
    const entry = getBodyEntry(index, position);
    of ??= run.findNewest(entry)?.path;
    const prefix = of?.slice(0, of.lastIndexOf('/') + 1);
    const first = run.of(entry).findLast((one) => one.path === `${prefix}${entry}`);
    if (prefix === undefined || first === undefined || first.start_time === null) return null;
    iterations.unshift({
      position,
      prefix,
      ...describeIteration(doc, position, first),
    });
    of = prefix.slice(0, prefix.lastIndexOf('['));
  }
  return iterations;
}

/** The node of a body that receives the body's input. */
function getBodyEntry(index: GraphIndex, { container, body }: BodyPosition): string {
  const nodes = index.bodyNodes.get(container)?.get(body) ?? [];
  return nodes.find((id) => (index.in.get(id) ?? []).length === 0) ?? nodes[0] ?? '';
}

/**
 * The first node of a for_each body receives `{item, index}`, of an agent's tool the arguments, which are the
 * item, and of its approval an object with the arguments.
 */
function describeIteration(doc: Doc, { container, body }: BodyPosition, { input, path }: NodeRun): Iteration {
  const position = /\[(\d+)\]\/[^/]*$/.exec(path);
  const index = position === null ? 0 : Number(position[1]);
  const type = doc.nodes.get(container)?.type;
  if (type === 'for_each' && isRecord(input)) return { input, item: input['item'], index };
  if (type !== 'agent' || body === 'model') return { input, index };
  return { input, item: body === 'approval' && isRecord(input) ? input['arguments'] : input, index };
}

/** The run of a node in the same iteration, or in the whole graph. */
function getRunOfIteration(
  index: GraphIndex,
  iterations: readonly RunIteration[] | null,
  run: DisplayedRun | null,
  id: string,
): NodeRun | undefined {
  const position = index.bodyPositions.get(id);
  if (position === undefined) return run?.findNewest(id);
  const iteration = iterations?.find(
    (one) => one.position.container === position.container && one.position.body === position.body,
  );
  return iteration && run?.of(id).findLast(({ path }) => path === `${iteration.prefix}${id}`);
}
