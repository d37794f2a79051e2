import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * The named schemas of a document. A schema with a title becomes a component of that name, once, and stands by reference
 * wherever it is used.
 */
export type Components = {
  /** The schema as it stands in the document. Throws when its title is that of another schema. */
  use(schema: TSchema): JsonObject;
  /** The same under this name when it has no title of its own. */
  useAs(name: string, schema: TSchema): JsonObject;
  /** All that were used, by name, sorted. */
  all(): JsonObject;
};

type Plain = Record<string, unknown>;
const maps = ['properties', 'patternProperties', '$defs'] as const;
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const singles = ['items', 'additionalProperties', 'not', 'contains'] as const;

/** `prefix`: what a reference has before the name. Schemas are ours, so their depth is small. */
export function createComponents(prefix = '#/components/schemas/'): Components {
  const known = new Map<string, { source: string; schema: JsonObject }>();

  function use(schema: unknown): JsonObject {
    const { title } = schema as Plain;
    if (typeof title !== 'string' || !/^[A-Z][A-Za-z0-9]*$/.test(title)) return inner(schema as Plain);
    const source = JSON.stringify(schema);
    const entry = known.get(title);
    if (entry !== undefined && entry.source !== source)
      throw new Error(`Two different schemas have the title ${title}.`);
    if (entry === undefined) {
      const added = { source, schema: {} as JsonObject };
      known.set(title, added);
      added.schema = inner(schema as Plain);
    }
    return { $ref: `${prefix}${title}` };
  }

  function inner(schema: Plain): JsonObject {
    const plain: Plain = { ...schema };
    if (typeof plain['title'] === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(plain['title']))
      delete plain['title'];
    for (const key of maps) {
      if (plain[key] !== undefined)
        plain[key] = Object.fromEntries(
          Object.entries(plain[key] as Plain).map(([name, below]) => [name, use(below)]),
        );
    }
    for (const key of lists) {
      if (Array.isArray(plain[key])) plain[key] = plain[key].map(use);
    }
    for (const key of singles) {
      if (typeof plain[key] === 'object' && plain[key] !== null) plain[key] = use(plain[key]);
    }
    return tidy(plain) as JsonObject;
  }

  return {
    use,
    useAs: (name, schema) => use('title' in schema ? schema : { ...schema, title: name }),
    all: () =>
      Object.fromEntries(
        [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema as Json]),
      ),
  };
}

/** The spelling that readers and generators expect; the meaning stays. */
function tidy(plain: Plain): Plain {
  const { patternProperties: patterns, enum: values, anyOf } = plain;
  if (values !== undefined && plain['type'] === undefined) {
    const texts = Array.isArray(values) && values.every((value) => typeof value === 'string');
    if (texts) return tidy({ type: 'string', ...plain });
  }
  if (patterns !== undefined && Object.keys(patterns as Plain).join(' ') === '^.*$') {
    const { patternProperties: _, ...rest } = plain;
    const [value] = Object.values(patterns as Plain);
    return { ...rest, additionalProperties: Object.keys(value as Plain).length === 0 ? true : value };
  }
  if (Array.isArray(anyOf) && anyOf.length === 2 && (anyOf[1] as Plain)['type'] === 'null') {
    const { anyOf: _, ...rest } = plain;
    const first = anyOf[0] as Plain;
    // A list of values would have to hold null too, and a reference cannot be added to.
    if (typeof first['type'] === 'string' && first['enum'] === undefined && first['const'] === undefined)
      return { ...first, type: [first['type'], 'null'], ...rest };
  }
  return plain;
}
