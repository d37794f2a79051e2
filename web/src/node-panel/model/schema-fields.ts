import { isRecord } from './field-path.ts';

/** `fields` are those of an object; empty for other types, and for an object with any fields. */
export type SchemaField = {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly fields: readonly SchemaField[];
};

export const schemaTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

const SUPPORTED_KEYWORDS = new Set(['type', 'properties', 'required']);
/** The levels of a table; a deeper schema is edited as JSON, and deeper data is only an object. */
export const MAX_DEPTH = 4;
/** The fields of a webhook trigger's output. Only the body is the sender's data. */
const WEBHOOK_FIELDS = ['body', 'headers', 'method', 'params', 'query'];

/** The fields of a JSON Schema that states only names, types and which are required; otherwise null. */
export function readSchemaFields(schema: unknown): readonly SchemaField[] | null {
  return schema === undefined ? [] : readFields(schema, 1);
}

function readFields(schema: unknown, depth: number): readonly SchemaField[] | null {
  if (
    depth > MAX_DEPTH ||
    !isRecord(schema) ||
    Object.keys(schema).some((key) => !SUPPORTED_KEYWORDS.has(key))
  )
    return null;
  const { type = 'object', properties = {}, required = [] } = schema;
  if (type !== 'object' || !isRecord(properties) || !Array.isArray(required)) return null;
  const names = Object.keys(properties);
  if (required.some((name) => !names.includes(name as string))) return null;
  const fields: SchemaField[] = [];
  for (const name of names) {
    const field = readField(name, properties[name], required.includes(name), depth);
    if (field === null) return null;
    fields.push(field);
  }
  return fields;
}

function readField(name: string, part: unknown, isRequired: boolean, depth: number): SchemaField | null {
  if (!isRecord(part)) return null;
  const { type = '' } = part;
  if (type === 'object') {
    const fields = 'properties' in part || 'required' in part ? readFields(part, depth + 1) : [];
    if (fields === null || Object.keys(part).some((key) => !SUPPORTED_KEYWORDS.has(key))) return null;
    return { name, type, isRequired, fields };
  }
  const isKnown = type === '' || schemaTypes.some((one) => one === type);
  if (!isKnown || Object.keys(part).some((key) => key !== 'type')) return null;
  return { name, type: type as string, isRequired, fields: [] };
}

export function writeSchemaFields(fields: readonly SchemaField[]): Record<string, unknown> {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, writeField(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function writeField({ type, fields }: SchemaField): Record<string, unknown> {
  if (type === 'object' && fields.length > 0) return writeSchemaFields(fields);
  return type === '' ? {} : { type };
}

/**
 * A schema that the value matches: its fields are required and have the types of the value. For the input of
 * a webhook trigger, only the body is described, because headers and parameters vary.
 */
export function inferSchema(value: unknown): Record<string, unknown> | null {
  if (!isRecord(value)) return null;
  const isWebhookInput = WEBHOOK_FIELDS.every((name) => name in value);
  return writeSchemaFields(inferFields(isWebhookInput ? { body: value['body'] } : value, 1));
}

function inferFields(value: Readonly<Record<string, unknown>>, depth: number): SchemaField[] {
  return Object.entries(value).map(([name, each]) => ({
    name,
    type: getType(each),
    isRequired: each !== null,
    fields: isRecord(each) && depth < MAX_DEPTH ? inferFields(each, depth + 1) : [],
  }));
}

function getType(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
