import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { PathError, walk, writePath } from '../../../lib/json/json-path.ts';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { compileCachedPath } from '../../path-cache.ts';
import { closed, inputPath, oneOfTexts } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { validateFieldPath, withoutPath } from '../objects/field-edit.ts';
import { describeType, readObject, formatLocation, subjectField, readSubjects } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';

const SplitConfig = closed({
  field: inputPath({ description: 'The field with the list.' }),
  as: Type.Optional(
    inputPath({ description: 'The field for the element in each item. Default: the field of the list.' }),
  ),
  mode: Type.Optional(
    oneOfTexts(['keep', 'only'], {
      default: 'keep',
      description: 'keep copies the other fields to every item; only returns the elements themselves.',
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
    'Turns each element of a list field into an item of its own, together with the other fields. An empty list or null produces no items.',
  icon: 'ungroup',
  keywords: ['split list', 'explode', 'flatten', 'expand', 'unnest', 'array', 'list', 'items', 'separate'],
  config: SplitConfig,
  templates: { field: 'literal', as: 'literal', mode: 'literal' },
  outputs: [{ name: 'out', type: 'array', description: 'The items' }],
  effects: 'none',
  check: ({ field, as, mode }): FieldError[] => {
    if (as !== undefined && mode === 'only')
      return [{ field: 'as', issue: 'must not be set with mode only' }];
    return [
      validateFieldPath('field', field as string),
      as === undefined ? null : validateFieldPath('as', as as string),
    ].filter((problem) => problem !== null);
  },
  run: (ctx, config, input) => runPaced(ctx, work(config as SplitConfig, input)),
  examples: [
    {
      title: 'Split orders into lines',
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
      title: 'Return only the elements',
      config: { field: 'data.rows', mode: 'only' },
      input: { data: { rows: [{ id: 1 }, { id: 2 }] }, page: 1 },
      outputs: { out: [{ id: 1 }, { id: 2 }] },
    },
    {
      title: 'A field that is not a list',
      config: { field: 'tags' },
      input: [{ tags: ['a'] }, { tags: 'b, c' }],
      failure: 'validation',
    },
  ],
});

function* work(config: SplitConfig, input: Json): Work {
  const subjects = readSubjects(config.items, input);
  const path = compileCachedPath(config.field);
  const target = compileCachedPath(config.as ?? config.field);
  const weight = new OutputSizeLimit();
  const results: Json[] = [];
  for (let index = 0; index < subjects.list.length; index++) {
    const parent = readObject(subjects, index);
    const value = walk(path.steps, parent);
    const at = formatLocation(subjects, index, config.field);
    if (value === null) continue;
    if (!Array.isArray(value)) throw new DataError(at, `must be a list, not ${describeType(value)}`);
    if (config.mode === 'only') {
      yield* forEachPaced(value, (element) => void results.push(element), 1024);
      continue;
    }
    try {
      const others = withoutPath(path, { ...parent });
      yield* forEachPaced(value, (element) => {
        // The other fields are repeated for each element.
        weight.add(others);
        // Replacing the list in place keeps the order of the fields.
        const item = config.as === undefined ? { ...parent } : { ...others };
        writePath(target, item, element);
        results.push(item);
      });
    } catch (error) {
      if (error instanceof PathError) throw new DataError(at, error.message);
      throw error;
    }
    // Empty lists take time too, so yield here.
    if (index % 64 === 0) yield;
  }
  return done(results);
}
