import type { Json } from './json.ts';

/**
 * Deep equality of JSON: numbers by value, lists in order, objects by own keys in any order; different types
 * are never equal. It is iterative, so depth costs memory and not call stack. `visit` is called for every
 * pair, so that a caller can limit the work.
 */
export function isJsonEqual(a: Json, b: Json, visit?: () => void): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  const work: Json[] = [a, b];
  while (work.length > 0) {
    const right = work.pop() as Json;
    const left = work.pop() as Json;
    visit?.();
    if (left === right) continue;
    if (!isContainer(left) || !isContainer(right)) return false;
    if (Array.isArray(left) || Array.isArray(right)) {
      if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
      for (const [i, element] of left.entries()) work.push(element, right[i] as Json);
      continue;
    }
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      work.push(left[key] as Json, right[key] as Json);
    }
  }
  return true;
}

function isContainer(v: Json): v is Json[] | { [key: string]: Json } {
  return typeof v === 'object' && v !== null;
}
