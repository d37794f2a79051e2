const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = 14;
/** Two digits at a time: half as many pieces to join. */
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet[i >> 5]! + alphabet[i & 31]!);
/** Identifiers that one call for randomness serves. */
const reserve = 256;

/**
 * Identifiers that sort by creation: 10 characters of time (ms, base 32) and 14 of randomness, which is counted up within
 * a millisecond so that the order holds inside one process. 24 characters, no prefix.
 */
export function createTimeOrderedIds(now: () => number, random: (bytes: Uint8Array) => void): () => string {
  const bytes = new Uint8Array(digits * reserve);
  const tail = new Uint8Array(digits);
  let used = bytes.length;
  let last = -1;
  let head = '';
  /** All but the last two characters: mostly the same as in the identifier before. */
  let stem = '';

  /** Of a new millisecond. */
  const begin = (time: number): void => {
    last = time;
    head = encodeTime(time);
    if (used === bytes.length) {
      random(bytes);
      used = 0;
    }
    // The first digit stays low, so that counting up cannot run over within one millisecond.
    for (let i = 0; i < digits; i++) tail[i] = bytes[used++]! & (i === 0 ? 15 : 31);
  };
  /** Counts up; how many digits changed. */
  const count = (): number => {
    let i = digits - 1;
    while (i >= 0 && tail[i] === 31) tail[i--] = 0;
    if (i >= 0) tail[i]!++;
    return digits - i;
  };

  return () => {
    const time = Math.max(now(), last);
    let changed = digits;
    if (time === last) changed = count();
    else begin(time);
    if (changed > 2) {
      const pieces = [head];
      for (let i = 0; i < digits - 2; i += 2) pieces.push(pairs[(tail[i]! << 5) | tail[i + 1]!]!);
      // One flat text: each identifier made of it would have to be put together from all pieces else.
      stem = pieces.join('');
    }
    return stem + pairs[(tail[digits - 2]! << 5) | tail[digits - 1]!]!;
  };
}

function encodeTime(time: number): string {
  let text = '';
  for (let i = 0, rest = time; i < 10; i++) {
    text = alphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
