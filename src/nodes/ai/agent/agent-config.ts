import { Type, type Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { conditionField, validateCondition } from '../../flow/condition-config.ts';
import { closed, duration, nodeId } from '../../schema.ts';
import { ui } from '../../ui-hints.ts';
import { historyField } from '../conversation.ts';
import { memoryField, validateMemory } from '../memory.ts';
import { instructionsField, repairsField } from '../llm.node.ts';
import { outputSchemaField, promptField } from '../model-fields.ts';
import { validateOutputSchema } from '../model-run.ts';

/** The largest number of body nodes in one list. */
const MAX_NODES = 1_000;
const MAX_TOOLS = 128;
export const DEFAULT_TURNS = 20;
export const DEFAULT_REPAIRS = 1;
/** The names that all providers accept. */
const TOOL_NAME = '^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$';

const bodyNodes = (notes: Record<string, unknown>) =>
  Type.Array(nodeId(), { minItems: 1, maxItems: MAX_NODES, ...notes });

const toolSchema = closed({
  name: Type.String({ pattern: TOOL_NAME, title: 'Name', description: 'The name that the model uses.' }),
  description: Type.String({
    minLength: 1,
    maxLength: 10_000,
    title: 'Description',
    description: 'What the tool does, and when the model should use it.',
  }),
  parameters: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      title: 'Parameters',
      ...ui({ control: 'json_schema' }),
      description:
        'A JSON Schema of the arguments. They are validated before a node runs, and are the input of the first node. Default: no arguments.',
    }),
  ),
  nodes: bodyNodes({
    title: 'Steps',
    description:
      'Ids of the nodes to run for a call, in this order. The output of the last one is the result of the tool.',
  }),
  approval: Type.Optional(
    closed(
      {
        required: Type.Optional(
          Type.Boolean({ title: 'Always', description: 'Whether each call needs an approval.' }),
        ),
        when: Type.Optional(
          conditionField('A condition on the arguments: calls for which it is true need an approval.'),
        ),
      },
      { title: 'Approval', description: 'Which calls run only after people approve them. Default: none.' },
    ),
  ),
});

export const AgentConfig = closed({
  prompt: Type.Optional(
    promptField({
      title: 'Prompt',
      ...ui({ order: 2, hint: '', placeholder: '{{ input.message }}' }),
      description:
        'The task, as the message of the user. Without a prompt, the input must be a conversation {messages: […]}, as a chat trigger returns it.',
    }),
  ),
  instructions: instructionsField,
  model: bodyNodes({
    title: 'Model nodes',
    ...ui({ hint: '' }),
    description:
      'Ids of the nodes of a turn: usually one node llm without a prompt. They receive the conversation.',
  }),
  tools: Type.Optional(
    Type.Array(toolSchema, {
      maxItems: MAX_TOOLS,
      title: 'Tools',
      description: 'The tools that the model may call. They are not templates.',
    }),
  ),
  approval: Type.Optional(
    bodyNodes({
      title: 'Approval nodes',
      ...ui({ hint: '' }),
      description:
        'Ids of the nodes that ask people about a call: usually one node approval. They receive {tool, arguments}.',
    }),
  ),
  history: historyField,
  memory: memoryField,
  schema: outputSchemaField('final response'),
  maxRepairs: repairsField,
  maxTurns: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: DEFAULT_TURNS,
      title: 'Maximum turns',
      ...ui({ advanced: true }),
      description: 'The maximum number of calls of the model.',
    }),
  ),
  maxTokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      title: 'Maximum tokens',
      ...ui({ advanced: true }),
      description:
        'No call begins once all calls together have used this number of tokens, input and output.',
    }),
  ),
  maxCost: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      title: 'Maximum cost',
      ...ui({ advanced: true }),
      description:
        'No call begins once all calls together have cost this number of US dollars. The model must have a price (WEFT_MODEL_PRICES).',
    }),
  ),
  maxDuration: Type.Optional(
    duration({
      title: 'Maximum duration',
      ...ui({ advanced: true }),
      description: 'No call begins after this time, which includes the time of approvals.',
    }),
  ),
});
export type AgentConfig = Static<typeof AgentConfig>;
export type AgentTool = Static<typeof toolSchema>;

/** The region of a tool. The regions `model` and `approval` have no such prefix. */
export const formatToolRegion = (name: string): string => `tools.${name}`;

export function listRegions(config: JsonObject): { name: string; nodes: string[]; field: string }[] {
  const { model, approval, tools } = config as unknown as AgentConfig;
  return [
    { name: 'model', nodes: model, field: 'model' },
    ...(approval === undefined ? [] : [{ name: 'approval', nodes: approval, field: 'approval' }]),
    ...(tools ?? []).map(({ name, nodes }, i) => ({
      name: formatToolRegion(name),
      nodes,
      field: `tools[${i}].nodes`,
    })),
  ];
}

/** `config` matches the schema, except that any value may be a template. */
export function validateAgent(config: JsonObject): FieldError[] {
  const errors = [...validateOutputSchema(config['schema'], 'schema'), ...validateMemory(config)];
  if (!Array.isArray(config['tools'] ?? []))
    errors.push({ field: 'tools', issue: 'must be a list, not a template' });
  for (const field of ['model', 'approval'])
    if (!Array.isArray(config[field] ?? []))
      errors.push({ field, issue: 'must be a list of nodes, not a template' });
  const { maxDuration } = config;
  if (typeof maxDuration === 'string' && parseDuration(maxDuration) === 0)
    errors.push({ field: 'maxDuration', issue: 'must be a duration of more than 0' });
  const names = new Set<string>();
  for (const [i, tool] of (Array.isArray(config['tools']) ? config['tools'] : []).entries()) {
    if (!isObject(tool)) continue;
    const { name } = tool as unknown as AgentTool;
    if (names.has(name)) errors.push({ field: `tools[${i}].name`, issue: `${name} must not be used twice` });
    names.add(name);
    errors.push(...validateTool(tool, `tools[${i}]`, config['approval'] !== undefined));
  }
  return errors;
}

function validateTool(tool: JsonObject, field: string, hasApproval: boolean): FieldError[] {
  const { parameters, approval } = tool;
  const errors = validateOutputSchema(parameters, `${field}.parameters`);
  if (isObject(parameters) && (parameters['type'] ?? 'object') !== 'object')
    errors.push({ field: `${field}.parameters.type`, issue: 'must be object' });
  if (!isObject(approval)) return errors;
  const { required, when } = approval;
  if (when !== undefined) {
    if (required === true)
      errors.push({ field: `${field}.approval.when`, issue: 'must not be set with required' });
    errors.push(...validateCondition(when, `${field}.approval.when`));
  }
  if (!hasApproval && (required === true || when !== undefined))
    errors.push({
      field: 'approval',
      issue: `is required, because calls of ${(tool as unknown as AgentTool).name} need one`,
    });
  return errors;
}

/** The parameters of a tool without arguments. */
export const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
