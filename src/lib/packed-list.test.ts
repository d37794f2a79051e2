import { expect, test } from 'vitest';
import { deserialize, serialize } from 'node:v8';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../test/support/seeded-random.ts';
import type { Json } from './json/json.ts';
import { countBytes } from './limits/value-limits.ts';
import { PackedList, type SavedList } from './packed-list.ts';

const shared = { list: [1, 2], 'a key': null };

function randomValue(random: SeededRandom, index: number): Json {
  const values: Json[] = [
    index,
    { index, item: random.text(9) },
    null,
    shared,
    [[]],
    0.1,
    JSON.parse('{"__proto__":{"a":1}}') as Json,
  ];
  return random.pick(values);
}

/** The positions of a list in the order in which `concurrency` runs at the same time end. */
function chooseOrder(random: SeededRandom, length: number, concurrency: number): number[] {
  const order: number[] = [];
  const open: number[] = [];
  for (let next = 0; order.length < length;) {
    while (open.length < concurrency && next < length) open.push(next++);
    order.push(...open.splice(random.int(open.length), 1));
  }
  return order;
}

function copy(list: PackedList): PackedList {
  const other = new PackedList();
  other.restore(deserialize(serialize(list.save())) as SavedList);
  return other;
}

test('a list that is saved and restored at random positions keeps its values', () => {
  const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
  for (let round = 0; round < 30; round++) {
    const length = random.int(5_000);
    const values = Array.from({ length }, (_, index) => randomValue(random, index));
    let list = new PackedList();
    for (const index of chooseOrder(random, length, random.pick([1, 3, 1_000]))) {
      list.set(index, values[index]!);
      if (random.is(0.002)) list.save();
      if (random.is(0.002)) list = copy(list);
    }
    expect(list.toArray()).toEqual(values);
    const bytes = values.reduce<number>((sum, value) => sum + countBytes(value), 0);
    // Packed parts also count their brackets and commas.
    const found = list.countBytes(countBytes);
    expect(found).toBeGreaterThanOrEqual(bytes);
    expect(found).toBeLessThanOrEqual(bytes + 2 * length + 10);
  }
});

test('the saved parts of small values are packed, and those of large values are not', () => {
  const list = new PackedList();
  for (let index = 0; index < 3_500; index++)
    list.set(index, index < 1_000 ? { index, text: 'x'.repeat(500) } : { index });
  const { parts } = list.save();
  expect(parts.map((part) => 'data' in part)).toEqual([false, true, true, false]);
  expect(serialize(parts.slice(1, 3)).length).toBeLessThan(20_000);
  expect(list.toArray()).toHaveLength(3_500);
});

test('a list without values is empty', () => {
  expect(copy(new PackedList()).toArray()).toEqual([]);
});
