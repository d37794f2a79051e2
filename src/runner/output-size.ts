import { isObject } from '../lib/json.ts';

/** The deepest nesting of a value that a node may give; what reads JSON downstream stays within the stack. */
export const MAX_OUTPUT_DEPTH = 200;

/** Why a value may not leave a node, or null. The size is an estimate of its JSON, a little below the true one. */
export function outputFault(value: unknown, maxBytes: number): string | null {
  let left = maxBytes;
  const work: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { value, depth } = item;
    left -= 2;
    if (typeof value === 'string') left -= value.length;
    else if (Array.isArray(value) || isObject(value)) {
      if (depth > MAX_OUTPUT_DEPTH) return `is nested deeper than ${MAX_OUTPUT_DEPTH} levels`;
      if (Array.isArray(value)) {
        for (const element of value) work.push({ value: element, depth: depth + 1 });
      } else {
        for (const key of Object.keys(value)) {
          left -= key.length + 2;
          work.push({ value: value[key], depth: depth + 1 });
        }
      }
    }
    if (left < 0) return `is larger than ${maxBytes} bytes`;
  }
  return null;
}
