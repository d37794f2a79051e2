import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { PathError, walk, writePath } from '../../lib/json/json-path.ts';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { pathOf } from '../path-cache.ts';
import { closed, inputPath, oneOfTexts } from '../schema.ts';
import { DataFault } from './data-error.ts';
import { fieldPathFault, withoutPath } from './field-edit.ts';
import { kindOf, objectAt, placeOf, subjectField, subjectsOf } from './items.ts';
import { each, paced, type Work } from './time-slice.ts';
import { Weight } from './output-size-limit.ts';

const SplitConfig = closed({
  field: inputPath({ description: 'The field that holds the list.' }),
  as: Type.Optional(
    inputPath({ description: 'Where each element goes in its item; without it, in the place of the list.' }),
  ),
  mode: Type.Optional(
    oneOfTexts(['keep', 'only'], {
      default: 'keep',
      description: 'Whether the other fields are kept in every item, or the elements alone are the items.',
    }),
  ),
  items: subjectField(),
});
type SplitConfig = Static<typeof SplitConfig>;

export const split = defineNode({
  type: 'split',
  version: '1.0.0',
  name: 'Split out',
  category: 'data',
  description:
    'Makes an item of each element of a list in a field, with the other fields beside it. An empty list, or null, gives no item.',
  icon: 'ungroup',
  config: SplitConfig,
  templates: { field: 'literal', as: 'literal', mode: 'literal' },
  outputs: [{ name: 'out', type: 'array', description: 'The items' }],
  effects: 'none',
  check: ({ field, as, mode }): FieldError[] => {
    if (as !== undefined && mode === 'only')
      return [{ field: 'as', issue: 'has no meaning with the mode only, where the elements are the items' }];
    return [
      fieldPathFault('field', field as string),
      as === undefined ? null : fieldPathFault('as', as as string),
    ].filter((fault) => fault !== null);
  },
  run: (ctx, config, input) => paced(ctx, work(config as SplitConfig, input)),
  examples: [
    {
      title: 'The lines of orders',
      config: { field: 'lines', as: 'line' },
      input: [
        { order: 1, lines: [{ sku: 'A' }, { sku: 'B' }] },
        { order: 2, lines: [{ sku: 'C' }] },
        { order: 3, lines: [] },
      ],
      outputs: {
        out: [
          { order: 1, line: { sku: 'A' } },
          { order: 1, line: { sku: 'B' } },
          { order: 2, line: { sku: 'C' } },
        ],
      },
    },
    {
      title: 'The elements alone',
      config: { field: 'data.rows', mode: 'only' },
      input: { data: { rows: [{ id: 1 }, { id: 2 }] }, page: 1 },
      outputs: { out: [{ id: 1 }, { id: 2 }] },
    },
    {
      title: 'A field that holds no list',
      config: { field: 'tags' },
      input: [{ tags: ['a'] }, { tags: 'b, c' }],
      failure: 'validation',
    },
  ],
});

function* work(config: SplitConfig, input: Json): Work {
  const subjects = subjectsOf(config.items, input);
  const path = pathOf(config.field);
  const target = pathOf(config.as ?? config.field);
  const weight = new Weight();
  const results: Json[] = [];
  for (let index = 0; index < subjects.list.length; index++) {
    const parent = objectAt(subjects, index);
    const value = walk(path.steps, parent);
    const at = placeOf(subjects, index, config.field);
    if (value === null) continue;
    if (!Array.isArray(value)) throw new DataFault(at, `takes a list, and is ${kindOf(value)}`);
    if (config.mode === 'only') {
      yield* each(value, (element) => void results.push(element), 1024);
      continue;
    }
    try {
      const others = withoutPath(path, { ...parent });
      yield* each(value, (element) => {
        // The other fields come once more with every element.
        weight.add(others);
        // A field in the place of the list stays there, in front of those behind it.
        const item = config.as === undefined ? { ...parent } : { ...others };
        writePath(target, item, element);
        results.push(item);
      });
    } catch (error) {
      if (error instanceof PathError) throw new DataFault(at, error.message);
      throw error;
    }
    // Empty lists cost time, too.
    if (index % 64 === 0) yield;
  }
  return done(results);
}
