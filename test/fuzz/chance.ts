import { numberSetting, seededRandom } from '../crash/seeded-random.ts';

/** Seeded choices: the same seed makes the same requests. */
export type Chance = {
  /** Whole, from 0 to below `n`. */
  int(n: number): number;
  /** True with this probability. */
  is(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Text of 0 to `max` characters of all kinds: mostly ASCII, some that trouble readers. */
  text(max: number): string;
};

const troublesome = [
  '\u0000',
  '\u001b',
  '\u007f',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\ufffd',
  '\u0130',
  'ß',
  '𝕏',
  '👩‍👩‍👧',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '{{',
  '}}',
  '${',
  '<',
  '/',
  '..',
  '\r\n',
  ' ',
];

export function createChance(seed: number): Chance {
  const random = seededRandom(seed);
  const int = (n: number): number => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[int(list.length)]!;
  return {
    int,
    pick,
    is: (probability) => random() < probability,
    text(max) {
      let text = '';
      for (let left = int(max + 1); left > 0; left--)
        text += random() < 0.15 ? pick(troublesome) : String.fromCharCode(32 + int(95));
      return text;
    },
  };
}

/** Any seed unless FUZZ_SEED names one; it is printed, because with it the same run can be made again. */
export function fuzzSeed(name: string): number {
  const seed = numberSetting('FUZZ_SEED', Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: FUZZ_SEED=${seed}`);
  return seed;
}

/** How many requests: few, unless FUZZ_REQUESTS says otherwise. */
export function fuzzRequests(otherwise: number): number {
  return numberSetting('FUZZ_REQUESTS', otherwise);
}
