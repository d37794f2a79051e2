import { isObject, type Json } from '../../lib/json/json.ts';

const MAX_DEPTH = 20;

/**
 * Resolves a key (`.`, `./sub`, `#name`) in the `exports` or `imports` of a package.json and replaces `*` in
 * the target. Undefined if no condition matches. Follows Node.js: an exact key first, then the pattern with
 * the longest prefix; the first matching condition in file order.
 */
export function resolveTarget(map: Json, key: string, conditions: ReadonlySet<string>): string | undefined {
  const isKeyed =
    isObject(map) && Object.keys(map).some((name) => name.startsWith('.') || name.startsWith('#'));
  if (!isKeyed) return key === '.' ? chooseTarget(map, conditions, '', 0) : undefined;
  const exact = map[key];
  if (exact !== undefined && !key.includes('*')) return chooseTarget(exact, conditions, '', 0);
  let best: { name: string; start: string; part: string } | null = null;
  for (const name of Object.keys(map)) {
    const star = name.indexOf('*');
    if (star === -1) continue;
    const [start, end] = [name.slice(0, star), name.slice(star + 1)];
    if (!key.startsWith(start) || !key.endsWith(end) || key.length < name.length) continue;
    if (best !== null && best.start.length >= start.length) continue;
    best = { name, start, part: key.slice(start.length, key.length - end.length) };
  }
  return best === null ? undefined : chooseTarget(map[best.name] ?? null, conditions, best.part, 0);
}

/** `MAX_DEPTH` bounds the recursion. */
function chooseTarget(
  target: Json,
  conditions: ReadonlySet<string>,
  part: string,
  depth: number,
): string | undefined {
  if (typeof target === 'string') return target.replaceAll('*', () => part);
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(target)) {
    for (const one of target) {
      const found = chooseTarget(one, conditions, part, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (condition !== 'default' && !conditions.has(condition)) continue;
    const found = chooseTarget(value, conditions, part, depth + 1);
    if (found !== undefined) return found;
    // null excludes the key and ends the search.
    if (value === null) return undefined;
  }
  return undefined;
}
