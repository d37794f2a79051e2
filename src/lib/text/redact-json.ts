import { isObject, type Json } from '../json/json.ts';

/** Redacts every string of a value, including keys. Iterative, because data may be deeply nested. */
export function redactJson(data: Json, redact: (text: string) => string): Json {
  const root: { value: Json } = { value: data };
  const work: { holder: Record<string, Json> | Json[]; key: string | number; value: Json }[] = [];
  work.push({ holder: root, key: 'value', value: data });
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { value } = item;
    let result: Json = value;
    if (typeof value === 'string') {
      result = redact(value);
    } else if (Array.isArray(value)) {
      const list: Json[] = Array.from({ length: value.length }, () => null);
      for (const [i, element] of value.entries()) work.push({ holder: list, key: i, value: element });
      result = list;
    } else if (isObject(value)) {
      const object: Record<string, Json> = {};
      for (const key of Object.keys(value))
        work.push({ holder: object, key: redact(key), value: value[key] ?? null });
      result = object;
    }
    Object.defineProperty(item.holder, item.key, {
      value: result,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return root.value;
}
