import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { appendKey } from '../../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { compileRegex, RegexError } from '../../../lib/text/regex.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed, inputPath, mapOf } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { validateFieldPath } from './field-edit.ts';
import { toOutput, readObject, formatLocation, subjectField, readSubjects } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';
import { createPatternRenamer, planRenames, renameFields, renameKeys } from './rename-fields.ts';

const RenameConfig = closed({
  fields: Type.Optional(
    mapOf(inputPath(), {
      minProperties: 1,
      maxProperties: 1000,
      description:
        'The new path of each field by its old path: {"mail": "email", "name": "customer.name"}. Missing fields are ignored.',
    }),
  ),
  pattern: Type.Optional(
    closed(
      {
        match: Type.String({
          minLength: 1,
          description: 'A regular expression without lookaround and backreferences.',
        }),
        replace: Type.String({
          maxLength: 1000,
          description: 'The replacement for each match in a name; $1 is the first group.',
        }),
        deep: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Whether to rename fields of nested objects and lists too.',
          }),
        ),
      },
      { description: 'Renames every field whose name matches, after fields has been applied.' },
    ),
  ),
  items: subjectField(),
});
type RenameConfig = Static<typeof RenameConfig>;

export const rename = defineNode({
  type: 'rename',
  version: '1.0.0',
  name: 'Rename fields',
  category: 'data',
  description:
    'Renames fields of an object, or of each object in a list, or moves them to another path. The node fails if the new name already exists.',
  icon: 'replace',
  keywords: ['rename keys', 'move field', 'edit fields', 'key', 'column'],
  config: RenameConfig,
  templates: { fields: 'literal', pattern: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object or list with the new names' }],
  effects: 'none',
  check: validateRename,
  run: (ctx, config, input) => runPaced(ctx, work(config as RenameConfig, input)),
  examples: [
    {
      title: 'Rename a field and move another',
      config: { fields: { mail: 'email', first_name: 'name.first' } },
      input: [{ id: 1, mail: 'ada@example.com', first_name: 'Ada' }, { id: 2 }],
      outputs: { out: [{ id: 1, email: 'ada@example.com', name: { first: 'Ada' } }, { id: 2 }] },
    },
    {
      title: 'Remove a prefix at every level',
      config: { pattern: { match: '^crm_(.+)$', replace: '$1', deep: true } },
      input: { crm_id: 7, crm_owner: { crm_name: 'Ada' } },
      outputs: { out: { id: 7, owner: { name: 'Ada' } } },
    },
    {
      title: 'A name that already exists',
      config: { fields: { a: 'b' } },
      input: { a: 1, b: 2 },
      failure: 'validation',
    },
  ],
});

function* work({ items, fields = {}, pattern }: RenameConfig, input: Json): Work {
  const subjects = readSubjects(items, input);
  const plan = planRenames(fields);
  const to = pattern === undefined ? null : createPatternRenamer(pattern.match, pattern.replace);
  const results: Json[] = [];
  yield* forEachPaced(
    subjects.list,
    (_, index) => {
      const object = readObject(subjects, index);
      try {
        const result = renameFields(object, plan);
        results.push(to === null ? result : renameKeys(result, to, pattern?.deep === true));
      } catch (error) {
        if (error instanceof DataError)
          throw new DataError(formatLocation(subjects, index, error.field), error.message);
        throw error;
      }
    },
    16,
  );
  return done(toOutput(subjects, results));
}

function validateRename({ fields, pattern }: JsonObject): FieldError[] {
  if (fields === undefined && pattern === undefined)
    return [{ field: 'fields', issue: 'at least one of fields and pattern must be set' }];
  const errors: (FieldError | null)[] = [];
  const seen = new Set<string>();
  for (const [old, next] of Object.entries(isObject(fields) ? fields : {})) {
    const at = appendKey('fields', old);
    errors.push(validateFieldPath(at, old), validateFieldPath(at, next as string));
    if (seen.has(next as string))
      errors.push({ field: at, issue: `must not be the new name of two fields (${next as string})` });
    seen.add(next as string);
  }
  if (isObject(pattern)) errors.push(validatePattern(pattern['match'] as string));
  return errors.filter((problem) => problem !== null);
}

function validatePattern(match: string): FieldError | null {
  try {
    compileRegex(match);
    return null;
  } catch (error) {
    if (error instanceof RegexError) return { field: 'pattern.match', issue: error.message };
    throw error;
  }
}
