import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed, inputPath, oneOfTexts } from '../../schema.ts';
import { createEqualityKey } from '../equality-key.ts';
import { itemsField, readItems, createReader } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';

const RemoveDuplicatesConfig = closed({
  by: Type.Optional(
    Type.Array(inputPath(), {
      minItems: 1,
      maxItems: 100,
      description: 'The fields to compare; a missing field counts as null. Default: the whole items.',
    }),
  ),
  keep: Type.Optional(
    oneOfTexts(['first', 'last'], { default: 'first', description: 'Which of the duplicates to keep.' }),
  ),
  items: itemsField(),
});
type RemoveDuplicatesConfig = Static<typeof RemoveDuplicatesConfig>;

export const removeDuplicates = defineNode({
  type: 'remove_duplicates',
  version: '1.0.0',
  name: 'Remove duplicates',
  category: 'data',
  description: 'Removes duplicate items from a list. The remaining items keep their order.',
  icon: 'copy-minus',
  keywords: ['unique', 'dedupe', 'deduplicate', 'distinct'],
  config: RemoveDuplicatesConfig,
  templates: { by: 'literal', keep: 'literal' },
  outputs: [{ name: 'out', type: 'array', description: 'The items without duplicates' }],
  effects: 'none',
  run: (ctx, config, input) => runPaced(ctx, work(config, input)),
  examples: [
    {
      title: 'Keep the newest item per address',
      config: { by: ['email'], keep: 'last' },
      input: [
        { email: 'ada@example.com', name: 'Ada' },
        { email: 'bob@example.com', name: 'Bob' },
        { email: 'ada@example.com', name: 'Ada L.' },
      ],
      outputs: {
        out: [
          { email: 'bob@example.com', name: 'Bob' },
          { email: 'ada@example.com', name: 'Ada L.' },
        ],
      },
    },
    {
      title: 'Compare whole items, regardless of the order of their fields',
      config: {},
      input: [{ a: 1, b: [2] }, { b: [2], a: 1 }, 1, '1', 1],
      outputs: { out: [{ a: 1, b: [2] }, 1, '1'] },
    },
  ],
});

function* work(config: RemoveDuplicatesConfig, input: Json): Work {
  const { list } = readItems(config.items, input);
  const readers = config.by?.map(createReader) ?? [createReader(undefined)];
  /** The index of the kept item by identity. */
  const positions = new Map<string, number>();
  yield* forEachPaced(
    list,
    (item, index) => {
      const key = readers.map((read) => createEqualityKey(read(item))).join('');
      if (config.keep === 'last' || !positions.has(key)) positions.set(key, index);
    },
    16,
  );
  const kept = new Set(positions.values());
  return done(list.filter((_, index) => kept.has(index)));
}
