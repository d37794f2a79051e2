import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import type { FieldError } from '../contract/errors.ts';
import type {
  BodyControl,
  BodyNode,
  InputPort,
  NodeCategory,
  NodeContext,
  NodeExample,
  NodeType,
  Outcome,
  OutputPort,
  TemplateMode,
} from '../contract/node-type.ts';
import type { SecretFields } from '../contract/secret-fields.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import { output, type OutputReference } from './output-schema.ts';
import { closed, duration, oneOfTexts } from './schema.ts';
import { ui } from './ui-hints.ts';

/** Error types that a retry policy accepts, and `any`. */
const RETRY_CONDITIONS = [
  'timeout',
  'network',
  'rate_limited',
  'server_error',
  'client_error',
  'validation',
  'code',
  'any',
] as const;

/** Title of the form section that contains the common fields. */
const GENERAL_GROUP = 'General';

const retryPolicy = closed(
  {
    enabled: Type.Optional(Type.Boolean({ default: true })),
    maxAttempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Including the first attempt.' }),
    ),
    initialDelay: Type.Optional(duration({ default: '1s' })),
    maxDelay: Type.Optional(duration({ default: '1m' })),
    backoffMultiplier: Type.Optional(Type.Number({ minimum: 1, maximum: 100, default: 2 })),
    retryConditions: Type.Optional(
      Type.Array(oneOfTexts(RETRY_CONDITIONS), {
        description: 'Error types to retry. Default: timeout, network, rate_limited, server_error.',
      }),
    ),
  },
  {
    description:
      'Retries the node when it fails. Each delay varies randomly between 50% and 150% of its nominal value.',
    title: 'Retry policy',
    ...ui({ group: GENERAL_GROUP, hint: 'Retries the node when it fails.' }),
  },
);

/** Fields that every configuration may have. The engine applies them; they are never templates. */
const commonFields = {
  retryPolicy: Type.Optional(retryPolicy),
  timeout: Type.Optional(
    duration({ description: 'Maximum time per attempt.', ...ui({ group: GENERAL_GROUP }) }),
  ),
};
type CommonConfig = { retryPolicy?: Static<typeof retryPolicy>; timeout?: string };

/**
 * The output port that every node has implicitly. If it is connected, a failure is sent there as `{type,
 * message, node_id, attempt, status?}`; otherwise the failure fails the execution. No node type may declare a
 * port of this name.
 */
export const errorPort: OutputPort = {
  name: 'error',
  type: 'object',
  description: 'The error, if the node fails',
};

const anyInput: readonly InputPort[] = [
  { name: 'in', type: 'any', required: true, description: 'The input of the node' },
];

type Spec<S extends TSchema> = {
  type: string;
  /** major.minor.patch. The behavior of a released version never changes. */
  version: string;
  name: string;
  category: NodeCategory;
  description: string;
  /** Name of a Lucide icon. */
  icon: string;
  /** Other words that people search for, most important first. Default: none. */
  keywords?: readonly string[];
  /** A TypeBox object, or `tagged` variants. `defineNode` closes it and adds the common fields. */
  config: S;
  /** Default: every string may be a template. A pattern also applies to everything below it. */
  templates?: Record<string, TemplateMode>;
  /** The value of the first output port, for editors. Default: unknown, or by the variants of `config`. */
  output?: TSchema | OutputReference;
  /** Default: one required port `in` of any type; none for a trigger. */
  inputs?: readonly InputPort[];
  outputs: readonly OutputPort[];
  fields?: { inputs: readonly InputPort[]; outputs: readonly OutputPort[] };
  dynamicOutputs?: (config: JsonObject) => OutputPort[];
  effects: 'none' | 'external';
  implementation?: NonNullable<NodeType['implementation']>;
  /**
   * Fields that may read secrets, and where the secrets are sent. A pattern also applies to everything below
   * it. Default: none.
   */
  secrets?: SecretFields;
  isTrigger?: boolean;
  /** Default timeout in ms. null (the default): no timeout. */
  timeout?: number | null;
  timeoutFor?: (config: JsonObject) => number;
  keepsTime?: boolean;
  sources?: (config: JsonObject) => { field: string; source: string }[];
  connections?: (config: JsonObject) => { field: string; name: string }[];
  workflows?: (config: JsonObject) => { field: string; name: string }[];
  edges?: (config: JsonObject) => { port: string; to: string }[];
  regions?: (config: JsonObject) => { name: string; nodes: string[] }[];
  /** Called with a configuration that fits the schema, except that any value may be a template. */
  check?: (config: JsonObject) => FieldError[];
  streamEvents?: NonNullable<NodeType['streamEvents']>;
  control?: (
    config: Static<S> & CommonConfig,
    input: Json,
    node: BodyNode,
    loaded?: Json | null,
  ) => BodyControl;
  dependence?: NonNullable<NodeType['dependence']>;
  loads?: NonNullable<NodeType['loads']>;
  recover?: NonNullable<NodeType['recover']>;
  /** Omitted by triggers and by nodes with `control`, which run only if they load. */
  run?: (ctx: NodeContext, config: Static<S> & CommonConfig, input: Json) => Outcome | Promise<Outcome>;
  examples: readonly NodeExample[];
};

/**
 * Creates a node type. `config` is the one schema used for validation, the type of `run`'s argument, the
 * reference and the form.
 */
export function defineNode<S extends TSchema>(spec: Spec<S>): NodeType {
  const { type, config, output: outputSchema, control, run = rejectRun(type), ...rest } = spec;
  if (spec.outputs.some((port) => port.name === errorPort.name))
    throw new Error(`${type}: must not declare the port error, which every node has`);
  if (spec.secrets !== undefined && spec.effects === 'none' && spec.isTrigger !== true)
    throw new Error(`${type}: must have external effects to read secrets`);
  return Object.freeze({
    ...rest,
    type,
    config: Object.freeze({
      ...withCommonFields(config, spec.isTrigger === true),
      ...(outputSchema === undefined ? {} : output(outputSchema)),
    }),
    templates: Object.freeze({ retryPolicy: 'literal', timeout: 'literal', ...spec.templates }),
    keywords: Object.freeze(spec.keywords ?? []),
    inputs: Object.freeze(spec.inputs ?? (spec.isTrigger === true ? [] : anyInput)),
    outputs: Object.freeze(spec.outputs),
    isTrigger: spec.isTrigger ?? false,
    timeout: spec.timeout ?? null,
    ...(control === undefined ? {} : { control }),
    run,
    examples: Object.freeze(spec.examples),
  }) satisfies NodeType;
}

function rejectRun(type: string): () => Outcome {
  return () => ({ kind: 'failed', error: { type: 'internal', message: `${type} nodes cannot be run` } });
}

/** Adds the common fields to an object schema and to each of its variants, except those it defines itself. */
function withCommonFields(schema: TSchema, isTrigger: boolean): TSchema {
  const { properties, oneOf, ...rest } = schema as TSchema & {
    properties?: Record<string, TSchema>;
    oneOf?: TSchema[];
  };
  if (oneOf !== undefined)
    return { ...rest, oneOf: oneOf.map((variant) => withCommonFields(variant, isTrigger)) } as TSchema;
  return {
    ...rest,
    properties: { ...properties, ...Object.fromEntries(newFields(properties ?? {}, isTrigger)) },
    additionalProperties: false,
  } as TSchema;
}

function newFields(properties: Record<string, TSchema>, isTrigger: boolean): [string, TSchema][] {
  return Object.entries(commonFields)
    .filter(([name]) => !Object.hasOwn(properties, name))
    .map(([name, schema]) => [name, isTrigger ? describeNoEffect(schema) : schema]);
}

/** A trigger accepts the common fields, but they have no effect on it. */
function describeNoEffect(schema: TSchema): TSchema {
  return { ...schema, ...ui({ group: GENERAL_GROUP, hidden: true }) };
}
