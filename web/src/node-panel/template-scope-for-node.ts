import type { NodeRun } from 'weft-client';
import type { Catalog } from '../canvas/model/catalog.ts';
import type { Doc } from '../canvas/model/document.ts';
import { resolveNodeType } from '../connectors/operation-types.ts';
import { getGraphIndex } from '../canvas/model/graph-index.ts';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import type { PinnedOutput, PinnedOutputs } from '../runs/pins/pinned-outputs.ts';
import { isRecord } from './model/field-path.ts';
import { createSampleOutput } from './model/sample-output.ts';
import type { TemplateScope } from './model/template-scope.ts';

/** The data that an editor shows for a node. */
export type DisplayedData = {
  readonly run: DisplayedRun | null;
  /** Pinned outputs by node id. */
  readonly pinned: PinnedOutputs;
  /** The path of the chosen run of the node; null for the newest. */
  readonly path: string | null;
};

/** Where the input of a node comes from: its own run, or the output of the node before it. */
export type InputSource =
  | { readonly kind: 'run' }
  | { readonly kind: 'pin'; readonly nodeId: string }
  | { readonly kind: 'output'; readonly nodeId: string }
  | { readonly kind: 'example'; readonly nodeId: string };

/** The chosen run of a node; otherwise its last failed run, otherwise its newest. */
export function findSelectedRun(id: string, { run, path }: DisplayedData): NodeRun | undefined {
  const runs = run?.of(id) ?? [];
  return (
    runs.find((one) => one.path === path) ??
    runs.findLast(({ status }) => status === 'failed') ??
    run?.findNewest(id)
  );
}

/** Everything that leads to a node, nearest first. */
export function listEarlierNodes(doc: Doc, catalog: Catalog, id: string): Set<string> {
  const index = getGraphIndex(doc, catalog);
  return listPredecessors(id, (node) => {
    const bodyPosition = index.bodyPositions.get(node);
    const sources = (index.in.get(node) ?? []).map((edge) => edge.from);
    if (bodyPosition === undefined) return sources;
    const around = index.bodyNodes.get(bodyPosition.container)?.get(bodyPosition.body) ?? [];
    return [
      ...sources,
      bodyPosition.container,
      ...(bodyPosition.index > 0 ? [around[bodyPosition.index - 1]!] : []),
    ];
  });
}

/**
 * The values that templates of a node read: pinned outputs, otherwise the data of the chosen run, in a body
 * of the same iteration. A node that is newer than the run gets the output of its predecessor. Missing values
 * are the examples of the node types.
 */
export function buildNodeScope(
  doc: Doc,
  catalog: Catalog,
  id: string,
  data: DisplayedData,
): { scope: TemplateScope; source: InputSource | null } {
  const { run, pinned } = data;
  const index = getGraphIndex(doc, catalog);
  const own = findSelectedRun(id, data);
  const iteration = own?.path.slice(0, own.path.lastIndexOf('/') + 1) ?? '';
  const output = (node: string): unknown => {
    if (pinned.has(node)) return pinned.get(node)!.output;
    const ofIteration =
      iteration === '' ? undefined : run?.of(node).findLast(({ path }) => path === `${iteration}${node}`);
    const found = ofIteration ?? run?.findNewest(node);
    return found?.status === 'completed' || found?.status === 'failed' ? found.output : undefined;
  };
  const edges = index.in.get(id) ?? [];
  const [edge] = edges.length === 1 ? edges : [];
  const before = edge?.from;
  const pin = before === undefined ? undefined : pinned.get(before);
  let input: unknown;
  let source: InputSource | null = null;
  if (edge !== undefined && before !== undefined && pin !== undefined) {
    input = readPort(pin, edge.port);
    source = { kind: 'pin', nodeId: before };
  } else if (own !== undefined && own.start_time !== null) {
    input = own.input;
    source = { kind: 'run' };
  } else if (before !== undefined) {
    input = output(before);
    if (input !== undefined) source = { kind: 'output', nodeId: before };
  }
  const examples = new Set<string>();
  const getSample = samples(doc, catalog, output, data);
  if (input === undefined && before !== undefined) {
    const found = getSample(before);
    if (found !== null) {
      input = found.value;
      source = found.source;
      if (found.source.kind === 'example') examples.add('input');
    }
  }
  const nodes = new Map<string, unknown>();
  for (const node of listEarlierNodes(doc, catalog, id)) {
    const knownOutput = output(node);
    const found = knownOutput === undefined ? getSample(node) : null;
    nodes.set(node, knownOutput ?? found?.value);
    if (found?.source.kind === 'example') examples.add(node);
  }
  const bodyPosition = index.bodyPositions.get(id);
  const isLooped =
    bodyPosition !== undefined &&
    ['agent', 'for_each', 'while'].includes(doc.nodes.get(bodyPosition.container)?.type ?? '');
  return {
    source,
    scope: {
      input,
      trigger: run === null ? triggerSample(doc, catalog, getSample, examples) : triggerScope(run),
      nodes,
      secrets: [],
      loop: isLooped ? describeLoop(doc, catalog, bodyPosition, run, own?.path) : null,
      examples,
    },
  };
}

/**
 * The item and index of an iteration: that of the node's own run, otherwise the newest. The first node of a
 * for_each body receives `{item, index}`, of a while body the value of the round, of an agent's tool the
 * arguments, which are the item.
 */
function describeLoop(
  doc: Doc,
  catalog: Catalog,
  bodyPosition: { container: string; body: string },
  run: DisplayedRun | null,
  ownPath: string | undefined,
): NonNullable<TemplateScope['loop']> {
  const first = getGraphIndex(doc, catalog)
    .bodyNodes.get(bodyPosition.container)
    ?.get(bodyPosition.body)?.[0];
  const container = doc.nodes.get(bodyPosition.container)?.type;
  const isTool = container === 'agent' && bodyPosition.body !== 'model';
  const hasItem = container === 'for_each' || isTool;
  const readItem = (value: Record<string, unknown>): unknown =>
    !isTool ? value['item'] : bodyPosition.body === 'approval' ? value['arguments'] : value;
  if (first === undefined) return { item: undefined, index: 0, hasItem };
  const iteration = ownPath?.slice(0, ownPath.lastIndexOf('/') + 1);
  const ofSameIteration = run?.of(first).findLast(({ path }) => path === `${iteration}${first}`);
  const entry = ofSameIteration ?? run?.findNewest(first);
  const position = /\[(\d+)\]\/[^/]*$/.exec(entry?.path ?? '');
  const input = entry?.input;
  return {
    item: !hasItem || !isRecord(input) ? undefined : readItem(input),
    index: position === null ? 0 : Number(position[1]),
    hasItem,
  };
}

/** The value of a port; that of another port if the pin has only one. */
function readPort({ output, ports }: PinnedOutput, port: string): unknown {
  return ports !== null && ports.length > 1 && isRecord(output) && Object.hasOwn(output, port)
    ? output[port]
    : output;
}

type Sample = { readonly value: unknown; readonly source: InputSource };

/** Examples of the outputs of nodes that have none, each computed once; null where nothing is known. */
function samples(
  doc: Doc,
  catalog: Catalog,
  output: (node: string) => unknown,
  { pinned }: DisplayedData,
): (id: string) => Sample | null {
  const index = getGraphIndex(doc, catalog);
  const found = new Map<string, Sample | null>();
  const getSample = (id: string): Sample | null => {
    const earlier = found.get(id);
    if (earlier !== undefined) return earlier;
    // A cycle has no example.
    found.set(id, null);
    const knownOutput = output(id);
    const result =
      knownOutput === undefined
        ? compute(id)
        : { value: knownOutput, source: { kind: pinned.has(id) ? 'pin' : 'output', nodeId: id } as const };
    found.set(id, result);
    return result;
  };
  const compute = (id: string): Sample | null => {
    const node = doc.nodes.get(id);
    if (node === undefined) return null;
    const type = resolveNodeType(catalog, node);
    const [only, ...more] = index.in.get(id) ?? [];
    const input = only === undefined || more.length > 0 ? null : getSample(only.from);
    const sources = { config: node.config ?? {}, input: input?.value };
    const value = node.disabled === true ? sources.input : createSampleOutput(type, sources);
    if (value === undefined) return null;
    // A node that passes its input on shows where the input comes from.
    const isInput = input !== null && value === input.value;
    return { value, source: isInput ? input.source : { kind: 'example', nodeId: id } };
  };
  return getSample;
}

/** The trigger's data before the first run, if there is one trigger. */
function triggerSample(
  doc: Doc,
  catalog: Catalog,
  getSample: (id: string) => Sample | null,
  examples: Set<string>,
): unknown {
  const triggers = [...doc.nodes.values()].filter(({ type }) => catalog.get(type)?.category === 'trigger');
  const [only] = triggers;
  if (only === undefined || triggers.length > 1) return undefined;
  const found = getSample(only.id);
  if (found === null) return undefined;
  if (found.source.kind === 'example') examples.add('trigger');
  return { ...(isRecord(found.value) ? found.value : {}), input: found.value };
}

function triggerScope({ execution }: DisplayedRun): unknown {
  const { input, trigger } = execution;
  return { ...(isRecord(input) ? input : {}), input, type: isRecord(trigger) ? trigger['type'] : null };
}

function listPredecessors(id: string, sources: (id: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...sources(id)];
  for (const next of open) {
    if (next === id || found.has(next)) continue;
    found.add(next);
    open.push(...sources(next));
  }
  return found;
}
