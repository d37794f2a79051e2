/**
 * Approximate length of a value as JSON in characters, without escapes. Stops counting past `upTo`, so that a
 * value that contains the same part many times costs no more to measure than one at the limit.
 */
export function measureJsonSize(value: unknown, upTo: number): number {
  let size = 0;
  const open: object[] = [];
  // Only lists and objects are stored until they are counted: most values are neither.
  const add = (part: unknown): void => {
    if (typeof part === 'string') size += part.length + 2;
    else if (typeof part !== 'object' || part === null) size += 5;
    else open.push(part);
  };
  add(value);
  while (open.length > 0 && size <= upTo) {
    const next = open.pop() as unknown[] | Record<string, unknown>;
    if (Array.isArray(next)) {
      size += next.length + 2;
      next.forEach(add);
    } else {
      size += 2;
      for (const key of Object.keys(next)) {
        size += key.length + 4;
        add(next[key]);
      }
    }
  }
  return size;
}
