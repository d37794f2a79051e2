import { appendKey } from './json-path.ts';

/** Where a number may be beyond a double. Most texts have no such place. */
const LARGE = /[0-9][eE]\+?[0-9]{3}|[0-9]{309}/;
/** Where a text may hold half of a surrogate pair. */
const HALF = /\\u[dD][89a-fA-F]/;

/**
 * Whether parsed JSON says what its text said: the path of the first value that does not, and why; null when all do. A
 * number beyond a double would be written as null. With `unicode`, half of a surrogate pair is a fault too: where text is
 * kept as UTF-8 it would become U+FFFD. Inside JSON it stands as an escape, and is kept.
 */
export function findLossyValue(
  text: string,
  value: unknown,
  { root = '', unicode }: { root?: string; unicode: boolean },
): { field: string; issue: string } | null {
  const halves = unicode && HALF.test(text);
  if (!halves && !LARGE.test(text)) return null;
  const open: { value: unknown; path: string }[] = [{ value, path: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path } = next;
    if (typeof next.value === 'number' && !Number.isFinite(next.value))
      return { field: path, issue: 'is a number beyond what can be kept (about 1.8e308)' };
    if (halves && typeof next.value === 'string' && !next.value.isWellFormed())
      return { field: path, issue: 'is not valid Unicode: it holds half of a surrogate pair' };
    if (typeof next.value !== 'object' || next.value === null) continue;
    const list = Array.isArray(next.value);
    for (const [key, below] of Object.entries(next.value)) {
      if (halves && !key.isWellFormed())
        return {
          field: path,
          issue: 'has a name that is not valid Unicode: it holds half of a surrogate pair',
        };
      open.push({ value: below, path: appendKey(path, list ? Number(key) : key) });
    }
  }
  return null;
}
