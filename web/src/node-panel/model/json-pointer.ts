/** A path in a configuration: keys and indexes from its root. */
export type Place = readonly (string | number)[];

/** The same with another value there; `undefined` takes the place away. What is not on the way is shared. */
export function withValue(whole: unknown, location: Place, value: unknown): unknown {
  const [step, ...rest] = location;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(whole) ? [...(whole as unknown[])] : [];
    const next = withValue(list[step], rest, value);
    if (next === undefined) list.splice(step, 1);
    else list[step] = next;
    return list;
  }
  const object = isRecord(whole) ? whole : {};
  const next = withValue(Object.hasOwn(object, step) ? object[step] : undefined, rest, value);
  if (next !== undefined) return { ...object, [step]: next };
  const { [step]: _gone, ...others } = object;
  return others;
}

/** The same object with another name for a key, in its place. */
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
export function formatFieldName(location: Place): string {
  let name = 'config';
  for (const step of location) {
    if (typeof step === 'number') name += `[${step}]`;
    else name += /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  }
  return name;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
