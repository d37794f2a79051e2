/** Whether two JSON values are equal, ignoring the order of keys. An undefined field equals a missing one. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  const work: [unknown, unknown][] = [[a, b]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
      return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const lefts = left as Record<string, unknown>;
    const rights = right as Record<string, unknown>;
    if (Array.isArray(left) && left.length !== (right as unknown[]).length) return false;
    for (const key of new Set([...Object.keys(lefts), ...Object.keys(rights)]))
      work.push([
        Object.hasOwn(lefts, key) ? lefts[key] : undefined,
        Object.hasOwn(rights, key) ? rights[key] : undefined,
      ]);
  }
  return true;
}
