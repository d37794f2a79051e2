import { isObject, type Json, type JsonObject } from './document.ts';
import { isJsonEqual } from './json-equal.ts';

/** A value that differs; undefined: missing. `path`: `config.headers.accept`; empty for the whole value. */
export type FieldChange = {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
};

/** The differences of two values by field, and by item with `isByItem`; otherwise lists are single values. */
export function listValueChanges(
  before: Json | undefined,
  after: Json | undefined,
  isByItem = false,
): FieldChange[] {
  const found: FieldChange[] = [];
  const work: FieldChange[] = [{ path: '', before, after }];
  for (const one of work) {
    if (isJsonEqual(one.before, one.after)) continue;
    if (isObject(one.before) && isObject(one.after))
      for (const key of new Set([...Object.keys(one.before), ...Object.keys(one.after)]))
        work.push({
          path: joinPath(one.path, key),
          before: own(one.before, key),
          after: own(one.after, key),
        });
    else if (isByItem && Array.isArray(one.before) && Array.isArray(one.after))
      for (let i = 0; i < Math.max(one.before.length, one.after.length); i++)
        work.push({ path: `${one.path}[${i}]`, before: one.before[i], after: one.after[i] });
    else found.push(one);
  }
  return found;
}

function own(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function joinPath(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
