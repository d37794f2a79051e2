import { Type } from 'typebox';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed, oneOfTexts } from '../../schema.ts';
import { DataError, toFailure } from '../data-error.ts';
import { itemsField, readItems, type Items } from '../items.ts';

export const limit = defineNode({
  type: 'limit',
  version: '1.0.0',
  name: 'Limit',
  category: 'data',
  description: 'Keeps the first or the last items of a list.',
  icon: 'list-end',
  keywords: ['first items', 'last items', 'top', 'take', 'head', 'tail', 'slice', 'maximum'],
  config: closed({
    count: Type.Integer({ minimum: 0, description: 'Maximum number of items to keep.' }),
    from: Type.Optional(
      oneOfTexts(['start', 'end'], { default: 'start', description: 'Which end of the list to keep.' }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: 'How many items to skip at that end.' }),
    ),
    items: itemsField(),
  }),
  templates: { from: 'literal' },
  outputs: [{ name: 'out', type: 'array', description: 'The items in their original order' }],
  effects: 'none',
  run(_ctx, config, input) {
    let items: Items;
    try {
      items = readItems(config.items, input);
    } catch (error) {
      if (error instanceof DataError) return toFailure(error);
      throw error;
    }
    const { list } = items;
    const { count, from, offset = 0 } = config;
    const end = from === 'end' ? Math.max(0, list.length - offset) : offset + count;
    return done(list.slice(from === 'end' ? Math.max(0, end - count) : offset, end));
  },
  examples: [
    {
      title: 'First two items',
      config: { count: 2 },
      input: ['a', 'b', 'c'],
      outputs: { out: ['a', 'b'] },
    },
    {
      title: 'Second page of ten items',
      config: { count: 10, offset: '{{ input.page * 10 }}', items: 'rows' },
      input: { page: 1, rows: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
      outputs: { out: [10, 11] },
    },
    {
      title: 'Last item',
      config: { count: 1, from: 'end' },
      input: ['a', 'b', 'c'],
      outputs: { out: ['c'] },
    },
  ],
});
