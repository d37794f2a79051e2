/**
 * About how many characters a value has as JSON, escapes apart. Stops counting past `upTo`, so that a value in which the same
 * part stands very often costs no more to measure than what may be kept.
 */
export function jsonSize(value: unknown, upTo: number): number {
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
