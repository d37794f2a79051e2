import type { NodeRun } from 'weft-client';
import type { Catalogue } from '../canvas/model/catalogue.ts';
import type { Doc } from '../canvas/model/document.ts';
import { indexOf } from '../canvas/model/graph-index.ts';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import { isRecord } from './model/json-pointer.ts';
import type { TemplateScope } from './model/template-scope.ts';

/** The data that an editor shows for a node. */
export type ShownData = {
  readonly run: DisplayedRun | null;
  /** Pinned outputs by node id. */
  readonly pinned: ReadonlyMap<string, unknown>;
  /** The path of the chosen run of the node; null for the newest. */
  readonly path: string | null;
};

/** Where the input of a node comes from: its own run, or the output of the node before it. */
export type InputSource =
  | { readonly kind: 'run' }
  | { readonly kind: 'pin'; readonly nodeId: string }
  | { readonly kind: 'output'; readonly nodeId: string };

/** The chosen run of a node; otherwise its last failed run, otherwise its newest. */
export function chosenRun(id: string, { run, path }: ShownData): NodeRun | undefined {
  const runs = run?.of(id) ?? [];
  return (
    runs.find((one) => one.path === path) ??
    runs.findLast(({ status }) => status === 'failed') ??
    run?.newest(id)
  );
}

/** Everything that leads to a node, nearest first. */
export function earlierNodes(doc: Doc, catalogue: Catalogue, id: string): Set<string> {
  const index = indexOf(doc, catalogue);
  return before(id, (node) => {
    const place = index.places.get(node);
    const sources = (index.in.get(node) ?? []).map((edge) => edge.from);
    if (place === undefined) return sources;
    const around = index.members.get(place.container)?.get(place.body) ?? [];
    return [...sources, place.container, ...(place.at > 0 ? [around[place.at - 1]!] : [])];
  });
}

/**
 * What templates of a node see: what arrived in its chosen run, pinned outputs first. A node that is newer than the run gets the
 * output of the node before it. In a body, the data is of the same iteration.
 */
export function scopeOfNode(
  doc: Doc,
  catalogue: Catalogue,
  id: string,
  data: ShownData,
): { scope: TemplateScope; source: InputSource | null } {
  const { run, pinned } = data;
  const index = indexOf(doc, catalogue);
  const own = chosenRun(id, data);
  const iteration = own?.path.slice(0, own.path.lastIndexOf('/') + 1) ?? '';
  const output = (node: string): unknown => {
    if (pinned.has(node)) return pinned.get(node);
    const ofIteration =
      iteration === '' ? undefined : run?.of(node).findLast(({ path }) => path === `${iteration}${node}`);
    const found = ofIteration ?? run?.newest(node);
    return found?.status === 'completed' || found?.status === 'failed' ? found.output : undefined;
  };
  const sources = (index.in.get(id) ?? []).map((edge) => edge.from);
  const [before] = sources.length === 1 ? sources : [];
  let input: unknown;
  let source: InputSource | null = null;
  if (before !== undefined && pinned.has(before)) {
    input = pinned.get(before);
    source = { kind: 'pin', nodeId: before };
  } else if (own !== undefined && own.start_time !== null) {
    input = own.input;
    source = { kind: 'run' };
  } else if (before !== undefined) {
    input = output(before);
    if (input !== undefined) source = { kind: 'output', nodeId: before };
  }
  const place = index.places.get(id);
  const isLooped =
    place !== undefined && ['for_each', 'while'].includes(doc.nodes.get(place.container)?.type ?? '');
  return {
    source,
    scope: {
      input,
      trigger: run === null ? undefined : triggerScope(run),
      nodes: new Map([...earlierNodes(doc, catalogue, id)].map((node) => [node, output(node)])),
      secrets: [],
      loop: isLooped ? loopOf(doc, catalogue, place, run, own?.path) : null,
    },
  };
}

/**
 * The item and the index of one iteration: of the iteration that the node's own run belongs to, or of the newest one. The first
 * node of a for_each body receives `{item, index}`; that of a while body receives the value of its round.
 */
function loopOf(
  doc: Doc,
  catalogue: Catalogue,
  place: { container: string; body: string },
  run: DisplayedRun | null,
  ownPath: string | undefined,
): NonNullable<TemplateScope['loop']> {
  const first = indexOf(doc, catalogue).members.get(place.container)?.get(place.body)?.[0];
  const hasItem = doc.nodes.get(place.container)?.type === 'for_each';
  if (first === undefined) return { item: undefined, index: 0, hasItem };
  const iteration = ownPath?.slice(0, ownPath.lastIndexOf('/') + 1);
  const ofSameIteration = run?.of(first).findLast(({ path }) => path === `${iteration}${first}`);
  const entry = ofSameIteration ?? run?.newest(first);
  const position = /\[(\d+)\]\/[^/]*$/.exec(entry?.path ?? '');
  const input = entry?.input;
  return {
    item: hasItem && isRecord(input) ? input['item'] : undefined,
    index: position === null ? 0 : Number(position[1]),
    hasItem,
  };
}

function triggerScope({ execution }: DisplayedRun): unknown {
  const { input, trigger } = execution;
  return { ...(isRecord(input) ? input : {}), input, type: isRecord(trigger) ? trigger['type'] : null };
}

function before(id: string, sources: (id: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...sources(id)];
  for (const next of open) {
    if (next === id || found.has(next)) continue;
    found.add(next);
    open.push(...sources(next));
  }
  return found;
}
