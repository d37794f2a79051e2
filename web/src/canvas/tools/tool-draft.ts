import type { Entry, Doc, JsonObject } from '../model/document.ts';
import type { Catalog, NodeType } from '../model/catalog.ts';
import { addNode, changeNodes } from '../model/edit/edit-nodes.ts';
import { getBodies, withBodies } from '../model/structure.ts';
import { listFields, type Field, type Schema } from '../../node-panel/model/field.ts';
import { selectShape } from '../../node-panel/model/form-layout.ts';
import { isRecord } from '../../node-panel/model/field-path.ts';
import { isCovered } from '../../node-panel/model/template-scope.ts';

/** An argument of a tool: what the model sends, and its schema. */
export type Argument = {
  readonly key: string;
  readonly label: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
};

/** A tool before it is added: its node, and the texts and arguments for the model. */
export type ToolDraft = {
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly config: JsonObject;
  /** Null: the fields of the node, of which some are left open to the model. */
  readonly parameters: JsonObject | null;
  readonly arguments: readonly Argument[];
};

const MAX_NAME_LENGTH = 64;
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
/** Fields that a model must not fill in: credentials, addresses, headers and code. */
const CLOSED_FIELDS = new Set([
  'authentication',
  'credentials',
  'connection',
  'operation',
  'proxy',
  'url',
  'baseUrl',
  'host',
  'headers',
  'code',
]);
const KEPT_KEYWORDS = [
  'type',
  'description',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'required',
  'additionalProperties',
] as const;

/** A tool that runs a node with some of its fields left open to the model. */
export function createNodeDraft(type: NodeType, title: string, config: JsonObject): ToolDraft {
  const form = type.config_schema as Schema;
  const literal = type.config_schema['x-literal'];
  const patterns = Array.isArray(literal) ? literal.filter((one) => typeof one === 'string') : [];
  const isOpen = ({ key, ui, schema }: Field): boolean =>
    ui.hidden !== true &&
    !CLOSED_FIELDS.has(key) &&
    ui.control !== 'secret' &&
    ui.control !== 'account' &&
    schema.format !== 'weft-secret' &&
    !patterns.some((pattern) => isCovered([key], pattern));
  return {
    title,
    description: type.description,
    type: type.id,
    config,
    parameters: null,
    arguments: listFields(selectShape(form, config))
      .filter(isOpen)
      .map((field) => ({
        key: field.key,
        label: field.label,
        schema: toParameter(field.schema),
        isRequired: field.isRequired,
      })),
  };
}

/** A tool whose arguments are stated elsewhere: by a workflow, or by a server. */
export function createStatedDraft(draft: Omit<ToolDraft, 'arguments'>): ToolDraft {
  const { properties = {}, required = [] } = (draft.parameters ?? {}) as Schema;
  return {
    ...draft,
    arguments: Object.entries(properties).map(([key, schema]) => ({
      key,
      label: typeof schema.title === 'string' ? schema.title : key,
      schema: schema as JsonObject,
      isRequired: required.includes(key),
    })),
  };
}

/** The schema of a field, with the keywords that tell a model what to send. */
function toParameter(schema: Schema): JsonObject {
  const own = schema as JsonObject;
  const kept: Record<string, unknown> = {};
  for (const key of KEPT_KEYWORDS) if (own[key] !== undefined) kept[key] = own[key];
  if (isRecord(own['items'])) kept['items'] = toParameter(own['items'] as Schema);
  if (isRecord(own['properties']))
    kept['properties'] = Object.fromEntries(
      Object.entries(own['properties']).map(([key, part]) => [key, toParameter(part as Schema)]),
    );
  if (isRecord(own['additionalProperties']))
    kept['additionalProperties'] = toParameter(own['additionalProperties'] as Schema);
  return kept as JsonObject;
}

/** A name that all providers accept, and that the agent has not yet. */
export function createToolName(title: string, agent: Entry): string {
  const taken = new Set(getBodies(agent).map(({ name }) => name));
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const stem = (/^[a-z]/.test(words) ? words : `tool_${words}`)
    .replace(/_$/, '')
    .slice(0, MAX_NAME_LENGTH - 4);
  for (let n = 1; ; n++) {
    const name = n === 1 ? stem : `${stem}_${n}`;
    if (!taken.has(`tools.${name}`)) return name;
  }
}

/** Adds a tool with its node to an agent. `open`: the fields of the node that the model fills in. */
export function addTool(
  doc: Doc,
  catalog: Catalog,
  agentId: string,
  draft: ToolDraft,
  { name, description, open }: { name: string; description: string; open: ReadonlySet<string> },
): { doc: Doc; nodeId: string } {
  const chosen = draft.arguments.filter(({ key }) => open.has(key));
  const parameters: JsonObject =
    draft.parameters ??
    (chosen.length === 0
      ? NO_PARAMETERS
      : {
          type: 'object',
          required: chosen.map(({ key }) => key),
          properties: Object.fromEntries(chosen.map(({ key, schema }) => [key, schema])),
          additionalProperties: false,
        });
  const config: JsonObject =
    draft.parameters !== null
      ? draft.config
      : { ...draft.config, ...Object.fromEntries(chosen.map(({ key }) => [key, `{{ input.${key} }}`])) };
  const withTool = changeNodes(doc, [agentId], (agent) => {
    const extended = withBodies(agent, [...getBodies(agent), { name: `tools.${name}`, nodes: [] }]);
    const tools = (extended.config?.['tools'] ?? []) as JsonObject[];
    return {
      ...extended,
      config: {
        ...extended.config,
        tools: tools.map((tool) => (tool['name'] === name ? { ...tool, description, parameters } : tool)),
      },
    };
  });
  const bodyPosition = { container: agentId, body: `tools.${name}`, index: 0 };
  const added = addNode(withTool, catalog, draft.type, { bodyPosition }, config);
  return { doc: added.doc, nodeId: added.id };
}
