/** Mulberry32: small, and the same everywhere. In [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `name` set to a whole number, or `otherwise`. */
export function numberSetting(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} takes a whole number, not "${text}".`);
  return value;
}

/** Any seed, unless CRASH_SEED names one. */
export function chosenSeed(): number {
  return numberSetting('CRASH_SEED', Math.floor(Math.random() * 2 ** 31));
}
