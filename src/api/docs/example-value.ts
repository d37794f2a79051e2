import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { exampleResponses } from './example-responses.ts';

/** Example values by field name, for schemas without an example. */
const exampleFields: Readonly<Record<string, Json>> = {
  name: 'WAREHOUSE_TOKEN',
  description: '',
  version: '1.0.0',
  url: 'http://127.0.0.1:8080/v1/webhooks/orders',
  email: 'ada@example.com',
  workflow_id: 'wf_01kjqv8w2mzr4c',
  execution_id: 'ex_01kjqvk3d8f0ws',
  user_id: 'usr_01kjqtz9h4n2xe',
  owner_id: 'usr_01kjqtz9h4n2xe',
  node_id: 'tell_warehouse',
  current_node: 'tell_warehouse',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXMifQ.c2ln',
  progress: 0.5,
};
const TIME = '2026-03-02T09:20:11.004Z';

/** Creates an example of a schema: the example of its component, or one composed of its fields. */
export function createExample(schema: JsonObject, components: JsonObject): Json {
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    const written = exampleResponses[name];
    if (written !== undefined) return written;
    const target = components[name];
    return isObject(target) ? createExample(target, components) : {};
  }
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['examples'] !== undefined) return (schema['examples'] as Json[])[0] ?? null;
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) return createExample(variants[0] as JsonObject, components);
  return createByType(schema, components);
}

function createByType(schema: JsonObject, components: JsonObject): Json {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'object':
      return createFromFields(schema, components);
    case 'array':
      return isObject(schema['items']) ? [createExample(schema['items'], components)] : [];
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'string':
      return schema['format'] === 'date-time' ? TIME : 'text';
    case 'null':
      return null;
    default:
      return {};
  }
}

function createFromFields(schema: JsonObject, components: JsonObject): JsonObject {
  const result: JsonObject = {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field)) continue;
    const known = exampleFields[name];
    const isPlain = [field['type']].flat().includes(typeof known === 'number' ? 'number' : 'string');
    const isFree = field['enum'] === undefined && field['const'] === undefined;
    result[name] =
      known !== undefined && isPlain && isFree && field['format'] === undefined
        ? known
        : createExample(field, components);
  }
  return result;
}
