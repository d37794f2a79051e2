import type { PackBody, PackEncoding, OpenApiOperation } from '../../contract/packs/packs.ts';
import type { SecurityRequirement } from '../../contract/packs/pack-security.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseMediaType } from '../../lib/network/media-type.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { DocumentError, toPointer } from './document.ts';
import { readParameters, readSerialization, type ParameterContext } from './parameters.ts';
import { readSecurity } from './security.ts';
import { readServers } from './servers.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
const MAX_OPERATIONS = 5_000;
const MAX_PATH_LENGTH = 4_000;
const MAX_ID_LENGTH = 200;
const MAX_TITLE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_TAGS = 20;

export type OperationSource = ParameterContext & {
  readonly document: JsonObject;
  readonly documentUrl: string | null;
  readonly schemeIds: ReadonlySet<string>;
};

/** All operations of a document, in its order. @throws {DocumentError} */
export function readOperations(source: OperationSource): OpenApiOperation[] {
  const { document, documentUrl, references } = source;
  const security = readSecurity(document['security'], source.schemeIds);
  const paths = isObject(document['paths']) ? document['paths'] : {};
  const unique = findUniqueIds(paths);
  const found = new Map<string, OpenApiOperation>();
  for (const [path, given] of Object.entries(paths)) {
    // Extensions.
    if (!path.startsWith('/')) continue;
    if (path.length > MAX_PATH_LENGTH)
      throw new DocumentError(`must have paths of at most ${MAX_PATH_LENGTH} characters`, '#/paths');
    const location = toPointer(['paths', path]);
    const item = references.object(given, location);
    if (item === null) continue;
    const servers = item['servers'] === undefined ? null : readServers(item['servers'], documentUrl);
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      if (found.size === MAX_OPERATIONS)
        throw new DocumentError(`must have at most ${MAX_OPERATIONS} operations`, location);
      const ownId = readText(operation['operationId']);
      const id = unique.has(ownId) ? ownId : `${method} ${path}`;
      const read = readOperation({ source, id, path, item, method, operation, security });
      found.set(id, { ...read, servers: orNull(read.servers) ?? orNull(servers) });
    }
  }
  if (found.size === 0) throw new DocumentError('must have at least one operation', '#/paths');
  return [...found.values()];
}

function orNull<T>(list: readonly T[] | null): readonly T[] | null {
  return list === null || list.length === 0 ? null : list;
}

/** The ids that only one operation has. A repeated id would name another operation in the next version. */
function findUniqueIds(paths: JsonObject): Set<string> {
  const counts = new Map<string, number>();
  for (const item of Object.values(paths))
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined;
      const id = isObject(operation) ? readText(operation['operationId']) : '';
      if (id !== '') counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  return new Set(
    [...counts].flatMap(([id, count]) => (count === 1 && id.length <= MAX_ID_LENGTH ? [id] : [])),
  );
}

type Found = {
  readonly source: OperationSource;
  readonly id: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly method: (typeof METHODS)[number];
  readonly operation: JsonObject;
  readonly security: readonly SecurityRequirement[];
};

function readOperation({ source, id, path, item, method, operation, security }: Found): OpenApiOperation {
  const location = toPointer(['paths', path, method]);
  const { summary, tags } = operation;
  return {
    id,
    method: method.toUpperCase() as OpenApiOperation['method'],
    // A query in a path is not allowed, but common; its part is sent as it is.
    path,
    title: truncateText(readText(summary) || readText(item['summary']) || id, MAX_TITLE_LENGTH),
    description: truncateText(readText(operation['description']), MAX_DESCRIPTION_LENGTH),
    tags: (Array.isArray(tags) ? tags : [])
      .filter((tag): tag is string => typeof tag === 'string')
      .slice(0, MAX_TAGS),
    deprecated: operation['deprecated'] === true,
    parameters: readParameters(path, [item['parameters'], operation['parameters']], source, location),
    body: readBody(operation['requestBody'], source, `${location}/requestBody`),
    response: readResponse(operation['responses'], source, `${location}/responses`),
    security:
      operation['security'] === undefined ? security : readSecurity(operation['security'], source.schemeIds),
    servers: readServers(operation['servers'], source.documentUrl),
  };
}

/** Media types of a body, most useful first. */
const BODY_TYPES = [
  (type: string) => type === 'application/json',
  (type: string) => type.endsWith('+json'),
  (type: string) => type.includes('json'),
  (type: string) => type === 'application/x-www-form-urlencoded',
  (type: string) => type === 'multipart/form-data',
  (type: string) => type.startsWith('text/'),
];

function chooseType(content: JsonObject): string | undefined {
  const types = Object.keys(content);
  for (const isWanted of BODY_TYPES) {
    const found = types.find((type) => isWanted(parseMediaType(type)));
    if (found !== undefined) return found;
  }
  // Any type: JSON is the most likely.
  return types.find((type) => type !== '*/*') ?? types[0];
}

function readBody(given: Json | undefined, source: OperationSource, location: string): PackBody | null {
  const { references, schemas } = source;
  const body = references.object(given, location);
  const content = body === null ? null : body['content'];
  if (body === null || !isObject(content)) return null;
  const chosen = chooseType(content);
  if (chosen === undefined) return null;
  const type = chosen === '*/*' ? 'application/json' : chosen;
  const media = references.object(content[chosen], location) ?? {};
  const { example, encoding } = media;
  const schema = schemas.read(media['schema'], 'request', `${location}/content/${type}`);
  const description = readText(body['description']);
  const isForm =
    type.startsWith('multipart/') || parseMediaType(type) === 'application/x-www-form-urlencoded';
  return {
    required: body['required'] === true,
    contentType: type,
    schema: {
      ...schema,
      ...(description === '' ? {} : schemas.read({ description }, 'request', location)),
      ...(example === undefined ? {} : schemas.read({ example }, 'request', location)),
    },
    encoding: isForm && isObject(encoding) ? readEncoding(encoding) : {},
  };
}

function readEncoding(encoding: JsonObject): Record<string, PackEncoding> {
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([name, given]): [string, PackEncoding][] => {
      if (!isObject(given)) return [];
      const { contentType, style, explode, allowReserved } = given;
      // A style that is stated takes the place of the media type.
      const isStyled = [style, explode, allowReserved].some((one) => one !== undefined);
      const type = typeof contentType === 'string' && !isStyled ? contentType : null;
      return [[name, { ...readSerialization(given, 'query'), contentType: type }]];
    }),
  );
}

/** The first successful response; `default` if there is none. */
function readResponse(
  given: Json | undefined,
  source: OperationSource,
  location: string,
): OpenApiOperation['response'] {
  if (!isObject(given)) return null;
  const status =
    Object.keys(given)
      .filter((key) => key.startsWith('2'))
      .toSorted()[0] ?? (given['default'] === undefined ? undefined : 'default');
  if (status === undefined) return null;
  const response = source.references.object(given[status], `${location}/${status}`);
  const content = response === null ? null : response['content'];
  if (!isObject(content)) return null;
  const type = chooseType(content);
  if (type === undefined) return null;
  const media = source.references.object(content[type], location);
  const schema = media === null ? undefined : media['schema'];
  return {
    contentType: type,
    schema: schema === undefined ? null : source.schemas.read(schema, 'response', `${location}/${status}`),
  };
}

function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}
