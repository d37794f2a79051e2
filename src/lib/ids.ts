const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Identifiers that sort by creation: 10 characters of time (ms, base 32) and 14 of randomness, of which the last is
 * counted up within a millisecond so that the order holds inside one process. 24 characters, no prefix.
 */
export function createTimeOrderedIds(now: () => number, random: (bytes: Uint8Array) => void): () => string {
  const bytes = new Uint8Array(14);
  const tail = new Uint8Array(14);
  let last = -1;
  let head = '';
  return () => {
    const time = Math.max(now(), last);
    if (time === last) {
      let i = tail.length - 1;
      while (i >= 0 && tail[i] === 31) tail[i--] = 0;
      if (i >= 0) tail[i]!++;
    } else {
      last = time;
      head = encodeTime(time);
      random(bytes);
      // The first digit stays low, so that counting up cannot run over within one millisecond.
      for (let i = 0; i < tail.length; i++) tail[i] = bytes[i]! & (i === 0 ? 15 : 31);
    }
    let text = head;
    for (let i = 0; i < tail.length; i++) text += alphabet[tail[i]!];
    return text;
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
