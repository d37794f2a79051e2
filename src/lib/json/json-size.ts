/**
 * Approximate length of a value as JSON in characters, without escapes. Stops counting past `upTo`, so that a
 * value that contains the same part many times costs no more to measure than one at the limit.
 */
export function measureJsonSize(value: unknown, upTo: number): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= upTo) {
    const next = open.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (typeof next !== 'object' || next === null) size += 5;
    else if (Array.isArray(next)) {
      size += next.length + 2;
      for (const item of next as unknown[]) open.push(item);
    } else {
      size += 2;
      for (const [key, item] of Object.entries(next)) {
        size += key.length + 4;
        open.push(item);
      }
    }
  }
  return size;
}
