import { Type } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { listNamedConnection } from '../connectors/credentials.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import {
  createModelServer,
  isHttpUrl,
  MODEL_TIMEOUT_MS,
  modelFields,
  modelHints,
  modelSecrets,
  modelTemplates,
  providerField,
  URL_ISSUE,
  validateModel,
} from './model-fields.ts';
import { costField } from './result-fields.ts';

/** The most numbers that a result has: 256 texts with 3,072 dimensions. */
const MAX_TEXTS = 256;
const MAX_LENGTH = 100_000;

const { baseUrl, model, credentials, connection } = modelFields;

export const embed = defineNode({
  type: 'embed',
  version: '1.0.0',
  name: 'Embed text',
  category: 'ai',
  description:
    'Computes embeddings, which are lists of numbers that are similar for texts of similar meaning. The result is {embedding, embeddings, usage, cost, model}: one embedding for each text in their order, and the first one alone.',
  icon: 'waypoints',
  keywords: ['ai', 'embedding', 'embeddings', 'vector', 'semantic search', 'similarity', 'rag', 'retrieval'],
  config: closed({
    provider: providerField(['openai', 'google', 'openai_compatible'], 'embeddings'),
    baseUrl,
    model: { ...model, ...modelHints('text-embedding-3-small') },
    credentials,
    connection,
    texts: Type.Unsafe<Json>({
      title: 'Texts',
      ...ui({ order: 5, hint: '', placeholder: '{{ input.text }}' }),
      description: `A text, or a list of at most ${MAX_TEXTS} texts.`,
    }),
    dimensions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16_384,
        title: 'Dimensions',
        ...ui({ advanced: true }),
        description:
          'The length of each embedding, if the model can shorten them. Default: that of the model.',
      }),
    ),
  }),
  templates: modelTemplates,
  output: Type.Object({
    embedding: Type.Array(Type.Number()),
    embeddings: Type.Array(Type.Array(Type.Number())),
    usage: Type.Object({ input_tokens: Type.Integer() }),
    cost: costField,
    model: Type.String(),
  }),
  outputs: [{ name: 'out', type: 'object', description: '{embedding, embeddings, usage, cost, model}' }],
  effects: 'external',
  secrets: modelSecrets,
  connections: listNamedConnection,
  timeout: MODEL_TIMEOUT_MS,
  check: validateModel,
  async run(ctx, config) {
    if (config.baseUrl !== undefined && !isHttpUrl(config.baseUrl)) return invalid('baseUrl', URL_ISSUE);
    const texts = Array.isArray(config.texts) ? config.texts : [config.texts];
    if (texts.length === 0 || texts.length > MAX_TEXTS)
      return invalid('texts', `must have 1 to ${MAX_TEXTS} texts`);
    const wrong = texts.findIndex((text) => typeof text !== 'string' || !isTextOfModel(text));
    if (wrong >= 0)
      return invalid(
        Array.isArray(config.texts) ? `texts[${wrong}]` : 'texts',
        `must be a text of 1 to ${MAX_LENGTH} characters`,
      );
    try {
      const { embeddings, inputTokens, cost } = await ctx.models.embed(createModelServer(ctx, config), {
        texts: texts as string[],
        dimensions: config.dimensions ?? null,
        idempotencyKey: ctx.idempotencyKey,
      });
      return done({
        embedding: [...embeddings[0]!],
        embeddings: embeddings.map((one) => [...one]),
        usage: { input_tokens: inputTokens },
        cost,
        model: config.model,
      });
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      throw error;
    }
  },
  examples: [
    {
      title: 'Embed a question',
      config: {
        provider: 'openai',
        model: 'text-embedding-3-small',
        credentials: '{{ secrets.OPENAI }}',
        texts: '{{ input.question }}',
        dimensions: 3,
      },
      input: { question: 'How do I return an order?' },
      outputs: {
        out: {
          embedding: [0.12, -0.4, 0.9],
          embeddings: [[0.12, -0.4, 0.9]],
          usage: { input_tokens: 7 },
          cost: null,
          model: 'text-embedding-3-small',
        },
      },
    },
  ],
});

const isTextOfModel = (text: string): boolean => text.trim() !== '' && text.length <= MAX_LENGTH;
