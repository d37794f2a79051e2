import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Fault } from '../../contract/errors.ts';
import { PathError, walk, writePath } from '../../lib/json-path.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { closed, inputPath, oneOfTexts } from '../schema.ts';
import { DataFault } from './data-fault.ts';
import { fieldPathFault, removePath } from './field-edit.ts';
import { given, objectAt, pathsOf, placeOf, subjectField, subjectsOf } from './items.ts';
import { each, paced, type Work } from './pace.ts';

const PickConfig = closed({
  fields: Type.Array(inputPath(), { minItems: 1, maxItems: 1000, description: 'The fields, as paths.' }),
  mode: Type.Optional(
    oneOfTexts(['keep', 'remove'], {
      default: 'keep',
      description: 'Whether only these fields are kept, or all but these.',
    }),
  ),
  items: subjectField(),
});
type PickConfig = Static<typeof PickConfig>;

export const pick = defineNode({
  type: 'pick',
  version: '1.0.0',
  name: 'Pick fields',
  category: 'data',
  description:
    'Keeps or removes fields of an object, or of each object of a list. A field that is not there is passed over.',
  icon: 'list-filter',
  config: PickConfig,
  templates: { fields: 'literal', mode: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object, or the list, with what is left' }],
  effects: 'none',
  check: ({ fields }): Fault[] =>
    (fields as string[]).flatMap((path, i) => fieldPathFault(`fields[${i}]`, path) ?? []),
  run: (ctx, config, input) => paced(ctx, work(config as PickConfig, input)),
  examples: [
    {
      title: 'Only what others may see',
      config: { fields: ['id', 'customer.name'] },
      input: [{ id: 1, customer: { name: 'Ada', email: 'ada@example.com' } }, { id: 2 }],
      outputs: { out: [{ id: 1, customer: { name: 'Ada' } }, { id: 2 }] },
    },
    {
      title: 'Without a field',
      config: { fields: ['customer.email', 'note'], mode: 'remove' },
      input: { id: 1, customer: { name: 'Ada', email: 'ada@example.com' } },
      outputs: { out: { id: 1, customer: { name: 'Ada' } } },
    },
  ],
});

function* work(config: PickConfig, input: Json): Work {
  const subjects = subjectsOf(config.items, input);
  const paths = pathsOf(config.fields);
  const results: Json[] = [];
  yield* each(
    subjects.list,
    (_, index) => {
      const old = objectAt(subjects, index);
      const result: JsonObject = config.mode === 'remove' ? { ...old } : {};
      for (const path of paths) {
        try {
          if (config.mode === 'remove') removePath(path, result);
          else {
            const value = walk(path.steps, old);
            if (value !== undefined) writePath(path, result, value);
          }
        } catch (error) {
          if (error instanceof PathError)
            throw new DataFault(placeOf(subjects, index, path.text), error.message);
          throw error;
        }
      }
      results.push(result);
    },
    16,
  );
  return done(given(subjects, results));
}
