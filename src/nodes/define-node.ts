import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import type { FieldError } from '../contract/errors.ts';
import type {
  BodyControl,
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
import { closed, duration, oneOfTexts } from './schema.ts';

/** What a retry policy may name, beside `any`. */
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

const retryPolicy = closed(
  {
    enabled: Type.Optional(Type.Boolean({ default: true })),
    maxAttempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Counts the first try.' }),
    ),
    initialDelay: Type.Optional(duration({ default: '1s' })),
    maxDelay: Type.Optional(duration({ default: '1m' })),
    backoffMultiplier: Type.Optional(Type.Number({ minimum: 1, maximum: 100, default: 2 })),
    retryConditions: Type.Optional(
      Type.Array(oneOfTexts(RETRY_CONDITIONS), {
        description:
          'The types of errors that are retried. Default: timeout, network, rate_limited, server_error.',
      }),
    ),
  },
  { description: 'Tries again when the node fails. Delays lie within 50 to 150 % of their nominal value.' },
);

/** Fields that every node's configuration may hold; the engine acts on them. Never templates. */
const commonFields = {
  retryPolicy: Type.Optional(retryPolicy),
  timeout: Type.Optional(duration({ description: 'How long one try may take.' })),
};
type CommonConfig = { retryPolicy?: Static<typeof retryPolicy>; timeout?: string };

/**
 * The output that any node has without declaring it: connected, a failure flows there as
 * `{type, message, node_id, attempt, status?}`; unconnected, it fails the execution. No node type may declare a port
 * of this name.
 */
export const errorPort: OutputPort = {
  name: 'error',
  type: 'object',
  description: 'The error, when the node fails',
};

const anyInput: readonly InputPort[] = [
  { name: 'in', type: 'any', required: true, description: 'What the node works on' },
];

type Spec<S extends TSchema> = {
  type: string;
  /** major.minor.patch; a version once released never changes its behaviour. */
  version: string;
  name: string;
  category: NodeCategory;
  description: string;
  /** The name of a Lucide icon. */
  icon: string;
  /** A TypeBox object, or `tagged` variants. The common fields are added and it is closed. */
  config: S;
  /** By default every string of the configuration may be a template. A pattern covers what lies under it, too. */
  templates?: Record<string, TemplateMode>;
  /** Default: one required port `in` of any type; none for a trigger. */
  inputs?: readonly InputPort[];
  outputs: readonly OutputPort[];
  fields?: { inputs: readonly InputPort[]; outputs: readonly OutputPort[] };
  dynamicOutputs?: (config: JsonObject) => OutputPort[];
  effects: 'none' | 'external';
  implementation?: NonNullable<NodeType['implementation']>;
  /** The fields that may read secrets, and where they go. A pattern covers what lies under it; none unless given. */
  secrets?: SecretFields;
  isTrigger?: boolean;
  /** ms; null (the default): no limit of its own. */
  timeout?: number | null;
  timeoutFor?: (config: JsonObject) => number;
  keepsTime?: boolean;
  sources?: (config: JsonObject) => { field: string; source: string }[];
  connections?: (config: JsonObject) => { field: string; name: string }[];
  workflows?: (config: JsonObject) => { field: string; name: string }[];
  edges?: (config: JsonObject) => { port: string; to: string }[];
  regions?: (config: JsonObject) => { name: string; nodes: string[] }[];
  /** Called with a configuration that fits the schema, save that a template may stand in place of any value. */
  check?: (config: JsonObject) => FieldError[];
  control?: (config: Static<S> & CommonConfig, input: Json) => BodyControl;
  recover?: NonNullable<NodeType['recover']>;
  /** Left out by triggers and by nodes with `control`, which are never run. */
  run?: (ctx: NodeContext, config: Static<S> & CommonConfig, input: Json) => Outcome | Promise<Outcome>;
  examples: readonly NodeExample[];
};

/** Makes a node type: `config` is one schema that checks, types `run`'s argument, documents, and draws the form. */
export function defineNode<S extends TSchema>(spec: Spec<S>): NodeType {
  const { type, config, control, run = neverRun(type), ...rest } = spec;
  if (spec.outputs.some((port) => port.name === errorPort.name))
    throw new Error(`${type}: the port error is there without being declared`);
  if (spec.secrets !== undefined && spec.effects === 'none' && spec.isTrigger !== true)
    throw new Error(`${type}: only a node with external effects may read secrets`);
  return Object.freeze({
    ...rest,
    type,
    config: Object.freeze(withCommonFields(config)),
    templates: Object.freeze({ retryPolicy: 'literal', timeout: 'literal', ...spec.templates }),
    inputs: Object.freeze(spec.inputs ?? (spec.isTrigger === true ? [] : anyInput)),
    outputs: Object.freeze(spec.outputs),
    isTrigger: spec.isTrigger ?? false,
    timeout: spec.timeout ?? null,
    ...(control === undefined ? {} : { control }),
    run,
    examples: Object.freeze(spec.examples),
  }) satisfies NodeType;
}

function neverRun(type: string): () => Outcome {
  return () => ({ kind: 'failed', error: { type: 'internal', message: `A ${type} node is never run` } });
}

/** An object's properties, and those of each of its variants, gain the common fields that they do not have. */
function withCommonFields(schema: TSchema): TSchema {
  const { properties, oneOf, ...rest } = schema as TSchema & {
    properties?: Record<string, TSchema>;
    oneOf?: TSchema[];
  };
  if (oneOf !== undefined) return { ...rest, oneOf: oneOf.map(withCommonFields) } as TSchema;
  return {
    ...rest,
    properties: { ...properties, ...Object.fromEntries(newFields(properties ?? {})) },
    additionalProperties: false,
  } as TSchema;
}

function newFields(properties: Record<string, TSchema>): [string, TSchema][] {
  return Object.entries(commonFields).filter(([name]) => !Object.hasOwn(properties, name));
}
