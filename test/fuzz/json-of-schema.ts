import { isObject, type JsonObject } from '../../src/lib/json/json.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** Usual values of fields by name, so that enough requests pass the first check. */
export type ValueHints = (name: string) => readonly unknown[] | undefined;

/** Maximum depth of a generated value. */
const MAX_DEPTH = 6;

/** A value that is valid for a schema of the document. For a pattern, the hints contain one. */
export function generateValue(
  schema: JsonObject,
  document: JsonObject,
  random: SeededRandom,
  hints: ValueHints,
  name = '',
  depth = 0,
): unknown {
  const hinted = hints(name);
  if (hinted !== undefined && random.is(0.9)) return structuredClone(random.pick(hinted));
  const again = (next: unknown, below: string, level = depth): unknown =>
    isObject(next) ? generateValue(next, document, random, hints, below, level) : null;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return again(target(document, reference), name);
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum']);
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) return again(random.pick(variants), name);
  if (Array.isArray(schema['examples']) && random.is(0.7))
    return structuredClone(random.pick(schema['examples']));
  const type = Array.isArray(schema['type']) ? random.pick(schema['type']) : schema['type'];
  if (depth > MAX_DEPTH) return null;
  switch (type) {
    case 'object': {
      const object: Record<string, unknown> = {};
      const required = new Set((schema['required'] as string[] | undefined) ?? []);
      for (const [key, below] of Object.entries((schema['properties'] as JsonObject | undefined) ?? {}))
        if (required.has(key) || random.is(0.4)) object[key] = again(below, key, depth + 1);
      const free = schema['additionalProperties'] ?? schema['patternProperties'];
      if (isObject(free))
        for (let left = random.int(3); left > 0; left--)
          object[random.pick(['a', 'b', 'name', 'value', 'n'])] = again(free, '', depth + 1);
      return object;
    }
    case 'array':
      return Array.from({ length: random.int(4) }, () => again(schema['items'] ?? {}, name, depth + 1));
    case 'integer':
      return Number(schema['minimum'] ?? 0) + random.int(5);
    case 'number':
      return Number(schema['minimum'] ?? 0) + random.int(100) / 7;
    case 'boolean':
      return random.is(0.5);
    case 'null':
      return null;
    case 'string': {
      if (schema['format'] === 'date-time') return '2030-01-02T03:04:05.678Z';
      const { minLength: min = 0, maxLength: max = 20 } = schema as {
        minLength?: number;
        maxLength?: number;
      };
      return random.text(Math.min(max, 30)).padEnd(min, 'x');
    }
    default:
      return random.pick([1, 'text', null, true, { a: 1 }, [1, 2]] as unknown[]);
  }
}

function target(document: JsonObject, reference: string): unknown {
  let at: unknown = document;
  for (const step of reference.replace(/^#\//, '').split('/'))
    at = isObject(at) ? at[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return at;
}
