import { isObject, type JsonObject } from '../../src/lib/json.ts';
import type { Chance } from './chance.ts';

/** What a field of this name is usually given, so that requests get past the first check often enough. */
export type Hints = (name: string) => readonly unknown[] | undefined;

/** Levels of a generated value. */
const MAX_DEPTH = 6;

/** Any value that a schema of the document takes; where a pattern stands, the hints know one. */
export function valueOf(
  schema: JsonObject,
  document: JsonObject,
  chance: Chance,
  hints: Hints,
  name = '',
  depth = 0,
): unknown {
  const hinted = hints(name);
  if (hinted !== undefined && chance.is(0.9)) return structuredClone(chance.pick(hinted));
  const again = (next: unknown, below: string, level = depth): unknown =>
    isObject(next) ? valueOf(next, document, chance, hints, below, level) : null;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return again(target(document, reference), name);
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return chance.pick(schema['enum']);
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) return again(chance.pick(variants), name);
  if (Array.isArray(schema['examples']) && chance.is(0.7))
    return structuredClone(chance.pick(schema['examples']));
  const type = Array.isArray(schema['type']) ? chance.pick(schema['type']) : schema['type'];
  if (depth > MAX_DEPTH) return null;
  switch (type) {
    case 'object': {
      const object: Record<string, unknown> = {};
      const required = new Set((schema['required'] as string[] | undefined) ?? []);
      for (const [key, below] of Object.entries((schema['properties'] as JsonObject | undefined) ?? {}))
        if (required.has(key) || chance.is(0.4)) object[key] = again(below, key, depth + 1);
      const free = schema['additionalProperties'] ?? schema['patternProperties'];
      if (isObject(free))
        for (let left = chance.int(3); left > 0; left--)
          object[chance.pick(['a', 'b', 'name', 'value', 'n'])] = again(free, '', depth + 1);
      return object;
    }
    case 'array':
      return Array.from({ length: chance.int(4) }, () => again(schema['items'] ?? {}, name, depth + 1));
    case 'integer':
      return Number(schema['minimum'] ?? 0) + chance.int(5);
    case 'number':
      return Number(schema['minimum'] ?? 0) + chance.int(100) / 7;
    case 'boolean':
      return chance.is(0.5);
    case 'null':
      return null;
    case 'string': {
      if (schema['format'] === 'date-time') return '2030-01-02T03:04:05.678Z';
      const { minLength: min = 0, maxLength: max = 20 } = schema as {
        minLength?: number;
        maxLength?: number;
      };
      return chance.text(Math.min(max, 30)).padEnd(min, 'x');
    }
    default:
      return chance.pick([1, 'text', null, true, { a: 1 }, [1, 2]] as unknown[]);
  }
}

function target(document: JsonObject, reference: string): unknown {
  let at: unknown = document;
  for (const step of reference.replace(/^#\//, '').split('/'))
    at = isObject(at) ? at[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return at;
}
