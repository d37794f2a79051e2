import type { NodeType } from '../../canvas/model/catalog.ts';
import { isRecord } from './field-path.ts';

/** Keywords of a configuration's schema; see "Output" in docs/custom-nodes.md. */
const OUTPUT_KEYWORD = 'x-output';
const FROM_KEYWORD = 'x-from';

/** Deeper levels of a schema have no sample. */
const MAX_DEPTH = 8;
const SAMPLE_TIME = '2026-01-01T12:00:00Z';

type Sources = { readonly config: Record<string, unknown>; readonly input: unknown };

/** A sample of a node's output; undefined if the type has no description or the input is unknown. */
export function createSampleOutput(type: NodeType | undefined, sources: Sources): unknown {
  const described = type === undefined ? undefined : outputSchema(type.config_schema, sources.config);
  return described === undefined ? undefined : sample(described, sources, 0);
}

/** The description of the whole configuration, or of the variant that the configuration selects. */
function outputSchema(schema: unknown, config: Record<string, unknown>): unknown {
  if (!isRecord(schema)) return undefined;
  const { oneOf, discriminator } = schema;
  if (Array.isArray(oneOf) && isRecord(discriminator)) {
    const tag = String(discriminator['propertyName']);
    const variant = oneOf.find((one) => isRecord(one) && getConstant(one, tag) === config[tag]) as unknown;
    if (isRecord(variant) && variant[OUTPUT_KEYWORD] !== undefined) return variant[OUTPUT_KEYWORD];
  }
  return schema[OUTPUT_KEYWORD];
}

function getConstant(variant: Record<string, unknown>, tag: string): unknown {
  const { properties } = variant;
  const field = isRecord(properties) ? properties[tag] : undefined;
  return isRecord(field) ? field['const'] : undefined;
}

function sample(schema: unknown, sources: Sources, depth: number): unknown {
  if (!isRecord(schema) || depth > MAX_DEPTH) return undefined;
  const from = schema[FROM_KEYWORD];
  if (from === 'input') return sources.input;
  if (typeof from === 'string' && from.startsWith('config.'))
    return sample(asSchema(sources.config[from.slice('config.'.length)]), sources, depth + 1);
  const given = findDeclaredSample(schema);
  if (given !== undefined) return given;
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const parts = schema[keyword];
    if (Array.isArray(parts) && parts.length > 0) return combineSamples(keyword, parts, sources, depth);
  }
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return schema['format'] === 'date-time' ? SAMPLE_TIME : 'text';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const item = sample(schema['items'], sources, depth + 1);
      return item === undefined ? [] : [item];
    }
  }
  const { properties } = schema;
  if (isRecord(properties)) return sampleProperties(properties, sources, depth);
  return schema['type'] === 'object' ? {} : undefined;
}

function findDeclaredSample(schema: Record<string, unknown>): unknown {
  const { examples, enum: values } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['example'] !== undefined) return schema['example'];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (schema['default'] !== undefined) return schema['default'];
  return Array.isArray(values) ? values[0] : undefined;
}

function combineSamples(
  keyword: string,
  parts: readonly unknown[],
  sources: Sources,
  depth: number,
): unknown {
  if (keyword !== 'allOf') return sample(parts[0], sources, depth + 1);
  const samples = parts.map((part) => sample(part, sources, depth + 1)).filter(isRecord);
  return samples.length === 0 ? undefined : Object.assign({}, ...samples);
}

function sampleProperties(
  properties: Record<string, unknown>,
  sources: Sources,
  depth: number,
): Record<string, unknown> {
  const entries = Object.entries(properties)
    // A property of any type has no sample, and its name is offered all the same.
    .map(([name, schema]) => [name, sample(schema, sources, depth + 1) ?? null] as const);
  return Object.fromEntries(entries);
}

/** A JSON Schema, or the short form of the webhook trigger: the name of a type for each field. */
function asSchema(value: unknown): unknown {
  if (!isRecord(value) || Object.keys(value).length === 0) return undefined;
  if (!Object.values(value).every((type) => typeof type === 'string') || value['type'] === 'object')
    return value;
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(value).map(([name, type]) => [name, type === 'any' ? {} : { type }]),
    ),
  };
}
