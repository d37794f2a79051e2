import type { Json } from '../../lib/json/json.ts';

/**
 * Returns a string that two values share exactly if they are equal as JSON: numbers by value, object keys in
 * any order, different types never equal. A missing value equals null.
 */
export function createEqualityKey(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return createScalarKey(value ?? null);
  let text = '';
  // Iterative, so depth uses no stack. Work is taken from the end.
  const work: (Closing | { value: Json })[] = [{ value }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if ('text' in next) {
      text += next.text;
      continue;
    }
    const inner = next.value;
    if (typeof inner !== 'object' || inner === null) text += createScalarKey(inner);
    else if (Array.isArray(inner)) {
      text += '[';
      work.push({ text: ']' });
      for (let i = inner.length - 1; i >= 0; i--) work.push({ value: inner[i] as Json });
    } else {
      text += '{';
      work.push({ text: '}' });
      for (const key of Object.keys(inner).sort().reverse())
        work.push({ value: inner[key] as Json }, { text: createScalarKey(key) });
    }
  }
  return text;
}

type Closing = { text: string };

/** Prefixes a string with its length, so that its content cannot be confused with the following values. */
function createScalarKey(value: string | number | boolean | null): string {
  if (typeof value === 'string') return `s${value.length}:${value}`;
  // 0 and -0 print alike.
  return typeof value === 'number' ? `n${value};` : value === null ? '0' : value ? 't' : 'f';
}
