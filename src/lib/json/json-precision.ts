import { appendKey } from './json-path.ts';

/** Matches numbers that may exceed the range of a double; most texts contain none. */
const LARGE_NUMBER = /[0-9][eE]\+?[0-9]{3}|[0-9]{309}/;
/** Matches escapes that may be a lone surrogate. */
const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Finds the first value that parsed JSON does not represent exactly: its path and the reason; null when there
 * is none. A number beyond the range of a double would be written as null. With `unicode`, a lone surrogate
 * is an error too: where strings are stored as UTF-8 it would become U+FFFD. Within JSON it is an escape and
 * is preserved.
 */
export function findLossyValue(
  text: string,
  value: unknown,
  { root = '', unicode }: { root?: string; unicode: boolean },
): { field: string; issue: string } | null {
  const halves = unicode && LONE_SURROGATE.test(text);
  if (!halves && !LARGE_NUMBER.test(text)) return null;
  const open: { value: unknown; path: string }[] = [{ value, path: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path } = next;
    if (typeof next.value === 'number' && !Number.isFinite(next.value))
      return { field: path, issue: 'is a number outside the supported range (about 1.8e308)' };
    if (halves && typeof next.value === 'string' && !next.value.isWellFormed())
      return { field: path, issue: 'is not valid Unicode: it contains a lone surrogate' };
    if (typeof next.value !== 'object' || next.value === null) continue;
    const list = Array.isArray(next.value);
    for (const [key, below] of Object.entries(next.value)) {
      if (halves && !key.isWellFormed())
        return {
          field: path,
          issue: 'has a name that is not valid Unicode: it contains a lone surrogate',
        };
      open.push({ value: below, path: appendKey(path, list ? Number(key) : key) });
    }
  }
  return null;
}
