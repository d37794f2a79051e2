import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { SchemaError } from './schema-error.ts';
import { listInnerSchemas } from './schema-walk.ts';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const VOCABULARY = 'https://json-schema.org/draft/2020-12/vocab/';
/** Base URI of a schema without an `$id`; no other schema can have it. */
const ROOT_URI = 'weft-schema://this/';

/** The enabled vocabularies. */
export type Dialect = {
  readonly applicator: boolean;
  readonly unevaluated: boolean;
  readonly validation: boolean;
  readonly format: boolean;
};
const STANDARD: Dialect = { applicator: true, unevaluated: true, validation: true, format: true };

/** A schema with its own base URI and its anchors. Nested schemas with an `$id` are separate resources. */
export type Resource = {
  readonly uri: string;
  readonly root: JsonObject;
  readonly dialect: Dialect;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
};

/**
 * `anchor`: the name to look up in the dynamic scope if `$dynamicRef` refers to a dynamic anchor; otherwise
 * null.
 */
export type DynamicReference = { readonly target: Json; readonly anchor: string | null };

/** Schemas with all references resolved. */
export type SchemaSet = {
  readonly root: JsonObject;
  /** Every schema and the resource that contains it. */
  readonly resourceBySchema: ReadonlyMap<JsonObject, Resource>;
  readonly references: ReadonlyMap<JsonObject, Json>;
  readonly dynamicReferences: ReadonlyMap<JsonObject, DynamicReference>;
};

/**
 * Finds every schema in a schema and in the given documents (by URI), and resolves every reference.
 * `standard` provides well-known documents such as the meta-schema. Nothing is fetched. @throws {SchemaError}
 */
export function resolveSchemas(
  root: JsonObject,
  documents: Readonly<Record<string, JsonObject>>,
  standard: (address: string) => JsonObject | undefined,
): SchemaSet {
  const index = new Index(standard);
  for (const [address, document] of Object.entries(documents)) index.offer(address, document);
  index.add(ROOT_URI, root);
  index.addOffered();
  const references = new Map<JsonObject, Json>();
  const dynamicReferences = new Map<JsonObject, DynamicReference>();
  // The list grows during the loop as references lead to more schemas.
  for (const [schema, resource] of index.resourceBySchema) {
    const { $ref: reference, $dynamicRef: dynamic } = schema;
    if (typeof reference === 'string') references.set(schema, index.resolve(reference, resource).target);
    if (typeof dynamic === 'string') dynamicReferences.set(schema, index.resolve(dynamic, resource));
  }
  return { root, resourceBySchema: index.resourceBySchema, references, dynamicReferences };
}

class Index {
  readonly resourceBySchema = new Map<JsonObject, Resource>();
  readonly #resources = new Map<string, Resource>();
  readonly #offered = new Map<string, JsonObject>();
  readonly #standard: (address: string) => JsonObject | undefined;

  constructor(standard: (address: string) => JsonObject | undefined) {
    this.#standard = standard;
  }

  /** Reads a document by the URI of a reference, on the first reference to it or by `addOffered`. */
  offer(address: string, document: JsonObject): void {
    const { uri, fragment } = split(address, undefined, 'schemas');
    if (fragment !== '')
      throw new SchemaError(`schemas: keys must be URIs without #, not ${quoted(address)}`);
    this.#offered.set(uri, document);
  }

  addOffered(): void {
    for (const uri of this.#offered.keys()) this.#find(uri);
  }

  add(address: string, document: JsonObject): void {
    const work: { schema: Json; around: Resource | null }[] = [{ schema: document, around: null }];
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { schema, around } = item;
      if (!isObject(schema) || this.resourceBySchema.has(schema)) continue;
      const resource = this.#createResource(schema, around, address);
      this.resourceBySchema.set(schema, resource);
      const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
      if (typeof anchor === 'string') resource.anchors.set(anchor, schema);
      if (typeof dynamicAnchor === 'string') {
        resource.anchors.set(dynamicAnchor, schema);
        resource.dynamicAnchors.set(dynamicAnchor, schema);
      }
      for (const inner of listInnerSchemas(schema)) work.push({ schema: inner.schema, around: resource });
    }
  }

  #createResource(schema: JsonObject, around: Resource | null, address: string): Resource {
    const id = schema['$id'];
    if (around !== null && typeof id !== 'string') return around;
    const uri = typeof id === 'string' ? split(id, around?.uri ?? address, '$id').uri : address;
    const dialect = this.#dialect(schema, around);
    const resource = { uri, root: schema, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    const known = this.#resources.get(uri);
    if (known !== undefined && known.root !== schema)
      throw new SchemaError(`must not have two schemas with the $id ${quoted(uri)}`);
    this.#resources.set(uri, resource);
    // A document is also available under the URI that it was given under.
    if (around === null && !this.#resources.has(address)) this.#resources.set(address, resource);
    return resource;
  }

  #dialect(schema: JsonObject, around: Resource | null): Dialect {
    const name = schema['$schema'];
    if (typeof name !== 'string') return around?.dialect ?? STANDARD;
    const { uri } = split(name, undefined, '$schema');
    if (uri === DIALECT) return STANDARD;
    const document = this.#offered.get(uri);
    if (document === undefined)
      throw new SchemaError(`$schema must be ${DIALECT} or a meta-schema in "schemas", not ${quoted(uri)}`);
    return readDialect(document, uri);
  }

  /** Resolves a reference within a resource. */
  resolve(reference: string, from: Resource): DynamicReference {
    const { uri, fragment } = split(reference, from.uri, '$ref');
    const resource = this.#find(uri);
    if (resource === undefined) throw unresolved(reference, 'no schema with this URI was provided');
    if (fragment === '') return { target: resource.root, anchor: null };
    if (!fragment.startsWith('/')) {
      const target = resource.anchors.get(fragment);
      if (target === undefined) throw unresolved(reference, 'the schema does not have this anchor');
      return { target, anchor: resource.dynamicAnchors.has(fragment) ? fragment : null };
    }
    const target = resolvePointer(resource.root, fragment);
    if (typeof target !== 'boolean' && !(isObject(target) && this.resourceBySchema.has(target)))
      throw unresolved(reference, 'there is no schema at this location');
    return { target, anchor: null };
  }

  #find(uri: string): Resource | undefined {
    const known = this.#resources.get(uri);
    if (known !== undefined) return known;
    const document = this.#offered.get(uri) ?? this.#standard(uri);
    if (document !== undefined) this.add(uri, document);
    return this.#resources.get(uri);
  }
}

/** Reads the vocabularies of a meta-schema from `$vocabulary`; all of 2020-12 if it is missing. */
function readDialect(metaSchema: JsonObject, uri: string): Dialect {
  const vocabulary = metaSchema['$vocabulary'];
  if (!isObject(vocabulary)) return STANDARD;
  const has = (name: string): boolean => Object.hasOwn(vocabulary, VOCABULARY + name);
  for (const [name, isRequired] of Object.entries(vocabulary))
    if (isRequired === true && !SUPPORTED_VOCABULARIES.has(name))
      throw new SchemaError(
        `must not use the meta-schema ${quoted(uri)}, which requires the unsupported vocabulary ${quoted(name)}`,
      );
  return {
    applicator: has('applicator'),
    unevaluated: has('unevaluated'),
    validation: has('validation'),
    format: has('format-annotation') || has('format-assertion'),
  };
}

const SUPPORTED_VOCABULARIES: ReadonlySet<string> = new Set(
  [
    'core',
    'applicator',
    'unevaluated',
    'validation',
    'format-annotation',
    'format-assertion',
    'meta-data',
    'content',
  ].map((name) => VOCABULARY + name),
);

function split(text: string, base: string | undefined, keyword: string): { uri: string; fragment: string } {
  const url = URL.parse(text, base);
  if (url === null) throw new SchemaError(`${keyword} must be a URI, not ${quoted(text)}`);
  let fragment: string;
  try {
    fragment = decodeURIComponent(url.hash.slice(1));
  } catch {
    throw new SchemaError(`${keyword} must be a URI, not ${quoted(text)}: the fragment is malformed`);
  }
  url.hash = '';
  return { uri: url.href, fragment };
}

function resolvePointer(document: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const coded of pointer.slice(1).split('/')) {
    const step = coded.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Array.isArray(value) ? value[Number(step)] : value[step];
  }
  return value;
}

function unresolved(reference: string, reason: string): SchemaError {
  return new SchemaError(
    `has an unresolved reference ${quoted(reference)}: ${reason}. Nothing is fetched; provide other documents in "schemas"`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
