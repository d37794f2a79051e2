import { describe, expect, test } from 'vitest';
import { readNumber, createSeededRandom } from '../../test/support/seeded-random.ts';
import { ChurnMap } from './churn-map.ts';

describe('ChurnMap', () => {
  test('stores the last value of a key, and removes entries', () => {
    const map = new ChurnMap<string, number>();
    map.set('a', 1).set('b', 2).set('a', 3);
    expect([map.size, map.get('a'), map.has('b'), map.get('c')]).toEqual([2, 3, true, undefined]);
    expect([...map.keys()]).toEqual(['a', 'b']);
    expect([...map.values()]).toEqual([3, 2]);
    expect([map.take('a'), map.take('a'), map.has('a'), map.size]).toEqual([3, undefined, false, 1]);
    map.clear();
    expect([map.size, map.get('b')]).toEqual([0, undefined]);
  });

  test('entries may be deleted during iteration', () => {
    const map = new ChurnMap<number, string>();
    for (const [i, text] of ['a', 'b', 'c'].entries()) map.set(i, text);
    const seen: string[] = [];
    for (const value of map.values()) {
      seen.push(value);
      map.delete(1);
    }
    expect(seen).toEqual(['a', 'c']);
  });

  test('behaves like a Map for thousands of entries, in their order', () => {
    const seed = readNumber('SEED', Date.now() % 2 ** 31);
    console.log(`seed ${seed}`);
    const random = createSeededRandom(seed).next;
    const ours = new ChurnMap<number, number>();
    const map = new Map<number, number>();
    for (let i = 0; i < 20_000; i++) {
      // Occasionally many entries stay; most of the time few do.
      const range = i % 4_000 < 1_000 ? 600 : 40;
      const key = Math.floor(random() * range);
      if (random() < 0.5) {
        expect(ours.take(key)).toBe(map.get(key));
        map.delete(key);
      } else {
        ours.set(key, i);
        map.set(key, i);
      }
      expect([ours.size, ours.get(key), ours.has(key)]).toEqual([map.size, map.get(key), map.has(key)]);
      if (i % 500 === 0)
        expect([[...ours.keys()], [...ours.values()]]).toEqual([[...map.keys()], [...map.values()]]);
    }
  });
});
