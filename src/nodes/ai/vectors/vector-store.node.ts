import { Type } from 'typebox';
import {
  COLLECTION_NAME,
  MAX_DELETED_KEYS,
  MAX_FILTER_FIELDS,
  MAX_FILTER_VALUES,
  MAX_MATCHES,
  MAX_UPSERT_DOCUMENTS,
  rangeOperators,
  type FilterValue,
  type VectorCondition,
  type VectorRefusal,
} from '../../../contract/ai/vectors.ts';
import type { FieldError } from '../../../contract/errors.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { DataError, toFailure } from '../../data/data-error.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { output } from '../../output-schema.ts';
import { closed, oneOfTexts, tagged } from '../../schema.ts';
import { ui } from '../../ui-hints.ts';
import { readDocuments } from './document.ts';
import { readEmbedding } from './embedding.ts';

const DEFAULT_MATCHES = 5;

const collection = Type.String({
  pattern: COLLECTION_NAME,
  title: 'Collection',
  ...ui({ order: 1, placeholder: 'handbook' }),
  description:
    'Its name: lower-case letters, digits, _ and -. All workflows of the owner share it. The first documents create it.',
});
const model = Type.String({
  minLength: 1,
  maxLength: 200,
  title: 'Embedding model',
  ...ui({ order: 2, placeholder: 'text-embedding-3-small' }),
  description:
    'The model of the embeddings. A collection has the embeddings of one model, because those of different models cannot be compared.',
});
const conditions = Type.Optional(
  Type.Array(
    closed({
      field: Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Field',
        description: 'A field of the metadata, or source.',
      }),
      operator: oneOfTexts(['equals', 'in', ...rangeOperators], {
        title: 'Operator',
        description: 'in: equals one of the values of a list.',
      }),
      value: Type.Unsafe<Json>({
        title: 'Value',
        description: 'A text, a number or a boolean; for in, a list of them.',
      }),
    }),
    {
      minItems: 1,
      maxItems: MAX_FILTER_FIELDS,
      title: 'Filter',
      description:
        'Conditions that all must hold. A field with a list meets a condition if one of its elements does.',
    },
  ),
);

const Match = Type.Object({
  key: Type.String(),
  score: Type.Number(),
  text: Type.String(),
  source: Type.Union([Type.String(), Type.Null()]),
  metadata: Type.Record(Type.String(), Type.Unknown()),
});

const VectorStoreConfig = tagged('operation', [
  closed(
    {
      operation: Type.Literal('upsert'),
      collection,
      model,
      documents: Type.Unsafe<Json>({
        title: 'Documents',
        ...ui({ order: 3, placeholder: '{{ item }}' }),
        description: `A list of at most ${MAX_UPSERT_DOCUMENTS} documents {key, text, source, metadata}, or one of them. source and metadata can be absent.`,
      }),
      embeddings: Type.Unsafe<Json>({
        title: 'Embeddings',
        ...ui({ order: 4, placeholder: '{{ input.embeddings }}' }),
        description: 'The embedding of each document, in the same order.',
      }),
    },
    { title: 'Store documents', ...output(Type.Object({ stored: Type.Integer() })) },
  ),
  closed(
    {
      operation: Type.Literal('query'),
      collection,
      model,
      embedding: Type.Unsafe<Json>({
        title: 'Embedding',
        ...ui({ order: 3, placeholder: '{{ input.embedding }}' }),
        description: 'The embedding to compare with.',
      }),
      filter: conditions,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_MATCHES,
          default: DEFAULT_MATCHES,
          title: 'Maximum matches',
          ...ui({ hint: '' }),
          description: 'How many documents are returned at most.',
        }),
      ),
      minScore: Type.Optional(
        Type.Number({
          minimum: -1,
          maximum: 1,
          title: 'Minimum score',
          ...ui({ advanced: true }),
          description: 'Documents with a lower score are not returned. Default: all are.',
        }),
      ),
    },
    { title: 'Find similar documents', ...output(Type.Object({ matches: Type.Array(Match) })) },
  ),
  closed(
    {
      operation: Type.Literal('delete'),
      collection,
      keys: Type.Optional(
        Type.Unsafe<string | string[]>({
          type: ['string', 'array'],
          items: { type: 'string' },
          minLength: 1,
          maxItems: MAX_DELETED_KEYS,
          title: 'Keys',
          description: 'A key, or a list of keys. Either keys or filter is required.',
        }),
      ),
      filter: conditions,
    },
    { title: 'Delete documents', ...output(Type.Object({ deleted: Type.Integer() })) },
  ),
]);
type Condition = { field: string; operator: string; value: Json };
type Config = {
  operation: 'upsert' | 'query' | 'delete';
  collection: string;
  model: string;
  documents: Json;
  embeddings: Json;
  embedding: Json;
  filter?: Condition[];
  limit?: number;
  minScore?: number;
  keys?: string | string[];
};

export const vectorStore = defineNode({
  type: 'vector_store',
  version: '1.0.0',
  name: 'Vector store',
  category: 'ai',
  description:
    'Stores documents with their embeddings in a collection, finds those that are similar to a question, and deletes them. Matches have a score, the text and its source.',
  icon: 'library-big',
  keywords: [
    'rag',
    'retrieval',
    'semantic search',
    'knowledge base',
    'embeddings',
    'pgvector',
    'similarity',
    'vector database',
  ],
  config: VectorStoreConfig,
  templates: { operation: 'literal', 'filter.*.operator': 'literal' },
  outputs: [{ name: 'out', type: 'object', description: '{stored}, {matches} or {deleted}' }],
  effects: 'external',
  timeout: 120_000,
  check: checkConfig,
  async run(ctx, given) {
    const config = given as Config;
    try {
      const [problem] = checkConfig(config as unknown as JsonObject);
      if (problem !== undefined) throw new DataError(problem.field, problem.issue);
      return await runOperation(ctx, config);
    } catch (error) {
      return toFailure(error);
    }
  },
  examples: [
    {
      title: 'Store the chunks of a text',
      config: {
        operation: 'upsert',
        collection: 'handbook',
        model: 'text-embedding-3-small',
        documents: '{{ input.chunks }}',
        embeddings: '{{ input.embeddings }}',
      },
      input: {
        chunks: [{ key: 'returns#1', text: 'Orders can be returned within 30 days.', source: 'returns' }],
        embeddings: [[0.12, -0.4, 0.9]],
      },
      outputs: { out: { stored: 1 } },
    },
    {
      title: 'Find what a question is about',
      config: {
        operation: 'query',
        collection: 'handbook',
        model: 'text-embedding-3-small',
        embedding: '{{ input.embedding }}',
        filter: [{ field: 'language', operator: 'equals', value: 'en' }],
        limit: 3,
      },
      input: { embedding: [0.1, -0.3, 0.8] },
      outputs: {
        out: {
          matches: [
            {
              key: 'returns#1',
              score: 0.99,
              text: 'Orders can be returned within 30 days.',
              source: 'returns',
              metadata: { language: 'en' },
            },
          ],
        },
      },
    },
    {
      title: 'Delete all chunks of a source',
      config: {
        operation: 'delete',
        collection: 'handbook',
        filter: [{ field: 'source', operator: 'equals', value: '{{ input.url }}' }],
      },
      input: { url: 'https://example.com/returns' },
      outputs: { out: { deleted: 12 } },
    },
  ],
});

async function runOperation(ctx: NodeContext, config: Config): Promise<Outcome> {
  const { collection: name, model: ofModel } = config;
  switch (config.operation) {
    case 'upsert': {
      const documents = readDocuments(config.documents, config.embeddings);
      const result = await ctx.vectors.upsert(name, ofModel, documents);
      return result.kind === 'refused' ? toRefusal(result) : done({ stored: result.stored });
    }
    case 'query': {
      const result = await ctx.vectors.query(name, ofModel, {
        embedding: readEmbedding('embedding', config.embedding),
        conditions: (config.filter ?? []).map(readCondition),
        limit: config.limit ?? DEFAULT_MATCHES,
      });
      if (result.kind === 'refused') return toRefusal(result);
      const { minScore = -1 } = config;
      const matches = result.matches.filter(({ score }) => score >= minScore);
      return done({ matches: matches.map((match) => ({ ...match })) });
    }
    default: {
      const { keys, filter = [] } = config;
      const which = keys === undefined ? { conditions: filter.map(readCondition) } : { keys: [keys].flat() };
      return done({ deleted: await ctx.vectors.remove(name, which) });
    }
  }
}

function toRefusal({ type, field, issue }: VectorRefusal): Outcome {
  return toFailure(new DataError(field, issue, type));
}

function checkConfig({ operation, keys, filter }: JsonObject): FieldError[] {
  if (operation !== 'delete') return [];
  if (keys === undefined && filter === undefined) return [{ field: 'keys', issue: 'must be set, or filter' }];
  if (keys !== undefined && filter !== undefined)
    return [{ field: 'filter', issue: 'must not be set with keys' }];
  return [];
}

const isValue = (value: Json): value is FilterValue => ['string', 'number', 'boolean'].includes(typeof value);

function readCondition({ field, operator, value }: Condition, index: number): VectorCondition {
  const at = `filter[${index}].value`;
  if (operator === 'equals') {
    if (!isValue(value)) throw new DataError(at, 'must be a text, a number or a boolean');
    return { field, operator: 'in', values: [value] };
  }
  if (operator === 'in') {
    if (
      !Array.isArray(value) ||
      value.length === 0 ||
      value.length > MAX_FILTER_VALUES ||
      !value.every(isValue)
    )
      throw new DataError(at, `must be a list of 1 to ${MAX_FILTER_VALUES} texts, numbers and booleans`);
    return { field, operator: 'in', values: value };
  }
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new DataError(at, 'must be a text or a number');
  const range = rangeOperators.find((name) => name === operator);
  if (range === undefined) throw new DataError(`filter[${index}].operator`, 'is not an operator');
  return { field, operator: range, value };
}
