/** A path in a configuration: keys and indexes from its root. */
export type FieldPath = readonly (string | number)[];

/** A copy with a value set at a path; `undefined` removes the entry. Unchanged parts are shared. */
export function withValue(whole: unknown, fieldPath: FieldPath, value: unknown): unknown {
  const [segment, ...rest] = fieldPath;
  if (segment === undefined) return value;
  if (typeof segment === 'number') {
    const list: unknown[] = Array.isArray(whole) ? [...(whole as unknown[])] : [];
    const next = withValue(list[segment], rest, value);
    if (next === undefined) list.splice(segment, 1);
    else list[segment] = next;
    return list;
  }
  const object = isRecord(whole) ? whole : {};
  const next = withValue(Object.hasOwn(object, segment) ? object[segment] : undefined, rest, value);
  if (next !== undefined) return { ...object, [segment]: next };
  const { [segment]: _gone, ...others } = object;
  return others;
}

/** A copy of an object with one key renamed and the order of the keys kept. */
export function withKey(
  object: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

export function moveItem<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [item] = next.splice(from, 1);
  if (item !== undefined) next.splice(to, 0, item);
  return next;
}

/** The service's notation of a field in an error: `config.items[0].name`, `config["odd name"]`. */
export function formatFieldName(fieldPath: FieldPath): string {
  let name = 'config';
  for (const segment of fieldPath) {
    if (typeof segment === 'number') name += `[${segment}]`;
    else name += /^[A-Za-z_$][\w$-]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  }
  return name;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
