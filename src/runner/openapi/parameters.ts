import {
  parameterLocations,
  parameterStyles,
  type PackParameter,
  type ParameterLocation,
  type ParameterStyle,
  type Serialization,
} from '../../contract/packs/packs.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { DocumentError } from './document.ts';
import type { FormSchemas } from './form-schema.ts';
import type { References } from './references.ts';

/** Styles that OpenAPI defines for each location; the first one is the default. */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
/** More are not a form that people fill in, and would take long to validate. */
const MAX_PARAMETERS = 500;
const MAX_NAME_LENGTH = 1_000;
/** Headers that other parts of a request set; OpenAPI requires that parameters of these names are ignored. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

export type ParameterContext = {
  readonly references: References;
  readonly schemas: FormSchemas;
  /** Parameters already read, which many operations share; null: not a valid one. */
  readonly known: Map<JsonObject, PackParameter | null>;
};

/**
 * The parameters of an operation; its own replace those of its path. Path parameters are the ones that the
 * path contains, whether they are described or not. @throws {DocumentError}
 */
export function readParameters(
  path: string,
  lists: readonly (Json | undefined)[],
  context: ParameterContext,
  position: string,
): PackParameter[] {
  const { references, schemas, known } = context;
  const found = new Map<string, PackParameter>();
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const [i, given] of list.entries()) {
      const at = `${position}/parameters/${i}`;
      const parameter = references.object(given, at);
      if (parameter === null) continue;
      if (found.size === MAX_PARAMETERS)
        throw new DocumentError(`must have at most ${MAX_PARAMETERS} parameters`, position);
      const { name } = parameter;
      if (typeof name === 'string' && name.length > MAX_NAME_LENGTH)
        throw new DocumentError(`must have a name of at most ${MAX_NAME_LENGTH} characters`, at);
      let read = known.get(parameter);
      if (read === undefined) known.set(parameter, (read = readParameter(parameter, schemas, at)));
      if (read !== null) found.set(`${read.in}\n${read.name}`, read);
    }
  }
  const inPath = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name));
  for (const name of inPath) {
    const key = `path\n${name}`;
    if (!found.has(key)) found.set(key, { ...IMPLIED, name });
  }
  return [...found.values()].filter((one) => one.in !== 'path' || inPath.has(one.name));
}

const IMPLIED = {
  in: 'path',
  style: 'simple',
  explode: false,
  allowReserved: false,
  required: true,
  deprecated: false,
  contentType: null,
  schema: { type: 'string' },
} as const;

function readParameter(parameter: JsonObject, schemas: FormSchemas, position: string): PackParameter | null {
  const { name, in: given, content, schema } = parameter;
  const location = parameterLocations.find((one) => one === given);
  if (typeof name !== 'string' || name === '' || location === undefined) return null;
  if (location === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return null;
  const [contentType, media] = isObject(content) ? (Object.entries(content)[0] ?? []) : [];
  const shape = isObject(media) ? media['schema'] : schema;
  const read = schemas.read(shape, 'request', position);
  const notes: JsonObject = {};
  for (const key of ['description', 'example', 'examples', 'deprecated'])
    if (parameter[key] !== undefined) notes[key] = parameter[key];
  const own = schemas.read(withExamples(notes), 'request', position);
  return {
    name,
    in: location,
    required: parameter['required'] === true || location === 'path',
    deprecated: parameter['deprecated'] === true,
    contentType: contentType ?? null,
    schema: { ...read, ...own },
    ...readSerialization(parameter, location),
  };
}

/** Named examples, of which the values count. */
function withExamples(notes: JsonObject): JsonObject {
  const { examples } = notes;
  if (!isObject(examples)) return notes;
  const values = Object.values(examples).flatMap((one) =>
    isObject(one) && one['value'] !== undefined ? [one['value']] : [],
  );
  return { ...notes, examples: values };
}

export function readSerialization(
  { style, explode, allowReserved }: JsonObject,
  location: ParameterLocation,
): Serialization {
  const allowed = STYLES[location];
  const used = parameterStyles.find((one) => one === style && allowed.includes(one)) ?? allowed[0] ?? 'form';
  return {
    style: used,
    explode: typeof explode === 'boolean' ? explode : used === 'form' || used === 'deepObject',
    allowReserved: allowReserved === true && location === 'query',
  };
}
