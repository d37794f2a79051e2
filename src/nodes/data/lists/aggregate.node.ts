import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { appendKey, PathError, writePath } from '../../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { compileCachedPath } from '../../path-cache.ts';
import { closed, inputPath, mapOf, tagged } from '../../schema.ts';
import { createAggregator, type AggregateField, type Aggregator } from './aggregate-function.ts';
import { DataError } from '../data-error.ts';
import { validateFieldPath } from '../objects/field-edit.ts';
import { createEqualityKey } from '../equality-key.ts';
import { itemsField, readItems, formatLocation, createReader } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';

const description =
  'The path of the value in each item. Missing values and null are skipped. Optional for count, count_unique, first, last and list, which then use the whole item.';
const field = inputPath({ description });
const anyField = Type.Optional(inputPath({ description }));

const Calculation = tagged('operation', [
  closed({
    operation: Type.Literal('count'),
    field: anyField,
  }),
  closed({ operation: Type.Literal('count_unique'), field: anyField }),
  closed({ operation: Type.Literal('sum'), field }),
  closed({ operation: Type.Literal('average'), field }),
  closed({ operation: Type.Literal('min'), field }),
  closed({ operation: Type.Literal('max'), field }),
  closed({ operation: Type.Literal('first'), field: anyField }),
  closed({ operation: Type.Literal('last'), field: anyField }),
  closed({
    operation: Type.Literal('list'),
    field: anyField,
    unique: Type.Optional(Type.Boolean({ default: false, description: 'Include each value only once.' })),
  }),
  closed({
    operation: Type.Literal('join'),
    field,
    separator: Type.Optional(Type.String({ default: ', ', maxLength: 1000 })),
  }),
]);

const AggregateConfig = closed({
  groupBy: Type.Optional(
    Type.Array(inputPath(), {
      minItems: 1,
      maxItems: 20,
      description:
        'The paths to group by: items with the same values form a group. Default: one group of all items, and one object as the result.',
    }),
  ),
  fields: mapOf(Calculation, {
    minProperties: 1,
    maxProperties: 100,
    description: 'The calculations by result field: {"total": {"operation": "sum", "field": "price"}}.',
  }),
  items: itemsField(),
});
type AggregateConfig = Static<typeof AggregateConfig>;
type Group = { keys: Json[]; gatherers: Aggregator[] };

export const aggregate = defineNode({
  type: 'aggregate',
  version: '1.0.0',
  name: 'Aggregate',
  category: 'data',
  description:
    'Calculates counts, sums, averages, lists and more over the items of a list, for all items or per group. Groups are in the order of their first items.',
  icon: 'sigma',
  keywords: [
    'sum',
    'count',
    'average',
    'total',
    'group by',
    'minimum',
    'maximum',
    'statistics',
    'summarize',
    'reduce',
    'pivot',
  ],
  config: AggregateConfig,
  templates: { groupBy: 'literal', fields: 'literal' },
  outputs: [
    {
      name: 'out',
      type: 'any',
      description: 'The result object; with groupBy a list of objects that include the values of the group',
    },
  ],
  effects: 'none',
  check: validateResults,
  run: (ctx, config, input) => runPaced(ctx, work(config as AggregateConfig, input)),
  examples: [
    {
      title: 'Sales by country',
      config: {
        groupBy: ['country'],
        fields: {
          orders: { operation: 'count' },
          total: { operation: 'sum', field: 'price' },
          names: { operation: 'join', field: 'customer.name', separator: '; ' },
        },
      },
      input: [
        { country: 'DE', price: 10, customer: { name: 'Ada' } },
        { country: 'FR', price: 5, customer: { name: 'Bob' } },
        { country: 'DE', price: 2.5, customer: { name: 'Cem' } },
      ],
      outputs: {
        out: [
          { country: 'DE', orders: 2, total: 12.5, names: 'Ada; Cem' },
          { country: 'FR', orders: 1, total: 5, names: 'Bob' },
        ],
      },
    },
    {
      title: 'One result for all items; missing values are skipped',
      config: {
        items: 'rows',
        fields: {
          'price.lowest': { operation: 'min', field: 'price' },
          'price.average': { operation: 'average', field: 'price' },
          tags: { operation: 'list', field: 'tag', unique: true },
        },
      },
      input: { rows: [{ price: 4, tag: 'a' }, { price: 2, tag: 'a' }, { price: null, tag: 'b' }, {}] },
      outputs: { out: { price: { lowest: 2, average: 3 }, tags: ['a', 'b'] } },
    },
    {
      title: 'A string instead of a number',
      config: { fields: { total: { operation: 'sum', field: 'price' } } },
      input: [{ price: 1 }, { price: '2' }],
      failure: 'validation',
    },
  ],
});

function* work(config: AggregateConfig, input: Json): Work {
  const items = readItems(config.items, input);
  const paths = config.groupBy ?? [];
  const keyReaders = paths.map(createReader);
  const specs = Object.entries(config.fields) as [string, AggregateField][];
  const readers = specs.map(([, spec]) => createReader(spec.field));
  const weight = new OutputSizeLimit();
  const groups = new Map<string, Group>();
  const getOrCreateGroup = (keys: Json[]): Group => {
    const name = keys.map(createEqualityKey).join('');
    let group = groups.get(name);
    if (group === undefined) {
      group = { keys, gatherers: specs.map(([, spec]) => createAggregator(spec)) };
      groups.set(name, group);
    }
    return group;
  };
  // Without groups there is always one result, even for an empty list.
  if (paths.length === 0) getOrCreateGroup([]);
  yield* forEachPaced(
    items.list,
    (item, index) => {
      const { gatherers } = getOrCreateGroup(keyReaders.map((read) => read(item) ?? null));
      for (const [k, gatherer] of gatherers.entries()) {
        const spec = specs[k]![1];
        const value = readers[k]!(item);
        if (value === undefined || (value === null && !usesWholeItems(spec))) continue;
        if (spec.operation === 'list') weight.add(value);
        const issue = gatherer.add(value);
        if (issue !== null) throw new DataError(formatLocation(items, index, spec.field), issue);
      }
    },
    16,
  );
  const results: JsonObject[] = [];
  yield* forEachPaced([...groups.values()], (group) => void results.push(buildResult(group, paths, specs)));
  return done(paths.length === 0 ? (results[0] ?? {}) : results);
}

/** Whether the operation uses whole items, including null. */
function usesWholeItems(spec: AggregateField): boolean {
  return spec.field === undefined;
}

function buildResult(
  group: Group,
  paths: readonly string[],
  specs: readonly [string, AggregateField][],
): JsonObject {
  const result: JsonObject = {};
  for (const [i, path] of paths.entries()) setResult(result, path, group.keys[i] ?? null, `groupBy[${i}]`);
  for (const [i, [path]] of specs.entries())
    setResult(result, path, group.gatherers[i]!.result(), appendKey('fields', path));
  return result;
}

function setResult(result: JsonObject, path: string, value: Json, at: string): void {
  try {
    writePath(compileCachedPath(path), result, value);
  } catch (error) {
    if (error instanceof PathError) throw new DataError(at, error.message);
    throw error;
  }
}

function validateResults({ groupBy, fields }: JsonObject): FieldError[] {
  const errors: (FieldError | null)[] = [];
  const paths = Array.isArray(groupBy) ? (groupBy as string[]) : [];
  for (const [i, path] of paths.entries()) errors.push(validateFieldPath(`groupBy[${i}]`, path));
  for (const name of Object.keys(isObject(fields) ? fields : {})) {
    const at = appendKey('fields', name);
    errors.push(validateFieldPath(at, name));
    if (paths.includes(name)) errors.push({ field: at, issue: 'must not be the same as a groupBy field' });
  }
  return errors.filter((problem) => problem !== null);
}
