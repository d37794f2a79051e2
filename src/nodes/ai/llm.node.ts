import { Type, type Static } from 'typebox';
import type { ResponsePart, ModelMessage } from '../../contract/ai/models.ts';
import type { Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { listNamedConnection } from '../connectors/credentials.ts';
import { isFileReference } from '../http/file-field.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid, invalidFields } from '../outcome.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { historyField, validateConversation, validateHistory, type Conversation } from './conversation.ts';
import {
  MODEL_TIMEOUT_MS,
  modelFields,
  modelSecrets,
  modelTemplates,
  outputSchemaField,
  promptField,
  validateModel,
  type ModelConfig,
} from './model-fields.ts';
import {
  isOutcome,
  joinText,
  runModel,
  validateOutputSchema,
  type ModelRequest,
  type ModelResult,
} from './model-run.ts';
import { costField, usageField } from './result-fields.ts';
import { createTextEvents } from './stream-events.ts';

const DEFAULT_REPAIRS = 1;
const MAX_FILES = 100;

export const instructionsField = Type.Optional(
  promptField({
    title: 'Instructions',
    ...ui({ order: 5, hint: '', placeholder: 'You are a support agent of …' }),
    description: 'What the model is and how it responds: the system message.',
  }),
);

export const repairsField = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 5,
    default: DEFAULT_REPAIRS,
    title: 'Repairs',
    ...ui({ advanced: true }),
    description:
      'How many times the model is called again, with the error, if its response does not match the schema.',
  }),
);

const LlmConfig = closed({
  ...modelFields,
  instructions: instructionsField,
  prompt: Type.Optional(
    promptField({
      title: 'Prompt',
      ...ui({ order: 6, hint: '', placeholder: 'Translate into French: {{ input.text }}' }),
      description:
        'The message of the user. Without a prompt, the input must be a conversation {messages: […]}, as an agent sends it.',
    }),
  ),
  files: Type.Optional(
    Type.Array(Type.Unsafe<Json>({}), {
      maxItems: MAX_FILES,
      title: 'Files',
      ...ui({ advanced: true }),
      description:
        'Files ({"$file": …}) for the model to read with the prompt: images, or PDF files, as the model accepts them.',
    }),
  ),
  history: historyField,
  schema: outputSchemaField('response'),
  maxRepairs: repairsField,
  stream: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Stream the text',
      ...ui({ advanced: true }),
      description:
        'Sends the text to callers that follow the execution while the model writes it. The model must support streaming.',
    }),
  ),
});
type LlmConfig = Static<typeof LlmConfig> & ModelConfig;

export const llm = defineNode({
  type: 'llm',
  version: '1.0.0',
  name: 'Language model',
  category: 'ai',
  description:
    'Asks a language model once. The result is {text, finish_reason, usage, cost, model}, with a schema also {output}. A response that calls tools has {content} instead of {text}. In the body of an agent, the node needs no prompt and is called with the whole conversation.',
  icon: 'sparkles',
  keywords: [
    'ai',
    'model',
    'gpt',
    'chatgpt',
    'openai',
    'claude',
    'anthropic',
    'gemini',
    'ollama',
    'prompt',
    'generate text',
    'completion',
    'chat model',
  ],
  config: LlmConfig,
  templates: { ...modelTemplates, schema: 'literal', maxRepairs: 'literal', stream: 'literal' },
  output: Type.Object({
    text: Type.String(),
    output: Type.Unknown(),
    finish_reason: Type.String({ examples: ['stop'] }),
    usage: usageField,
    cost: costField,
    model: Type.String(),
  }),
  outputs: [
    { name: 'out', type: 'object', description: '{text, output, finish_reason, usage, cost, model}' },
  ],
  effects: 'external',
  secrets: modelSecrets,
  connections: listNamedConnection,
  timeout: MODEL_TIMEOUT_MS,
  check: (config) => [...validateModel(config), ...validateOutputSchema(config['schema'], 'schema')],
  streamEvents: createTextEvents,
  async run(ctx, config, input) {
    const request = readRequest(config, input);
    if ('kind' in request) return request;
    const result = await runModel(ctx, config, request);
    return isOutcome(result) ? result : done(createOutput(result));
  },
  examples: [
    {
      title: 'Translate a text',
      config: {
        provider: 'openai',
        model: 'gpt-5-mini',
        credentials: '{{ secrets.OPENAI }}',
        prompt: 'Translate into French: {{ input.text }}',
      },
      input: { text: 'Good morning' },
      outputs: {
        out: {
          text: 'Bonjour',
          finish_reason: 'stop',
          usage: { input_tokens: 12, cached_input_tokens: 0, output_tokens: 3, reasoning_tokens: 0 },
          cost: null,
          model: 'gpt-5-mini',
        },
      },
    },
    {
      title: 'A model on this machine, with a structured response',
      config: {
        provider: 'openai_compatible',
        baseUrl: 'http://127.0.0.1:11434/v1',
        model: 'llama3.2',
        prompt: 'How urgent is this message? {{ input.text }}',
        schema: {
          type: 'object',
          required: ['urgency'],
          properties: { urgency: { enum: ['low', 'high'] } },
        },
      },
      input: { text: 'The shop is down' },
      outputs: {
        out: {
          text: '{"urgency":"high"}',
          output: { urgency: 'high' },
          finish_reason: 'stop',
          usage: { input_tokens: 30, cached_input_tokens: 0, output_tokens: 8, reasoning_tokens: 0 },
          cost: null,
          model: 'llama3.2',
        },
      },
    },
  ],
});

function readRequest(config: LlmConfig, input: Json): ModelRequest | Outcome {
  const { instructions, prompt, files = [], history = [], schema = null, maxRepairs, stream } = config;
  const isStreamed = stream === true;
  const system: ModelMessage[] =
    instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  if (prompt === undefined) {
    const errors = validateConversation(input);
    if (errors.length > 0)
      return invalidFields([
        {
          field: 'prompt',
          issue: `is required, unless the input is a conversation {messages: […]}: ${errors[0]!.field} ${errors[0]!.issue}`,
        },
      ]);
    const conversation = input as unknown as Conversation;
    return {
      messages: [...system, ...conversation.messages],
      tools: conversation.tools ?? [],
      schema: conversation.schema ?? conversation.response_schema ?? schema,
      isStreamed,
      // An agent validates and repairs a response itself, in a turn of its own.
      maxRepairs: conversation.schema === undefined ? (maxRepairs ?? DEFAULT_REPAIRS) : null,
    };
  }
  const errors = validateHistory(history);
  if (errors.length > 0) return invalidFields(errors);
  const wrong = files.findIndex((file) => !isFileReference(file));
  if (wrong >= 0) return invalid(`files[${wrong}]`, 'must be a file ({"$file": …})');
  return {
    messages: [...system, ...(history as unknown as ModelMessage[]), createUserMessage(prompt, files)],
    schema,
    isStreamed,
    maxRepairs: maxRepairs ?? DEFAULT_REPAIRS,
  };
}

function createUserMessage(prompt: string, files: readonly Json[]): ModelMessage {
  if (files.length === 0) return { role: 'user', content: prompt };
  return {
    role: 'user',
    content: [
      { type: 'text', text: prompt },
      ...files.filter(isFileReference).map((file) => ({ type: 'file' as const, file })),
    ],
  };
}

/** A response is stored once: without `content` if it is only `text`, without `text` if it calls tools. */
export function createOutput({ response, usage, cost, output }: ModelResult): JsonObject {
  const { content, finishReason, model } = response;
  return {
    ...(content.some(({ type }) => type === 'tool_call') ? {} : { text: joinText(content) }),
    ...(output === undefined ? {} : { output }),
    ...(content.every(isPlainText) ? {} : { content: content as unknown as Json }),
    finish_reason: finishReason,
    usage: { ...usage },
    cost,
    model,
  };
}

const isPlainText = (part: ResponsePart): boolean => part.type === 'text' && part.metadata === undefined;
