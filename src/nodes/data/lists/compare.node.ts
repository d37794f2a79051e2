import { Type } from 'typebox';
import type { Static } from 'typebox';
import { isJsonEqual } from '../../../lib/json/json-equal.ts';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { closed, inputPath } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { createEqualityKey } from '../equality-key.ts';
import { readItems, describeType, formatLocation, createReader, type Items } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';

const list = (description: string) =>
  Type.Unsafe<string | Json[]>({ type: ['string', 'array'], format: 'weft-path', description });

const CompareConfig = closed({
  before: list('The old list: a path in the input, or a template such as {{ nodes.stored.rows }}.'),
  after: list('The new list.'),
  by: Type.Array(inputPath(), {
    minItems: 1,
    maxItems: 20,
    description: 'The fields that identify an item in both lists. They must be unique within each list.',
  }),
  fields: Type.Optional(
    Type.Array(inputPath(), {
      minItems: 1,
      maxItems: 1000,
      description: 'The fields to compare. Default: all fields.',
    }),
  ),
});
type CompareConfig = Static<typeof CompareConfig>;
type Reader = (item: Json) => Json | undefined;

export const compare = defineNode({
  type: 'compare',
  version: '1.0.0',
  name: 'Compare',
  category: 'data',
  description:
    'Compares two lists of objects by key and returns the added, removed, changed and unchanged items.',
  icon: 'git-compare',
  keywords: ['diff', 'difference', 'changes', 'changed items', 'match lists', 'sync'],
  config: CompareConfig,
  templates: { by: 'literal', fields: 'literal' },
  outputs: [
    { name: 'added', type: 'array', description: 'Items that are only in after' },
    { name: 'removed', type: 'array', description: 'Items that are only in before' },
    {
      name: 'changed',
      type: 'array',
      description: '{before, after} of each item that is in both lists and differs',
    },
    { name: 'same', type: 'array', description: 'Unchanged items, taken from after' },
  ],
  effects: 'none',
  run: (ctx, config, input) => runPaced(ctx, work(config, input)),
  examples: [
    {
      title: 'Preview the changes of an import',
      config: { before: 'stored', after: 'imported', by: ['sku'] },
      input: {
        stored: [
          { sku: 'A', price: 1 },
          { sku: 'B', price: 2 },
          { sku: 'C', price: 3 },
        ],
        imported: [
          { sku: 'D', price: 4 },
          { sku: 'B', price: 2 },
          { sku: 'A', price: 5 },
        ],
      },
      outputs: {
        added: [{ sku: 'D', price: 4 }],
        removed: [{ sku: 'C', price: 3 }],
        changed: [{ before: { sku: 'A', price: 1 }, after: { sku: 'A', price: 5 } }],
        same: [{ sku: 'B', price: 2 }],
      },
    },
    {
      title: 'Compare only the price',
      config: { before: 'stored', after: 'imported', by: ['sku'], fields: ['price'] },
      input: { stored: [{ sku: 'A', price: 1, seen: 1 }], imported: [{ sku: 'A', price: 1, seen: 2 }] },
      outputs: { added: [], removed: [], changed: [], same: [{ sku: 'A', price: 1, seen: 2 }] },
    },
    {
      title: 'A duplicate key',
      config: { before: 'a', after: 'b', by: ['id'] },
      input: { a: [], b: [{ id: 1 }, { id: 1 }] },
      failure: 'validation',
    },
  ],
});

function* work(config: CompareConfig, input: Json): Work {
  const before = readItems(config.before, input, 'before');
  const after = readItems(config.after, input, 'after');
  const keys = config.by.map(createReader);
  const fields = config.fields?.map(createReader) ?? [createReader(undefined)];
  const old = yield* byKey(before, keys, config.by);
  const fresh = yield* byKey(after, keys, config.by);
  const added: Json[] = [];
  const removed: Json[] = [];
  const changed: Json[] = [];
  const same: Json[] = [];
  yield* forEachPaced(
    [...fresh],
    ([key, index]) => {
      const now = after.list[index] as Json;
      const known = old.get(key);
      if (known === undefined) added.push(now);
      else {
        const then = before.list[known] as Json;
        if (fields.every((read) => isEqual(read(then), read(now)))) same.push(now);
        else changed.push({ before: then, after: now });
      }
    },
    16,
  );
  yield* forEachPaced([...old], ([key, index]) => {
    if (!fresh.has(key)) removed.push(before.list[index] as Json);
  });
  return { kind: 'done', outputs: { added, removed, changed, same } };
}

/** A missing value equals null, as in the key. */
function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return isJsonEqual(a ?? null, b ?? null);
}

/** Maps each key to its index in a list. @throws {DataError} if a key is missing or not unique. */
function* byKey(
  items: Items,
  readers: readonly Reader[],
  paths: readonly string[],
): Generator<undefined, Map<string, number>> {
  const positions = new Map<string, number>();
  yield* forEachPaced(
    items.list,
    (item, index) => {
      const values = readers.map((read) => read(item) ?? null);
      const missing = values.findIndex((value) => value === null || typeof value === 'object');
      if (missing >= 0)
        throw new DataError(
          formatLocation(items, index, paths[missing]),
          `must be a string, number or boolean to be used as a key, not ${describeType(values[missing])}`,
        );
      const key = values.map(createEqualityKey).join('');
      const first = positions.get(key);
      if (first !== undefined)
        throw new DataError(
          formatLocation(items, index),
          `must not have the same ${paths.join(', ')} as ${formatLocation(items, first)}`,
        );
      positions.set(key, index);
    },
    16,
  );
  return positions;
}
