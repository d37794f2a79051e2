import { createHash } from 'node:crypto';
import { Type, type TSchema } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { NodeContext, NodeType, Outcome } from '../../contract/node-type.ts';
import type { CustomNode, CustomType } from '../../contract/requests/node.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { compileSchema, matchesSchema } from '../data/json-schema/json-schema.ts';
import { SchemaError, SchemaWorkError } from '../data/json-schema/schema-error.ts';
import { defineNode } from '../define-node.ts';
import { done, invalidFields } from '../outcome.ts';
import { closed, duration } from '../schema.ts';
import { validateSchema } from '../validate-schema.ts';
import { isTemplated, findStrings } from '../template-mode.ts';
import { readCodeTimeout, validateCodeTimeout } from './code-time.ts';

type CustomInput = CustomNode['inputs'][number];

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Names of common configuration fields and names that paths cannot resolve. */
const TAKEN_INPUTS = new Set(['retryPolicy', 'timeout', '__proto__', 'constructor', 'prototype']);
const TAKEN_OUTPUTS = new Set(['out', 'error', '__proto__', 'constructor', 'prototype']);

/**
 * Returns errors in a custom node that fits its schema. Field names are those of the registration request.
 */
export function validateCustomNode({ inputs, outputs }: CustomNode): FieldError[] {
  const errors: FieldError[] = [];
  const checkName = (location: string, name: string, taken: ReadonlySet<string>): void => {
    const field = appendKey(location, name);
    if (!NAME.test(name))
      errors.push({ field, issue: 'must be a name of at most 64 letters, digits and "_"' });
    else if (taken.has(name)) errors.push({ field, issue: `must not be the reserved name ${name}` });
  };
  for (const { name, validation } of inputs) {
    checkName('inputs', name, TAKEN_INPUTS);
    if (validation === null) continue;
    try {
      compileSchema(validation);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      errors.push({ field: `${appendKey('inputs', name)}.validation`, issue: error.message });
    }
  }
  for (const { name } of outputs) checkName('outputs', name, TAKEN_OUTPUTS);
  return errors;
}

/** Creates the node type of a registered version. */
export function createCustomNodeType(node: CustomNode): NodeType {
  const { inputs, outputs } = node;
  return defineNode({
    type: node.nodeType,
    version: node.version,
    name: node.nodeType,
    category: 'custom',
    description: node.description,
    icon: 'puzzle',
    keywords: node.keywords ?? [],
    config: closed({
      ...Object.fromEntries(inputs.map((input) => [input.name, fieldSchema(input)])),
      timeout: Type.Optional(duration({ default: '5s', description: 'Maximum run time, up to 5m.' })),
    }),
    outputs: [{ name: 'out', type: 'object', description: 'All outputs by name' }],
    fields: {
      inputs: inputs.map(({ name, type, required, description }) => ({ name, type, required, description })),
      outputs: outputs.map(({ name, type }) => ({ name, type, description: '' })),
    },
    effects: 'none',
    implementation: describeImplementation(node),
    keepsTime: true,
    check: (config) => [...validateCodeTimeout(config), ...validateSavedInputs(inputs, config)],
    run: (ctx, config, _input) => runCustomNode(node, ctx, config as JsonObject),
    examples: [],
  });
}

/** The code to run, identified by its hash, and the packages it contains. */
function describeImplementation({ handler, bundle }: CustomNode): NonNullable<NodeType['implementation']> {
  const source = bundle?.source ?? handler;
  return {
    runtime: 'javascript',
    handler,
    size: Buffer.byteLength(source),
    sha256: createHash('sha256').update(source).digest('hex'),
    dependencies: bundle?.packages ?? [],
  };
}

function fieldSchema({ type, required, description }: CustomInput): TSchema {
  const notes = description === '' ? {} : { description };
  const schema = Type.Unsafe<Json>(type === 'any' ? notes : { type, ...notes });
  return required ? schema : Type.Optional(schema);
}

/** Validates values without templates. Templated values are validated when the node runs. */
function validateSavedInputs(inputs: readonly CustomInput[], config: JsonObject): FieldError[] {
  const known = inputs.filter(
    ({ name }) => Object.hasOwn(config, name) && findStrings(config[name], isTemplated).size === 0,
  );
  return validateInputs(known, config);
}

function validateInputs(inputs: readonly CustomInput[], values: JsonObject): FieldError[] {
  return inputs.flatMap(({ name, validation }) => {
    if (validation === null || !Object.hasOwn(values, name)) return [];
    const value = values[name] ?? null;
    const validate = compileSchema(validation);
    try {
      if (matchesSchema(validate, value)) return [];
    } catch (error) {
      if (!(error instanceof SchemaWorkError)) throw error;
      return [{ field: name, issue: `cannot be validated: its validation schema ${error.message}` }];
    }
    return (validate.errors ?? []).slice(-1).map((error) => {
      const { field, issue } = validateSchema(error, value);
      return { field: field === '' || field.startsWith('[') ? `${name}${field}` : `${name}.${field}`, issue };
    });
  });
}

/** What a custom node uses of its context. */
export type CustomNodeContext = Pick<NodeContext, 'code' | 'log'>;

/** Runs a custom node once. `config`: its inputs by name, with evaluated templates, and its `timeout`. */
export async function runCustomNode(
  node: CustomNode,
  ctx: CustomNodeContext,
  config: JsonObject,
): Promise<Outcome> {
  const { timeout, retryPolicy: _retryPolicy, ...values } = config;
  const errors = validateInputs(node.inputs, values);
  if (errors.length > 0) return invalidFields(errors);
  const result = await ctx.code.run({
    source: node.bundle?.source ?? node.handler,
    argument: values,
    timeout: readCodeTimeout(timeout),
  });
  if (result.kind === 'failed') return result;
  const wrong = findOutputError(node, result.value);
  if (wrong !== null)
    return { kind: 'failed', error: { type: 'code', message: wrong, data: { code: 'CODE_RESULT' } } };
  return done(pickDeclaredOutputs(node, ctx, result.value as JsonObject));
}

function findOutputError({ outputs }: CustomNode, value: Json): string | null {
  if (!isObject(value)) return 'The handler must return an object with its outputs by name';
  for (const { name, type } of outputs) {
    if (!Object.hasOwn(value, name)) return `The handler did not return the output ${name}`;
    if (!hasType(type, value[name] ?? null)) return `The output ${name} must be of type ${type}`;
  }
  return null;
}

/** Drops fields that the node does not declare as outputs. */
function pickDeclaredOutputs({ outputs }: CustomNode, ctx: CustomNodeContext, value: JsonObject): JsonObject {
  const known = new Set(outputs.map(({ name }) => name));
  const others = Object.keys(value).filter((name) => !known.has(name));
  if (others.length === 0) return value;
  ctx.log('warning', `Dropped fields that are not declared as outputs: ${others.slice(0, 20).join(', ')}`);
  return Object.fromEntries(outputs.map(({ name }) => [name, value[name] ?? null]));
}

function hasType(type: CustomType, value: Json): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
