import { listSecretsInText, type Credential } from '../../credentials/credential.ts';
import type { Catalog, NodeType } from './catalog.ts';
import { isObject, type Entry, type Json, type JsonObject } from './document.ts';

const cache = new WeakMap<Catalog, WeakMap<Entry, readonly Credential[]>>();

/** The connections and secrets that a node uses, each once, connections first. */
export function listCredentials(entry: Entry, catalog: Catalog): readonly Credential[] {
  let byEntry = cache.get(catalog);
  if (byEntry === undefined) cache.set(catalog, (byEntry = new WeakMap()));
  let found = byEntry.get(entry);
  if (found === undefined) {
    const all = [
      ...listByType(catalog.get(entry.type), entry.config ?? {}),
      ...listByTemplates(entry.config ?? {}),
    ].toSorted((a, b) => a.kind.localeCompare(b.kind));
    found = all.filter(
      ({ kind, name }, i) => all.findIndex((one) => one.kind === kind && one.name === name) === i,
    );
    byEntry.set(entry, found);
  }
  return found;
}

/** The forms of a pack are not in the catalog. All of them authenticate as `http_request` does. */
function listByType(type: NodeType | undefined, config: JsonObject): Credential[] {
  if (type?.pack == null) return listBySchema(type?.config_schema as Json | undefined, config);
  const { authentication } = config;
  const name = isObject(authentication) ? authentication['credential'] : undefined;
  return typeof name === 'string' && name !== '' && !name.includes('{{')
    ? [{ kind: 'connection', name }]
    : [];
}

function listByTemplates(value: Json): Credential[] {
  if (typeof value === 'string') return listSecretsInText(value).map((name) => ({ kind: 'secret', name }));
  return listParts(value).flatMap(([, part]) => listByTemplates(part));
}

/** The values of fields whose schema marks them as the name of a secret or a connection. */
function listBySchema(schema: Json | undefined, value: Json): Credential[] {
  if (!isObject(schema)) return [];
  if (typeof value === 'string') {
    if (value === '' || value.includes('{{')) return [];
    if (schema['format'] === 'weft-secret') return [{ kind: 'secret', name: value }];
    if (schema['format'] === 'weft-connection') return [{ kind: 'connection', name: value }];
    return [];
  }
  if (value === null || typeof value !== 'object') return [];
  const variants = schema['oneOf'];
  if (Array.isArray(variants))
    return (variants as readonly Json[])
      .filter((variant) => isObject(variant) && fits(variant, value))
      .flatMap((variant) => listBySchema(variant, value));
  const { properties, items, additionalProperties: others } = schema;
  return listParts(value).flatMap(([key, part]) =>
    listBySchema(key === null ? items : isObject(properties) ? (properties[key] ?? others) : others, part),
  );
}

/** Whether the constants of a variant are those of the value, such as the type of an authentication. */
function fits({ properties }: JsonObject, value: Json): boolean {
  return (
    isObject(properties) &&
    isObject(value) &&
    Object.entries(properties).every(
      ([key, part]) => !isObject(part) || part['const'] === undefined || part['const'] === value[key],
    )
  );
}

/** The fields of an object by their keys, or the entries of a list. */
function listParts(value: Json): [key: string | null, part: Json][] {
  if (Array.isArray(value)) return (value as readonly Json[]).map((part) => [null, part]);
  return isObject(value) ? Object.entries(value) : [];
}
