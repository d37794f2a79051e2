/** Random choices from a seed. The same seed gives the same choices. */
export type SeededRandom = {
  /** In [0, 1). */
  readonly next: () => number;
  /** An integer from 0 to `n` - 1. */
  readonly int: (n: number) => number;
  /** True with this probability. */
  readonly is: (probability: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** A string of 0 to `max` characters, mostly ASCII, with characters that are error-prone for parsers. */
  readonly text: (max: number) => string;
};

const TROUBLESOME = [
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

/** Mulberry32: small, and deterministic on every platform. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (n: number): number => Math.floor(next() * n);
  const pick = <T>(list: readonly T[]): T => list[int(list.length)]!;
  return {
    next,
    int,
    pick,
    is: (probability) => next() < probability,
    text(max) {
      let text = '';
      for (let left = int(max + 1); left > 0; left--)
        text += next() < 0.15 ? pick(TROUBLESOME) : String.fromCharCode(32 + int(95));
      return text;
    },
  };
}

/** The environment variable as an integer, or `otherwise`. */
export function readNumber(variable: string, otherwise: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${variable} must be a whole number, not "${text}".`);
  return value;
}

/** The seed in the environment variable, or a random one. It is printed, so that a run can be repeated. */
export function chooseSeed(variable: 'CRASH_SEED' | 'FUZZ_SEED'): number {
  const seed = readNumber(variable, Math.floor(Math.random() * 2 ** 31));
  console.log(`${variable}=${seed}`);
  return seed;
}
