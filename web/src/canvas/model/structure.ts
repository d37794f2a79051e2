import type { Port } from './catalog.ts';
import { isObject, type Entry, type Json, type JsonObject } from './document.ts';
import { t } from '../../i18n/index.ts';

/*
 * The part of the graph that the configuration of some node types defines: nodes of bodies, named
 * connections, ports. The catalog does not contain it. A test compares this table with the node types.
 */

export type Body = { readonly name: string; readonly nodes: readonly string[] };

/** `action` is the label of the command, `noun` the label of its button. */
type NewBody = {
  readonly action: string;
  readonly noun: string;
  readonly describe: (node: string) => string;
  /** Whether the body is chosen in a dialog for tools. */
  readonly isTool?: boolean;
  /** The name of the body with a number. */
  readonly createName: (number: number) => string;
};

type Structure = {
  /** The name of a body on the canvas. Default: its name in the configuration. */
  readonly labelBody?: (body: string) => string;
  /** How to add a body, for node types with any number of bodies. */
  readonly newBody?: NewBody;
  readonly bodies?: (config: JsonObject) => Body[];
  readonly withBodies?: (config: JsonObject, bodies: readonly Body[]) => JsonObject;
  /** Ports whose connection is in a field of the configuration: the field by port. */
  readonly namedPorts?: Readonly<Record<string, string>>;
  readonly listDynamicOutputs?: (config: JsonObject) => Port[];
  /** The configuration of a new node, if an empty one has no body. */
  readonly initial?: JsonObject;
  /** The node types of a new node's bodies, by body. */
  readonly initialNodes?: Readonly<Record<string, string>>;
};

const oneBody: Pick<Structure, 'bodies' | 'withBodies' | 'initial'> = {
  bodies: (config) => [{ name: 'body', nodes: texts(config['nodes']) }],
  withBodies: (config, bodies) => ({ ...config, nodes: [...(bodies[0]?.nodes ?? [])] }),
  initial: { nodes: [] },
};

/** The prefix of the agent's bodies that are tools. */
const TOOL_BODY_PREFIX = 'tools.';

const structures: Readonly<Record<string, Structure>> = {
  agent: {
    bodies: (config) => {
      const { approval } = config;
      const tools = readNamed(config['tools']);
      const needsApproval = approval !== undefined || tools.some((tool) => tool['approval'] !== undefined);
      return [
        { name: 'model', nodes: texts(config['model']) },
        ...(needsApproval ? [{ name: 'approval', nodes: texts(approval) }] : []),
        ...tools.map((tool) => ({ name: `${TOOL_BODY_PREFIX}${tool.name}`, nodes: texts(tool['nodes']) })),
      ];
    },
    withBodies: (config, bodies) => {
      const toolsByName = new Map(readNamed(config['tools']).map((tool) => [tool.name, tool]));
      const nodesOf = (name: string): readonly string[] =>
        bodies.find((body) => body.name === name)?.nodes ?? [];
      const tools = bodies
        .filter(({ name }) => name.startsWith(TOOL_BODY_PREFIX))
        .map(({ name, nodes }) => {
          const tool = name.slice(TOOL_BODY_PREFIX.length);
          return { description: '', ...toolsByName.get(tool), name: tool, nodes: [...nodes] };
        });
      const { approval: _approval, ...rest } = config;
      const approval = nodesOf('approval');
      return {
        ...rest,
        model: [...nodesOf('model')],
        ...(tools.length === 0 && config['tools'] === undefined ? {} : { tools }),
        ...(approval.length === 0 ? {} : { approval: [...approval] }),
      };
    },
    labelBody: (body) =>
      body === 'model'
        ? t('model')
        : body === 'approval'
          ? t('approval')
          : body.slice(TOOL_BODY_PREFIX.length),
    newBody: {
      action: t('Add tool'),
      noun: t('Tool'),
      describe: (node) => t('Add tool to {{node}}', { node }),
      isTool: true,
      createName: (number) => `${TOOL_BODY_PREFIX}tool_${number}`,
    },
    initial: { model: [], tools: [] },
    initialNodes: { model: 'llm' },
  },
  classify: {
    listDynamicOutputs: (config) =>
      readNamed(config['categories']).map(({ name }) => ({
        name,
        type: 'object',
        description: t('The result, if the category is {{name}}', { name }),
      })),
  },
  parallel: {
    bodies: (config) =>
      readNamed(config['branches']).map((branch) => ({ name: branch.name, nodes: texts(branch['nodes']) })),
    withBodies: (config, bodies) => {
      const branchesByName = new Map(readNamed(config['branches']).map((branch) => [branch.name, branch]));
      return {
        ...config,
        branches: bodies.map(({ name, nodes }) => ({ ...branchesByName.get(name), name, nodes: [...nodes] })),
      };
    },
    newBody: {
      action: t('Add branch'),
      noun: t('Branch'),
      describe: (node) => t('Add branch to {{node}}', { node }),
      createName: (number) => `branch_${number}`,
    },
    initial: {
      branches: [
        { name: 'branch_1', nodes: [] },
        { name: 'branch_2', nodes: [] },
      ],
    },
  },
  for_each: { ...oneBody, labelBody: () => t('for each item') },
  while: { ...oneBody, labelBody: () => t('each round') },
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
  return getStructure(type).labelBody?.(body) ?? body;
}

export function getNewBody(type: string): NewBody | null {
  return getStructure(type).newBody ?? null;
}

/** The bodies in the configuration of a node; an empty list for a node without bodies. */
export function getBodies(entry: Entry): readonly Body[] {
  return getStructure(entry.type).bodies?.(entry.config ?? {}) ?? [];
}

export function withBodies(entry: Entry, bodies: readonly Body[]): Entry {
  const { withBodies: write } = getStructure(entry.type);
  return write === undefined ? entry : { ...entry, config: write(entry.config ?? {}, bodies) };
}

/** The connections in fields of the configuration. */
export function listNamedConnections(entry: Entry): { port: string; to: string }[] {
  const { namedPorts } = getStructure(entry.type);
  if (namedPorts === undefined) return [];
  return Object.entries(namedPorts).flatMap(([port, field]) => {
    const to = entry.config?.[field];
    return typeof to === 'string' && to !== '' ? [{ port, to }] : [];
  });
}

/** Sets the target of a named connection; null removes it. */
export function withNamedConnection(entry: Entry, port: string, to: string | null): Entry {
  const field = getStructure(entry.type).namedPorts?.[port];
  if (field === undefined) return entry;
  const { [field]: _old, ...rest } = entry.config ?? {};
  return { ...entry, config: to === null ? rest : { ...rest, [field]: to } };
}

export function listDynamicOutputs(entry: Entry): readonly Port[] {
  return getStructure(entry.type).listDynamicOutputs?.(entry.config ?? {}) ?? [];
}

export function getInitialConfig(type: string): JsonObject {
  return getStructure(type).initial ?? {};
}

export function getInitialNodes(type: string): Readonly<Record<string, string>> {
  return getStructure(type).initialNodes ?? {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** The named entries of a list; duplicates of a name are dropped. */
function readNamed(value: Json | undefined): (JsonObject & { readonly name: string })[] {
  const seen = new Set<string>();
  return list(value).flatMap((one) => {
    if (!isObject(one) || typeof one['name'] !== 'string' || one['name'] === '' || seen.has(one['name']))
      return [];
    seen.add(one['name']);
    return [{ ...one, name: one['name'] }];
  });
}

function texts(value: Json | undefined): string[] {
  return list(value).filter((one) => typeof one === 'string');
}
