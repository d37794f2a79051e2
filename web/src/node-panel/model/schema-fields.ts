import { isRecord } from './json-pointer.ts';

export type SchemaField = { readonly name: string; readonly type: string; readonly isRequired: boolean };

export const schemaTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

const KNOWN = new Set(['type', 'properties', 'required']);

/** The fields of a JSON Schema that says no more than names, types and which are required; otherwise null. */
export function readSchemaFields(schema: unknown): SchemaField[] | null {
  if (schema === undefined) return [];
  if (!isRecord(schema) || Object.keys(schema).some((key) => !KNOWN.has(key))) return null;
  const { type = 'object', properties = {}, required = [] } = schema;
  if (type !== 'object' || !isRecord(properties) || !Array.isArray(required)) return null;
  const names = Object.keys(properties);
  if (required.some((name) => !names.includes(name as string))) return null;
  const fields = names.map((name): SchemaField | null => {
    const part = properties[name];
    if (!isRecord(part) || Object.keys(part).some((key) => key !== 'type')) return null;
    const { type: kind = '' } = part;
    if (typeof kind !== 'string' || (kind !== '' && !schemaTypes.some((one) => one === kind))) return null;
    return { name, type: kind, isRequired: required.includes(name) };
  });
  return fields.includes(null) ? null : (fields as SchemaField[]);
}

export function writeSchemaFields(fields: readonly SchemaField[]): Record<string, unknown> {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, type }) => [name, type === '' ? {} : { type }])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The schema that a value fits: its fields are required and have the types of the value. */
export function inferSchema(value: unknown): Record<string, unknown> | null {
  if (!isRecord(value)) return null;
  return writeSchemaFields(
    Object.entries(value).map(([name, each]) => ({ name, type: getType(each), isRequired: each !== null })),
  );
}

function getType(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
