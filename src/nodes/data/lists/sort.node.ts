import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Json } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { closed, inputPath, oneOfTexts } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { itemsField, readItems, describeType, formatLocation, createReader, type Items } from '../items.ts';
import {
  compareKeys,
  COMPARISONS,
  createSortKey,
  describeAccepted,
  type Comparison,
  type SortKey,
} from './sort-key.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';

const SortConfig = closed({
  by: Type.Optional(
    Type.Array(
      closed({
        field: Type.Optional(
          inputPath({ description: 'The path of the value in each item. Default: the item itself.' }),
        ),
        direction: Type.Optional(oneOfTexts(['ascending', 'descending'], { default: 'ascending' })),
        compare: Type.Optional(
          oneOfTexts(COMPARISONS, {
            default: 'auto',
            description:
              'auto compares numbers by value and text alphabetically, numbers first. text compares everything as text. natural compares numbers within text by value (item 2 before item 10). number also converts text to numbers.',
          }),
        ),
      }),
      {
        minItems: 1,
        maxItems: 20,
        description: 'The fields to sort by. Later fields apply where all earlier ones are equal.',
      },
    ),
  ),
  items: itemsField(),
});
type SortConfig = Static<typeof SortConfig>;
type Key = { field: string | undefined; sign: 1 | -1; compare: Comparison };

export const sort = defineNode({
  type: 'sort',
  version: '1.0.0',
  name: 'Sort',
  category: 'data',
  description:
    'Sorts a list by one or more fields. Items whose field is missing or null come last in either direction. Equal items keep their order.',
  icon: 'arrow-down-a-z',
  keywords: ['order by', 'order', 'ascending', 'descending', 'rank', 'alphabetical'],
  config: SortConfig,
  templates: { 'by.*.field': 'literal' },
  outputs: [{ name: 'out', type: 'array', description: 'The sorted items' }],
  effects: 'none',
  run: (ctx, config, input) => runPaced(ctx, work(config as SortConfig, input)),
  examples: [
    {
      title: 'Sort by price descending, then by name',
      config: { by: [{ field: 'price', direction: 'descending' }, { field: 'name' }], items: 'products' },
      input: {
        products: [
          { name: 'pen', price: 2 },
          { name: 'ink', price: 9 },
          { name: 'cup', price: 9 },
          { name: 'gift' },
        ],
      },
      outputs: {
        out: [
          { name: 'cup', price: 9 },
          { name: 'ink', price: 9 },
          { name: 'pen', price: 2 },
          { name: 'gift' },
        ],
      },
    },
    {
      title: 'Natural order of numbers in text',
      config: { by: [{ compare: 'natural' }] },
      input: ['file 10', 'file 9', 'file 1'],
      outputs: { out: ['file 1', 'file 9', 'file 10'] },
    },
    {
      title: 'Sort numeric strings by value',
      config: { by: [{ field: 'price', compare: 'number' }] },
      input: [{ price: '10' }, { price: '9.5' }],
      outputs: { out: [{ price: '9.5' }, { price: '10' }] },
    },
    {
      title: 'A value that is not a number',
      config: { by: [{ field: 'price', compare: 'number' }] },
      input: [{ price: 1 }, { price: 'NaN' }],
      failure: 'validation',
    },
  ],
});

/** An item with its keys, one for each entry of `by`. */
type Row = { item: Json; keys: SortKey[] };

function* work(config: SortConfig, input: Json): Work {
  const items = readItems(config.items, input);
  const keys = (config.by ?? [{}]).map(({ field, direction, compare }): Key => ({
    field,
    sign: direction === 'descending' ? -1 : 1,
    compare: compare ?? 'auto',
  }));
  const readers = keys.map(({ field }) => createReader(field));
  const rows: Row[] = [];
  yield* forEachPaced(items.list, (item, index) => {
    rows.push({ item, keys: keys.map((key, k) => createKey(items, index, key, readers[k]!(item))) });
  });
  const sorted = yield* mergeSorted(rows, (a, b) => compareRows(a, b, keys));
  return done(sorted.map(({ item }) => item));
}

function createKey(items: Items, index: number, { field, compare }: Key, value: Json | undefined): SortKey {
  const key = createSortKey(value, compare);
  if (key !== undefined) return key;
  const issue = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : describeType(value);
  throw new DataError(
    formatLocation(items, index, field),
    `must be ${describeAccepted(compare)}, not ${issue}`,
  );
}

function compareRows(a: Row, b: Row, keys: readonly Key[]): number {
  for (let k = 0; k < keys.length; k++) {
    const left = a.keys[k]!;
    const right = b.keys[k]!;
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    const { sign, compare } = keys[k]!;
    const order = compareKeys(left, right, compare);
    if (order !== 0) return order * sign;
  }
  return 0;
}

/** Rows sorted in one run. */
const RUN_LENGTH = 1024;
/** Rows merged between two checks of the time slice. */
const MERGE_STRIDE = 256;

/** A stable merge sort that yields between steps: short runs are sorted first, then merged in pairs. */
function* mergeSorted(rows: Row[], compare: (a: Row, b: Row) => number): Generator<undefined, Row[]> {
  let runs: Row[][] = [];
  for (let i = 0; i < rows.length; i += RUN_LENGTH) {
    yield;
    runs.push(rows.slice(i, i + RUN_LENGTH).sort(compare));
  }
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i]!, runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(left: Row[], right: Row[], compare: (a: Row, b: Row) => number): Generator<undefined, Row[]> {
  const merged: Row[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if (merged.length % MERGE_STRIDE === 0) yield;
    const fromLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    merged.push(fromLeft ? left[l++]! : right[r++]!);
  }
  return merged;
}
