import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { NpmOperation } from './npm-packs.ts';
import type { OpenApiOperation, PackManifest, PackOperation } from './packs.ts';

type OperationName = { readonly id: string; readonly title: string };

/**
 * The fields of an operation that two versions both have. A field is `path.owner`, `query.page`, `body` or
 * `body.title`, and for a package its own name; `required` are fields that were optional, or that are new and
 * required. `properties` are other differences: `method`, `path`, `security`, `idempotent`, …
 */
export type OperationChange = OperationName & {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly required: readonly string[];
  readonly properties: readonly string[];
};

export type PackDifference = {
  readonly added: readonly OperationName[];
  readonly removed: readonly OperationName[];
  readonly changed: readonly OperationChange[];
};

type Field = { readonly required: boolean; readonly definition: unknown };

const PROPERTIES = ['method', 'path', 'deprecated', 'response', 'security', 'servers', 'idempotent'] as const;

/** Compares two versions of a pack. Descriptions and examples do not count. */
export function comparePacks(before: PackManifest, after: PackManifest): PackDifference {
  const old = new Map(before.operations.map((operation) => [operation.id, operation]));
  const added: OperationName[] = [];
  const changed: OperationChange[] = [];
  for (const operation of after.operations) {
    const previous = old.get(operation.id);
    old.delete(operation.id);
    if (previous === undefined) {
      added.push(toOperationName(operation));
      continue;
    }
    const change = compareOperations(previous, operation);
    if (change !== null) changed.push(change);
  }
  return { added, removed: [...old.values()].map(toOperationName), changed };
}

function toOperationName({ id, title }: PackOperation): OperationName {
  return { id, title };
}

function compareOperations(before: PackOperation, after: PackOperation): OperationChange | null {
  const old = listFields(before);
  const fields = listFields(after);
  const added: string[] = [];
  const changed: string[] = [];
  const required: string[] = [];
  for (const [name, field] of fields) {
    const previous = old.get(name);
    if (previous === undefined) added.push(name);
    else if (!isDeepStrictEqual(previous.definition, field.definition)) changed.push(name);
    if (field.required && previous?.required !== true) required.push(name);
  }
  const removed = [...old.keys()].filter((name) => !fields.has(name));
  const [earlier, later]: Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }];
  const properties: string[] = PROPERTIES.filter(
    (name) => !isDeepStrictEqual(withoutNotes(earlier?.[name] as Json), withoutNotes(later?.[name] as Json)),
  );
  const isSame = [added, removed, changed, required, properties].every((list) => list.length === 0);
  return isSame ? null : { ...toOperationName(after), added, removed, changed, required, properties };
}

function listFields(operation: PackOperation): Map<string, Field> {
  return 'parameters' in operation ? listParameters(operation) : listProperties(operation);
}

function listProperties({ properties }: NpmOperation): Map<string, Field> {
  return new Map(
    properties.map(({ name, required, title: _title, description: _description, ...definition }) => [
      name,
      { required, definition },
    ]),
  );
}

/** The parameters, the body, and the fields of the body if it is an object. */
function listParameters({ parameters, body }: OpenApiOperation): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const { name, in: location, required, schema, ...serialization } of parameters)
    fields.set(`${location}.${name}`, {
      required,
      definition: { serialization, schema: withoutNotes(schema) },
    });
  if (body === null) return fields;
  const { properties, required, ...rest } = body.schema;
  const { contentType, encoding } = body;
  fields.set('body', {
    required: body.required,
    definition: { contentType, encoding, schema: withoutNotes(rest) },
  });
  const names = Array.isArray(required) ? required : [];
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {}))
    fields.set(`body.${name}`, { required: names.includes(name), definition: withoutNotes(schema) });
  return fields;
}

const NOTES = new Set(['title', 'description', 'example', 'examples', '$comment']);

/** Copies a schema without its annotations. Names of properties are not annotations. */
function withoutNotes(schema: Json | undefined, isMap = false): Json {
  if (Array.isArray(schema)) return schema.map((one) => withoutNotes(one));
  if (!isObject(schema)) return schema ?? null;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isMap && NOTES.has(key)) continue;
    Object.defineProperty(kept, key, {
      value: withoutNotes(value, !isMap && key === 'properties'),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return kept;
}
