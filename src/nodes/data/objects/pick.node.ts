import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { PathError, walk, writePath, type JsonPath } from '../../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed, inputPath, oneOfTexts } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { validateFieldPath, withoutKeys, withoutPath } from './field-edit.ts';
import { toOutput, readObject, compilePaths, formatLocation, subjectField, readSubjects } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';

const PickConfig = closed({
  fields: Type.Array(inputPath(), { minItems: 1, maxItems: 1000, description: 'The paths of the fields.' }),
  mode: Type.Optional(
    oneOfTexts(['keep', 'remove'], {
      default: 'keep',
      description: 'keep keeps only these fields; remove removes them.',
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
    'Keeps or removes fields of an object, or of each object in a list. Missing fields are ignored.',
  icon: 'list-filter',
  keywords: [
    'select fields',
    'keep fields',
    'remove fields',
    'delete field',
    'omit',
    'choose',
    'whitelist',
    'edit fields',
  ],
  config: PickConfig,
  templates: { fields: 'literal', mode: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object or list with the remaining fields' }],
  effects: 'none',
  check: ({ fields }): FieldError[] =>
    (fields as string[]).flatMap((path, i) => validateFieldPath(`fields[${i}]`, path) ?? []),
  run: (ctx, config, input) => runPaced(ctx, work(config as PickConfig, input)),
  examples: [
    {
      title: 'Keep only public fields',
      config: { fields: ['id', 'customer.name'] },
      input: [{ id: 1, customer: { name: 'Ada', email: 'ada@example.com' } }, { id: 2 }],
      outputs: { out: [{ id: 1, customer: { name: 'Ada' } }, { id: 2 }] },
    },
    {
      title: 'Remove a field',
      config: { fields: ['customer.email', 'note'], mode: 'remove' },
      input: { id: 1, customer: { name: 'Ada', email: 'ada@example.com' } },
      outputs: { out: { id: 1, customer: { name: 'Ada' } } },
    },
  ],
});

function* work(config: PickConfig, input: Json): Work {
  const subjects = readSubjects(config.items, input);
  const paths = compilePaths(config.fields);
  const change = config.mode === 'remove' ? createRemover(paths) : createKeeper(paths);
  const results: Json[] = [];
  yield* forEachPaced(
    subjects.list,
    (_, index) => {
      try {
        results.push(change(readObject(subjects, index)));
      } catch (error) {
        if (error instanceof PathError) throw new DataError(formatLocation(subjects, index), error.message);
        throw error;
      }
    },
    16,
  );
  return done(toOutput(subjects, results));
}

function createKeeper(paths: readonly JsonPath[]): (object: JsonObject) => JsonObject {
  return (object) => {
    const result: JsonObject = {};
    for (const path of paths) {
      const value = walk(path.steps, object);
      if (value !== undefined) writePath(path, result, value);
    }
    return result;
  };
}

function createRemover(paths: readonly JsonPath[]): (object: JsonObject) => JsonObject {
  const keys = new Set(paths.flatMap(({ steps }) => (steps.length === 1 ? [steps[0]!.key] : [])));
  const inner = paths.filter(({ steps }) => steps.length > 1);
  return (object) => inner.reduce((result, path) => withoutPath(path, result), withoutKeys(object, keys));
}
