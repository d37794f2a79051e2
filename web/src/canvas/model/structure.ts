import type { Port } from './catalogue.ts';
import { isObject, type Entry, type Json, type JsonObject } from './document.ts';
import { t } from '../../i18n/index.ts';

/*
 * What the configuration of some node types defines about the graph: which nodes are in a body, which connection is named
 * instead of drawn, which ports there are. The catalogue does not tell; a test holds this table against the node types.
 */

export type Body = { readonly name: string; readonly nodes: readonly string[] };

type Structure = {
  /** What a list of its body is called on the canvas. */
  readonly bodyLabel?: string;
  readonly bodies?: (config: JsonObject) => Body[];
  readonly withBodies?: (config: JsonObject, bodies: readonly Body[]) => JsonObject;
  /** Ports whose connection a field of the configuration names. */
  readonly namedPorts?: Readonly<Record<string, string>>;
  readonly listDynamicOutputs?: (config: JsonObject) => Port[];
  /** A configuration to begin with, where an empty one would have nowhere to put anything. */
  readonly initial?: JsonObject;
};

const oneBody: Pick<Structure, 'bodies' | 'withBodies' | 'initial'> = {
  bodies: (config) => [{ name: 'body', nodes: texts(config['nodes']) }],
  withBodies: (config, bodies) => ({ ...config, nodes: [...(bodies[0]?.nodes ?? [])] }),
  initial: { nodes: [] },
};

const structures: Readonly<Record<string, Structure>> = {
  parallel: {
    bodies: (config) => {
      const seen = new Set<string>();
      return list(config['branches']).flatMap((branch) => {
        if (!isObject(branch) || typeof branch['name'] !== 'string' || seen.has(branch['name'])) return [];
        seen.add(branch['name']);
        return [{ name: branch['name'], nodes: texts(branch['nodes']) }];
      });
    },
    withBodies: (config, bodies) => {
      const known = new Map(
        list(config['branches']).flatMap((branch) =>
          isObject(branch) && typeof branch['name'] === 'string' ? [[branch['name'], branch] as const] : [],
        ),
      );
      return {
        ...config,
        branches: bodies.map(({ name, nodes }) => ({ ...known.get(name), name, nodes: [...nodes] })),
      };
    },
    initial: {
      branches: [
        { name: 'branch_1', nodes: [] },
        { name: 'branch_2', nodes: [] },
      ],
    },
  },
  for_each: { ...oneBody, bodyLabel: t('for each item') },
  while: { ...oneBody, bodyLabel: t('each round') },
  condition: { namedPorts: { true: 'trueAction', false: 'falseAction' } },
  approval: {
    listDynamicOutputs: (config) => {
      const choices =
        config['choices'] === undefined
          ? [
              { name: 'approved', label: t('Approve') },
              { name: 'rejected', label: t('Reject') },
            ]
          : list(config['choices']);
      return choices.flatMap((one) =>
        isObject(one) && typeof one['name'] === 'string' && one['name'] !== ''
          ? [
              {
                name: one['name'],
                type: 'object',
                description: t('Who decided, when and how, if the choice was {{label}}', {
                  label: typeof one['label'] === 'string' ? one['label'] : one['name'],
                }),
              },
            ]
          : [],
      );
    },
  },
  switch: {
    listDynamicOutputs: (config) =>
      list(config['cases']).flatMap((one) =>
        isObject(one) && typeof one['name'] === 'string' && one['name'] !== ''
          ? [{ name: one['name'], type: 'any', description: t('The input, if this case matches') }]
          : [],
      ),
  },
};

const none: Structure = {};

function getStructure(type: string): Structure {
  return Object.hasOwn(structures, type) ? structures[type]! : none;
}

export const structuredTypes: readonly string[] = Object.keys(structures);

export function isContainer(type: string): boolean {
  return getStructure(type).bodies !== undefined;
}

export function getBodyLabel(type: string, body: string): string {
  return getStructure(type).bodyLabel ?? body;
}

/** The bodies that a configuration names; none of a node that runs no others. */
export function getBodies(entry: Entry): readonly Body[] {
  return getStructure(entry.type).bodies?.(entry.config ?? {}) ?? [];
}

export function withBodies(entry: Entry, bodies: readonly Body[]): Entry {
  const { withBodies: write } = getStructure(entry.type);
  return write === undefined ? entry : { ...entry, config: write(entry.config ?? {}, bodies) };
}

/** Connections that the configuration names. */
export function listNamedEdges(entry: Entry): { port: string; to: string }[] {
  const { namedPorts } = getStructure(entry.type);
  if (namedPorts === undefined) return [];
  return Object.entries(namedPorts).flatMap(([port, field]) => {
    const to = entry.config?.[field];
    return typeof to === 'string' && to !== '' ? [{ port, to }] : [];
  });
}

/** The entry with another node, or none, named for a port. */
export function withNamedEdge(entry: Entry, port: string, to: string | null): Entry {
  const field = getStructure(entry.type).namedPorts?.[port];
  if (field === undefined) return entry;
  const { [field]: _old, ...rest } = entry.config ?? {};
  return { ...entry, config: to === null ? rest : { ...rest, [field]: to } };
}

export function dynamicOutputs(entry: Entry): readonly Port[] {
  return getStructure(entry.type).listDynamicOutputs?.(entry.config ?? {}) ?? [];
}

export function getInitialConfig(type: string): JsonObject {
  return getStructure(type).initial ?? {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function texts(value: Json | undefined): string[] {
  return list(value).filter((one) => typeof one === 'string');
}
