import type { Catalogue } from '../canvas/model/catalogue.ts';
import type { Doc } from '../canvas/model/document.ts';
import { indexOf } from '../canvas/model/graph-index.ts';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import { isRecord } from './model/json-pointer.ts';
import type { TemplateScope } from './model/template-scope.ts';

/** What templates of a node see, from what really arrived in a run; a node that is newer than the run gets what led to it. */
export function scopeOfNode(
  doc: Doc,
  catalogue: Catalogue,
  id: string,
  run: DisplayedRun | null,
  secrets: readonly string[],
): TemplateScope {
  const index = indexOf(doc, catalogue);
  const earlier = before(id, (node) => {
    const place = index.places.get(node);
    const sources = (index.in.get(node) ?? []).map((edge) => edge.from);
    if (place === undefined) return sources;
    const around = index.members.get(place.container)?.get(place.body) ?? [];
    return [...sources, place.container, ...(place.at > 0 ? [around[place.at - 1]!] : [])];
  });
  const output = (node: string): unknown => {
    const newest = run?.newest(node);
    return newest?.status === 'completed' || newest?.status === 'failed' ? newest.output : undefined;
  };
  const own = run?.newest(id);
  const sources = (index.in.get(id) ?? []).map((edge) => edge.from);
  const [source] = sources.length === 1 ? sources : [];
  const input =
    own !== undefined && own.start_time !== null
      ? own.input
      : source === undefined
        ? undefined
        : output(source);
  const place = index.places.get(id);
  const isLooped =
    place !== undefined && ['for_each', 'while'].includes(doc.nodes.get(place.container)?.type ?? '');
  return {
    input,
    trigger: run === null ? undefined : triggerScope(run),
    nodes: new Map([...earlier].map((node) => [node, output(node)])),
    secrets,
    loop: isLooped ? loopOf(doc, catalogue, place, run, own?.path) : null,
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

/** Everything that leads to a node, nearest first. */
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
