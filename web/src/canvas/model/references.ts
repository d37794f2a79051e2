import type { Entry, Json, JsonObject } from './document.ts';
import { getBodies, listNamedConnections, withBodies, withNamedConnection } from './structure.ts';

const PLACEHOLDER = /\{\{([\s\S]*?)\}\}/g;
/** A string literal, or `nodes` followed by the id of a node. */
const NODE_REFERENCE =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\p{L}\p{N}_$.])nodes(?:\.([\p{L}_$][\p{L}\p{N}_$]*)|\["([^"\\]*)"\]|\['([^'\\]*)'\])/gu;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

function renameInText(text: string, names: ReadonlyMap<string, string>): string {
  if (!text.includes('{{')) return text;
  return text.replace(PLACEHOLDER, (placeholder, expression: string) => {
    const next = expression.replace(
      NODE_REFERENCE,
      (whole: string, plain?: string, double?: string, single?: string) => {
        const to = names.get(plain ?? double ?? single ?? '');
        if (to === undefined) return whole;
        return NAME.test(to) ? `nodes.${to}` : `nodes[${to.includes('"') ? `'${to}'` : `"${to}"`}]`;
      },
    );
    return next === expression ? placeholder : `{{${next}}}`;
  });
}

/**
 * Updates every reference of an entry to a renamed node: in templates, in named connections, in bodies. Its
 * own id is kept. Returns the same object if nothing changes.
 */
export function renameReferences(entry: Entry, names: ReadonlyMap<string, string>): Entry {
  let next = entry;
  if (entry.config !== undefined) {
    const config = mapTexts(entry.config, (text) => renameInText(text, names));
    if (config !== entry.config) next = { ...next, config: config as JsonObject };
  }
  for (const { port, to } of listNamedConnections(next)) {
    const renamed = names.get(to);
    if (renamed !== undefined) next = withNamedConnection(next, port, renamed);
  }
  const bodies = getBodies(next);
  if (bodies.some(({ nodes }) => nodes.some((id) => names.has(id))))
    next = withBodies(
      next,
      bodies.map((body) => ({ ...body, nodes: body.nodes.map((id) => names.get(id) ?? id) })),
    );
  return next;
}

type Visit = { source: readonly Json[] | JsonObject; copy: Json[] | { [key: string]: Json } | null };

/** The value with its texts changed, by a worklist; containers in which nothing changes are shared. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  const order: Visit[] = [];
  const parents: { parent: number; key: string | number }[] = [];
  order.push({ source: value as JsonObject, copy: null });
  parents.push({ parent: -1, key: '' });
  for (let index = 0; index < order.length; index++) {
    const visit = order[index]!;
    const entries: [string | number, Json][] = Array.isArray(visit.source)
      ? visit.source.map((one: Json, i): [number, Json] => [i, one])
      : Object.entries(visit.source);
    for (const [key, one] of entries) {
      if (typeof one === 'string') {
        const next = change(one);
        if (next !== one) put(getCopy(visit), key, next);
      } else if (typeof one === 'object' && one !== null) {
        order.push({ source: one as JsonObject, copy: null });
        parents.push({ parent: index, key });
      }
    }
  }
  for (let index = order.length - 1; index > 0; index--) {
    const { copy } = order[index]!;
    const { parent, key } = parents[index]!;
    if (copy !== null) put(getCopy(order[parent]!), key, copy);
  }
  return order[0]!.copy ?? value;
}

function getCopy(visit: Visit): NonNullable<Visit['copy']> {
  visit.copy ??= Array.isArray(visit.source)
    ? [...(visit.source as readonly Json[])]
    : { ...(visit.source as JsonObject) };
  return visit.copy;
}

function put(container: Json[] | { [key: string]: Json }, key: string | number, value: Json): void {
  (container as { [key: string | number]: Json })[key] = value;
}
