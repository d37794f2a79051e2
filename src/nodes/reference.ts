import type { TSchema } from 'typebox';
import type { NodeExample, NodeType, OutputPort } from '../contract/node-type.ts';

type Schema = TSchema & {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
};

/** Fields of every node; documented once. */
const COMMON: ReadonlySet<string> = new Set(['retryPolicy', 'timeout']);

/** Renders the reference page of all node types in Markdown. */
export function renderNodeReference(types: readonly NodeType[]): string {
  const [first] = types;
  return [
    '# Nodes',
    '',
    'Generated from the node types. Do not edit.',
    '',
    ...types.map((type) => `- [\`${type.type}\`](#${type.type}): ${extractFirstSentence(type.description)}`),
    '',
    '## Common fields',
    '',
    'Strings in a configuration may contain templates (`{{ input.name }}`), except in fields marked literal. Fields that refer to a value of the input (`field`, `input`, `inputs`) are paths without braces. Templates may read secrets (`{{ secrets.NAME }}`) only in the fields that the node type lists.',
    '',
    'Every node has an `error` output. If it is connected, a failure is sent there as `{type, message, node_id, attempt, status?}`; otherwise the failure fails the execution.',
    '',
    ...(first === undefined ? [] : fieldTable(common(first.config as Schema), () => false)),
    '',
    ...types.flatMap(section),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}

function section(type: NodeType): string[] {
  return [
    `## \`${type.type}\``,
    '',
    `**${type.name}** · ${type.category} · version ${type.version} · effects: ${type.effects}${timeText(type.timeout)}`,
    '',
    type.description,
    '',
    ...ports(type),
    ...configuration(type),
    ...secrets(type),
    '### Examples',
    '',
    ...type.examples.flatMap((example) => exampleText(type, example)),
  ];
}

function ports(type: NodeType): string[] {
  const outputs = type.outputs.map(
    (port: OutputPort) => `\`${port.name}\` (${port.type}): ${port.description}`,
  );
  return [outputs.length === 0 ? 'No outputs.' : `Outputs: ${outputs.join('; ')}.`, ''];
}

function secrets({ secrets: fields = {} }: NodeType): string[] {
  const names = Object.keys(fields);
  return names.length === 0
    ? []
    : [`Fields that may read secrets: ${names.map((name) => `\`${name}\``).join(', ')}.`, ''];
}

function configuration(type: NodeType): string[] {
  const schema = type.config as Schema;
  const literal = (field: string): boolean => type.templates?.[field] === 'literal';
  if (schema.oneOf !== undefined)
    return schema.oneOf.flatMap((variant) => [
      `### ${variant.title ?? 'Configuration'}`,
      '',
      ...fieldTable(own(variant, type), literal),
      '',
    ]);
  return ['### Configuration', '', ...fieldTable(own(schema, type), literal), ''];
}

/** A trigger defines its own timeout field. */
function own(schema: Schema, type: NodeType): Schema {
  const entries = Object.entries(schema.properties ?? {}).filter(
    ([name]) =>
      !COMMON.has(name) ||
      (type.isTrigger && name === 'timeout' && (schema.title === 'Webhook' || schema.title === 'Polling')),
  );
  return { ...schema, properties: Object.fromEntries(entries) };
}

function common(schema: Schema): Schema {
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) => COMMON.has(name));
  return { ...schema, properties: Object.fromEntries(entries) };
}

function fieldTable(schema: Schema, literal: (field: string) => boolean): string[] {
  const rows = fieldRows(schema).map(({ field, schema: inner, required }) => {
    const notes = [
      required === false ? '' : required === true ? 'Required.' : `Required with ${required}.`,
      inner.description ?? '',
      inner.default === undefined ? '' : `Default: \`${JSON.stringify(inner.default)}\`.`,
      literal(field.replaceAll('[]', '.*')) ? 'Literal.' : '',
    ];
    return `| \`${field}\` | ${cell(typeText(inner))} | ${cell(notes.filter((note) => note !== '').join(' '))} |`;
  });
  return rows.length === 0
    ? ['No additional fields.']
    : ['| field | type | description |', '|---|---|---|', ...rows];
}

/** `required` may name the variants of an object that require the field. */
type Row = { field: string; schema: Schema; required: boolean | string };

/** Lists a field and then its nested fields: `operations`, `operations[].action`. */
function fieldRows(root: Schema): Row[] {
  const rows: Row[] = [];
  const work: Part[] = [{ schema: root, prefix: '', variant: null }];
  for (let item = work.shift(); item !== undefined; item = work.shift()) {
    const { schema, prefix, variant } = item;
    const inner: Part[] = [];
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const path = `${prefix}${name}`;
      const known = rows.find((row) => row.field === path);
      const isRequired = schema.required?.includes(name) ?? false;
      const required =
        isRequired && variant !== null && !variant.shared.has(name) ? variant.text : isRequired;
      if (known === undefined) rows.push({ field: path, schema: field, required });
      else {
        if (field.const !== undefined)
          known.schema = { ...known.schema, enum: [...texts(known.schema), field.const] } as Schema;
        if (typeof known.required === 'string' && typeof required === 'string')
          known.required = `${known.required}, ${required}`;
      }
      for (const part of parts(field))
        inner.push({ schema: part.schema, prefix: `${path}${part.suffix}`, variant: part.variant });
    }
    work.unshift(...inner);
  }
  return rows;
}

/** `variant`: which variant of an object this is, named by the value of its discriminator field. */
type Part = { schema: Schema; prefix: string; variant: Variant | null };
/** `shared`: fields that all variants require. */
type Variant = { text: string; shared: ReadonlySet<string> };

function parts(field: Schema): { schema: Schema; suffix: string; variant: Variant | null }[] {
  if (field.oneOf !== undefined)
    return field.oneOf.map((schema, _i, all) => ({ schema, suffix: '.', variant: readVariant(schema, all) }));
  if (field.properties !== undefined) return [{ schema: field, suffix: '.', variant: null }];
  if (field.items !== undefined)
    return parts(field.items).map((part) => ({ ...part, suffix: `[]${part.suffix}` }));
  const { additionalProperties: values } = field;
  if (typeof values !== 'object') return [];
  return parts(values).map((part) => ({ ...part, suffix: `.*${part.suffix}` }));
}

function readVariant(schema: Schema, all: readonly Schema[]): Variant | null {
  const [tag] = Object.entries(schema.properties ?? {}).filter(([, field]) => field.const !== undefined);
  if (tag === undefined) return null;
  const names = schema.required ?? [];
  const shared = new Set(names.filter((name) => all.every((one) => one.required?.includes(name) ?? false)));
  return { text: `\`${tag[0]}\` \`${String(tag[1].const)}\``, shared };
}

function texts(schema: Schema): unknown[] {
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}

/** Display names of our own string formats. */
const NAMED: Readonly<Record<string, string>> = {
  'weft-path': 'path',
  'weft-node': 'node id',
  'weft-workflow': 'workflow id',
  'weft-secret': 'secret name',
  'weft-connection': 'connection name',
  'weft-code': 'code',
};

function typeText(schema: Schema): string {
  const values = texts(schema);
  if (values.length > 0) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.format === 'weft-duration') return 'duration';
  const named = schema.format === undefined ? undefined : NAMED[schema.format];
  if (named !== undefined) return named;
  if (schema.oneOf !== undefined) return 'object';
  const { minimum, maximum } = schema;
  const range =
    minimum === undefined ? '' : maximum === undefined ? `, from ${minimum}` : `, ${minimum} to ${maximum}`;
  if (schema.type === 'array')
    return schema.items === undefined ? 'list' : `list of ${typeText(schema.items)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `map of ${typeText(schema.additionalProperties)}`;
  return `${[schema.type ?? 'any'].flat().join(' or ')}${range}`;
}

function exampleText(type: NodeType, example: NodeExample): string[] {
  const result =
    example.failure === undefined
      ? `Output: ${outputsText(type, example)}`
      : `Fails with a \`${example.failure}\` error.`;
  return [
    `**${example.title}**`,
    '',
    '```json',
    JSON.stringify(example.config, null, 2),
    '```',
    '',
    `Input: \`${JSON.stringify(example.input)}\`  `,
    result,
    '',
  ];
}

function outputsText(type: NodeType, example: NodeExample): string {
  const entries = Object.entries(example.outputs ?? {});
  if (entries.length === 0) return 'none.';
  return entries
    .map(
      ([port, value]) =>
        `\`${JSON.stringify(value)}\`${type.outputs.length > 1 ? ` on port \`${port}\`` : ''}`,
    )
    .join('; ');
}

function extractFirstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

function timeText(timeout: number | null): string {
  return timeout === null ? '' : ` · default timeout: ${timeout / 1000} s`;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
