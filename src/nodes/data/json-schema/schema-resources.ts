import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { SchemaError } from './schema-error.ts';
import { innerSchemas } from './schema-walk.ts';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const VOCABULARY = 'https://json-schema.org/draft/2020-12/vocab/';
/** Where a schema without an `$id` is said to be: nothing else can have this address. */
const NOWHERE = 'weft-schema://this/';

/** Which groups of keywords have a meaning. */
export type Dialect = {
  readonly applicator: boolean;
  readonly unevaluated: boolean;
  readonly validation: boolean;
  readonly format: boolean;
};
const STANDARD: Dialect = { applicator: true, unevaluated: true, validation: true, format: true };

/** A schema with an address, and what in it is known by name; the schemas inside it that have one of their own are others. */
export type Resource = {
  readonly uri: string;
  readonly root: JsonObject;
  readonly dialect: Dialect;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
};

/** `anchor`: the name to look for in the schemas one came through, where `$dynamicRef` leads to such a name. */
export type DynamicReference = { readonly target: Json; readonly anchor: string | null };

/** Schemas whose references are all resolved. */
export type SchemaSet = {
  readonly root: JsonObject;
  /** Every schema there is, with the resource that it belongs to. */
  readonly resourceOf: ReadonlyMap<JsonObject, Resource>;
  readonly references: ReadonlyMap<JsonObject, Json>;
  readonly dynamicReferences: ReadonlyMap<JsonObject, DynamicReference>;
};

/**
 * Finds every schema in a schema and in the documents it was given (by address), and resolves every reference. `standard` gives
 * the documents that everybody knows, such as the schema of schemas. Nothing is ever fetched. @throws {SchemaError}
 */
export function resolveSchemas(
  root: JsonObject,
  documents: Readonly<Record<string, JsonObject>>,
  standard: (address: string) => JsonObject | undefined,
): SchemaSet {
  const index = new Index(standard);
  for (const [address, document] of Object.entries(documents)) index.offer(address, document);
  index.add(NOWHERE, root);
  index.addOffered();
  const references = new Map<JsonObject, Json>();
  const dynamicReferences = new Map<JsonObject, DynamicReference>();
  // It grows while it is read: by what the references lead to.
  for (const [schema, resource] of index.resourceOf) {
    const { $ref: reference, $dynamicRef: dynamic } = schema;
    if (typeof reference === 'string') references.set(schema, index.resolve(reference, resource).target);
    if (typeof dynamic === 'string') dynamicReferences.set(schema, index.resolve(dynamic, resource));
  }
  return { root, resourceOf: index.resourceOf, references, dynamicReferences };
}

class Index {
  readonly resourceOf = new Map<JsonObject, Resource>();
  readonly #resources = new Map<string, Resource>();
  readonly #offered = new Map<string, JsonObject>();
  readonly #standard: (address: string) => JsonObject | undefined;

  constructor(standard: (address: string) => JsonObject | undefined) {
    this.#standard = standard;
  }

  /** A document by the address that references name; read when one does, or by `addOffered`. */
  offer(address: string, document: JsonObject): void {
    const { uri, fragment } = split(address, undefined, 'schemas');
    if (fragment !== '') throw new SchemaError(`schemas: takes addresses without #, not ${quoted(address)}`);
    this.#offered.set(uri, document);
  }

  addOffered(): void {
    for (const uri of this.#offered.keys()) this.#find(uri);
  }

  add(address: string, document: JsonObject): void {
    const work: { schema: Json; around: Resource | null }[] = [{ schema: document, around: null }];
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { schema, around } = item;
      if (!isObject(schema) || this.resourceOf.has(schema)) continue;
      const resource = this.#resourceOf(schema, around, address);
      this.resourceOf.set(schema, resource);
      const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
      if (typeof anchor === 'string') resource.anchors.set(anchor, schema);
      if (typeof dynamicAnchor === 'string') {
        resource.anchors.set(dynamicAnchor, schema);
        resource.dynamicAnchors.set(dynamicAnchor, schema);
      }
      for (const inner of innerSchemas(schema)) work.push({ schema: inner.schema, around: resource });
    }
  }

  #resourceOf(schema: JsonObject, around: Resource | null, address: string): Resource {
    const id = schema['$id'];
    if (around !== null && typeof id !== 'string') return around;
    const uri = typeof id === 'string' ? split(id, around?.uri ?? address, '$id').uri : address;
    const dialect = this.#dialect(schema, around);
    const resource = { uri, root: schema, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    const known = this.#resources.get(uri);
    if (known !== undefined && known.root !== schema)
      throw new SchemaError(`has two schemas with the $id ${quoted(uri)}`);
    this.#resources.set(uri, resource);
    // A document is known by the address that it was given under, too.
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
      throw new SchemaError(
        `takes a schema of ${DIALECT}, or of one that "schemas" has; not of ${quoted(uri)}`,
      );
    return dialectOf(document, uri);
  }

  /** Where a reference in a resource leads. */
  resolve(reference: string, from: Resource): DynamicReference {
    const { uri, fragment } = split(reference, from.uri, '$ref');
    const resource = this.#find(uri);
    if (resource === undefined) throw unresolved(reference, 'no schema here has that address');
    if (fragment === '') return { target: resource.root, anchor: null };
    if (!fragment.startsWith('/')) {
      const target = resource.anchors.get(fragment);
      if (target === undefined) throw unresolved(reference, 'that schema has no such anchor');
      return { target, anchor: resource.dynamicAnchors.has(fragment) ? fragment : null };
    }
    const target = valueAt(resource.root, fragment);
    if (typeof target !== 'boolean' && !(isObject(target) && this.resourceOf.has(target)))
      throw unresolved(reference, 'there is no schema at that place');
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

/** The meaning of keywords by the `$vocabulary` of a schema of schemas; all of 2020-12 when it names none. */
function dialectOf(metaSchema: JsonObject, uri: string): Dialect {
  const vocabulary = metaSchema['$vocabulary'];
  if (!isObject(vocabulary)) return STANDARD;
  const has = (name: string): boolean => Object.hasOwn(vocabulary, VOCABULARY + name);
  for (const [name, isRequired] of Object.entries(vocabulary))
    if (isRequired === true && !KNOWN.has(name))
      throw new SchemaError(`takes no schema of ${quoted(uri)}: it needs the vocabulary ${quoted(name)}`);
  return {
    applicator: has('applicator'),
    unevaluated: has('unevaluated'),
    validation: has('validation'),
    format: has('format-annotation') || has('format-assertion'),
  };
}

const KNOWN: ReadonlySet<string> = new Set(
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
  if (url === null) throw new SchemaError(`${keyword}: takes an address, not ${quoted(text)}`);
  let fragment: string;
  try {
    fragment = decodeURIComponent(url.hash.slice(1));
  } catch {
    throw new SchemaError(
      `${keyword}: takes an address, not ${quoted(text)}: what is behind # is not readable`,
    );
  }
  url.hash = '';
  return { uri: url.href, fragment };
}

function valueAt(document: JsonObject, pointer: string): Json | undefined {
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
    `can't resolve reference ${quoted(reference)}: ${reason}; nothing is fetched, other documents are given in "schemas"`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
