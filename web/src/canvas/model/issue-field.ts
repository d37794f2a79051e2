import type { Issue } from 'weft-client';
import type { Doc } from './document.ts';

const PATH_STEP_PATTERN = /([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

/** Whether the field of an issue has different values in `before` and `after`. */
export function isFieldChanged({ node_id: id, field }: Issue, before: Doc, after: Doc): boolean {
  if (id === null || before === after) return false;
  const [was, is] = [before.nodes.get(id), after.nodes.get(id)];
  if (was === is) return false;
  return readField(was, field) !== readField(is, field);
}

/** Whether the field of an issue has no value. */
export function isFieldEmpty({ node_id: id, field }: Issue, doc: Doc): boolean {
  const value = id === null ? undefined : readField(doc.nodes.get(id), field);
  return value === undefined || value === '';
}

/** The value at a path such as `config.items[0]["odd name"].url`; undefined if missing. */
function readField(entry: unknown, field: string): unknown {
  let value: unknown = entry;
  for (const [, name, index, quoted] of field.matchAll(PATH_STEP_PATTERN)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const key = name ?? index ?? (JSON.parse(quoted!) as string);
    value = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return value;
}
