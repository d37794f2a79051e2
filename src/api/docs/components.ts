import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * The named schemas of a document. A schema with a title becomes a component of that name and is referenced
 * wherever it is used.
 */
export type Components = {
  /** Returns the schema as used in the document. Throws when another schema has the same title. */
  use(schema: TSchema): JsonObject;
  /** Like `use`, with a name for schemas without a title. */
  useAs(name: string, schema: TSchema): JsonObject;
  /** All used components, sorted by name. */
  all(): JsonObject;
};

type PlainSchema = Record<string, unknown>;
const maps = ['properties', 'patternProperties', '$defs'] as const;
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const singles = ['items', 'additionalProperties', 'not', 'contains'] as const;

/**
 * `prefix`: the part of references before the name. Our schemas are not nested deep, so the recursion is
 * safe.
 */
export function createComponents(prefix = '#/components/schemas/'): Components {
  const known = new Map<string, { source: string; schema: JsonObject }>();

  function use(schema: unknown): JsonObject {
    const { title } = schema as PlainSchema;
    if (typeof title !== 'string' || !/^[A-Z][A-Za-z0-9]*$/.test(title))
      return convert(schema as PlainSchema);
    const source = JSON.stringify(schema);
    const entry = known.get(title);
    if (entry !== undefined && entry.source !== source)
      throw new Error(`Two different schemas have the title ${title}.`);
    if (entry === undefined) {
      const added = { source, schema: {} as JsonObject };
      known.set(title, added);
      added.schema = convert(schema as PlainSchema);
    }
    return { $ref: `${prefix}${title}` };
  }

  function convert(schema: PlainSchema): JsonObject {
    const plain: PlainSchema = { ...schema };
    if (typeof plain['title'] === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(plain['title']))
      delete plain['title'];
    for (const key of maps) {
      if (plain[key] !== undefined)
        plain[key] = Object.fromEntries(
          Object.entries(plain[key] as PlainSchema).map(([name, below]) => [name, use(below)]),
        );
    }
    for (const key of lists) {
      if (Array.isArray(plain[key])) plain[key] = plain[key].map(use);
    }
    for (const key of singles) {
      if (typeof plain[key] === 'object' && plain[key] !== null) plain[key] = use(plain[key]);
    }
    return normalize(plain) as JsonObject;
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

/** Normalizes a schema to the form that readers and generators expect, without changing its meaning. */
function normalize(plain: PlainSchema): PlainSchema {
  const { patternProperties: patterns, enum: values, anyOf } = plain;
  if (values !== undefined && plain['type'] === undefined) {
    const texts = Array.isArray(values) && values.every((value) => typeof value === 'string');
    if (texts) return normalize({ type: 'string', ...plain });
  }
  if (patterns !== undefined && Object.keys(patterns as PlainSchema).join(' ') === '^.*$') {
    const { patternProperties: _, ...rest } = plain;
    const [value] = Object.values(patterns as PlainSchema);
    return { ...rest, additionalProperties: Object.keys(value as PlainSchema).length === 0 ? true : value };
  }
  if (Array.isArray(anyOf) && anyOf.length === 2 && (anyOf[1] as PlainSchema)['type'] === 'null') {
    const { anyOf: _, ...rest } = plain;
    const first = anyOf[0] as PlainSchema;
    // Enumerations would have to include null, and references cannot be extended.
    if (typeof first['type'] === 'string' && first['enum'] === undefined && first['const'] === undefined)
      return { ...first, type: [first['type'], 'null'], ...rest };
  }
  return plain;
}
