const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = 14;
/** Two digits at a time, to join half as many parts. */
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet[i >> 5]! + alphabet[i & 31]!);
/** Number of ids for which one call generates random bytes. */
const reserve = 256;

/**
 * Creates ids that sort by creation: 10 characters of time (ms, base 32) and 14 of randomness, which is
 * incremented within a millisecond so that the order holds within one process. 24 characters, no prefix.
 */
export function createTimeOrderedIds(now: () => number, random: (bytes: Uint8Array) => void): () => string {
  const bytes = new Uint8Array(digits * reserve);
  const tail = new Uint8Array(digits);
  let used = bytes.length;
  let last = -1;
  let head = '';
  /** All except the last two characters, which usually equal those of the previous id. */
  let stem = '';

  /** Starts a new millisecond. */
  const begin = (time: number): void => {
    last = time;
    head = encodeTime(time);
    if (used === bytes.length) {
      random(bytes);
      used = 0;
    }
    // The first digit stays low, so that incrementing cannot overflow within one millisecond.
    for (let i = 0; i < digits; i++) tail[i] = bytes[used++]! & (i === 0 ? 15 : 31);
  };
  /** Increments the random part; returns the number of changed digits. */
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
      // A flat string: otherwise each id made from it would have to be flattened from all its parts.
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
