import type { JsonPath } from '../lib/json/json-path.ts';
import { compilePath } from '../lib/json/json-path.ts';

const CACHE_SIZE = 5000;
const cache = new Map<string, JsonPath>();

/** Compiles a path, with a bounded cache because configurations repeat the same paths. @throws {PathError} */
export function compileCachedPath(text: string): JsonPath {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const path = compilePath(text);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(text, path);
  return path;
}
