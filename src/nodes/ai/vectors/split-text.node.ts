import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { DataError } from '../../data/data-error.ts';
import { OutputSizeLimit } from '../../data/output-size-limit.ts';
import { runSlices, toOutcome } from '../../data/time-slice.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed } from '../../schema.ts';
import { ui } from '../../ui-hints.ts';
import { checkMetadata } from './document.ts';

const MAX_TEXT = 4_000_000;
/** Also the number of texts that all providers accept in one call. */
const BATCH = 100;
const DEFAULT_SIZE = 200;
const DEFAULT_OVERLAP = 20;

const SplitTextConfig = closed({
  text: Type.String({
    maxLength: MAX_TEXT,
    title: 'Text',
    ...ui({ order: 1, placeholder: '{{ input.text }}' }),
    description: 'Plain text or Markdown. Paragraphs are separated by blank lines.',
  }),
  source: Type.String({
    minLength: 1,
    // The key of a chunk is longer.
    maxLength: 500,
    title: 'Source',
    ...ui({ order: 2, placeholder: 'https://example.com/handbook' }),
    description:
      'Where the text is from: a URL, a file name, an id. The keys of the chunks begin with it, so the same source replaces its chunks.',
  }),
  metadata: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      title: 'Metadata',
      ...ui({ order: 3 }),
      description: 'Fields that each chunk gets, for filters: texts, numbers, booleans, or lists of them.',
    }),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 500,
      default: DEFAULT_SIZE,
      title: 'Words per chunk',
      ...ui({ order: 4, hint: '' }),
      description:
        'The maximum number of words in a chunk. A letter of a script without spaces, such as Chinese or Japanese, counts as a word.',
    }),
  ),
  overlap: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 250,
      default: DEFAULT_OVERLAP,
      title: 'Overlap',
      ...ui({ order: 5, hint: '' }),
      description: 'How many words at the end of a chunk are repeated at the beginning of the next one.',
    }),
  ),
});
type SplitTextConfig = Static<typeof SplitTextConfig>;

const Chunk = Type.Object({
  key: Type.String(),
  text: Type.String(),
  source: Type.String(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
});

export const splitText = defineNode({
  type: 'split_text',
  version: '1.0.0',
  name: 'Split text',
  category: 'ai',
  description:
    'Splits a text into chunks for a vector store, where possible between paragraphs. The result is {batches, chunks}: lists of at most 100 chunks {key, text, source, metadata}, and the number of all chunks.',
  icon: 'scissors-line-dashed',
  keywords: ['chunk', 'chunks', 'splitter', 'text splitter', 'rag', 'retrieval', 'document', 'passages'],
  config: SplitTextConfig,
  output: Type.Object({ batches: Type.Array(Type.Array(Chunk)), chunks: Type.Integer() }),
  outputs: [{ name: 'out', type: 'object', description: '{batches, chunks}' }],
  effects: 'none',
  check: checkOverlap,
  async run(ctx, config) {
    try {
      const [problem] = checkOverlap(config);
      if (problem !== undefined) throw new DataError(problem.field, problem.issue);
      const { source, metadata = {}, size = DEFAULT_SIZE, overlap = DEFAULT_OVERLAP } = config;
      checkMetadata('metadata', metadata);
      const { splitWords } = await import('./split-words.ts');
      const texts = await runSlices(
        ctx,
        splitWords(config.text, { size, overlap: Math.min(overlap, size / 2) }),
      );
      const limit = new OutputSizeLimit();
      const chunks = texts.map((text, index) => {
        limit.add(metadata);
        return { key: `${source}#${index + 1}`, text, source, metadata };
      });
      const batches = Array.from({ length: Math.ceil(chunks.length / BATCH) }, (_, i) =>
        chunks.slice(i * BATCH, (i + 1) * BATCH),
      );
      return done({ batches, chunks: chunks.length });
    } catch (error) {
      return toOutcome(error);
    }
  },
  examples: [
    {
      title: 'Split a page of a handbook',
      config: {
        text: '{{ input.text }}',
        source: '{{ input.url }}',
        metadata: { language: 'en' },
        size: 12,
        overlap: 0,
      },
      input: {
        url: 'https://example.com/returns',
        text: '# Returns\n\nYou can return an order within 30 days.\n\nWe refund the price within five days after we have received it.',
      },
      outputs: {
        out: {
          batches: [
            [
              {
                key: 'https://example.com/returns#1',
                text: '# Returns\n\nYou can return an order within 30 days.',
                source: 'https://example.com/returns',
                metadata: { language: 'en' },
              },
              {
                key: 'https://example.com/returns#2',
                text: 'We refund the price within five days after we have received it.',
                source: 'https://example.com/returns',
                metadata: { language: 'en' },
              },
            ],
          ],
          chunks: 2,
        },
      },
    },
    {
      title: 'An overlap that is too long',
      config: { text: '{{ input }}', source: 'notes', size: 20, overlap: 15 },
      input: 'Some words',
      failure: 'validation',
    },
  ],
});

function checkOverlap({ size = DEFAULT_SIZE, overlap }: JsonObject | SplitTextConfig): FieldError[] {
  if (typeof size !== 'number' || typeof overlap !== 'number' || overlap * 2 <= size) return [];
  return [
    { field: 'overlap', issue: `must be at most half of the words per chunk: ${Math.floor(size / 2)}` },
  ];
}
