import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { DeferredTemplate, NodeContext, Outcome } from '../../contract/node-type.ts';
import { PathError, readPath, writePath } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { compileCachedPath } from '../path-cache.ts';
import { closed, inputPath, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';

const output = inputPath({
  title: 'To',
  ...ui({ placeholder: 'customer.name', hint: '' }),
  description: 'The result field; a path such as customer.name creates nested objects.',
});
const transform = Type.Optional(
  Type.String({
    ...ui({ placeholder: 'Dear {{ value }}' }),
    description: 'A template that uses the value as {{ value }}, such as Dear {{ value }}.',
  }),
);

const Operation = tagged('action', [
  closed(
    {
      action: Type.Literal('map'),
      input: inputPath({
        title: 'From',
        ...ui({ placeholder: 'customer.name', hint: '' }),
        description: 'The path of the value in the input.',
      }),
      output,
      transform,
    },
    { title: 'Map' },
  ),
  closed(
    {
      action: Type.Literal('combine'),
      inputs: Type.Array(inputPath(), {
        minItems: 1,
        maxItems: 1000,
        title: 'From',
        description: 'The paths of the values, in this order.',
      }),
      output,
      separator: Type.Optional(Type.String({ default: ' ', maxLength: 1000 })),
      transform,
    },
    { title: 'Combine' },
  ),
]);
type Operation = Static<typeof Operation>;

export const dataTransformer = defineNode({
  type: 'data_transformer',
  version: '1.0.0',
  name: 'Data transformer',
  category: 'data',
  description:
    'Creates a new object from values of the input. map copies or transforms one value, combine joins several values into text. Without transform, a mapped value keeps its type. A missing value fails the node, unless the transform handles it ({{ value | default: 0 }}).',
  icon: 'shuffle',
  keywords: [
    'transform',
    'map',
    'mapping',
    'convert',
    'reshape',
    'combine',
    'format',
    'build object',
    'template',
    'text',
    'replace',
    'uppercase',
    'calculate',
    'math',
  ],
  config: closed({ operations: Type.Array(Operation, { minItems: 1, maxItems: 1000 }) }),
  templates: {
    'operations.*.action': 'literal',
    'operations.*.input': 'literal',
    'operations.*.inputs': 'literal',
    'operations.*.output': 'literal',
    'operations.*.transform': 'deferred',
  },
  outputs: [{ name: 'out', type: 'object', description: 'An object with each output as a field' }],
  effects: 'none',
  run(ctx, { operations }, input) {
    const result: JsonObject = {};
    for (let i = 0; i < operations.length; i++) {
      const failure = operate(ctx, operations[i]!, i, input, result);
      if (failure !== null) return failure;
    }
    return done(result);
  },
  examples: [
    {
      title: 'Build a letter from a record',
      config: {
        operations: [
          { action: 'map', input: 'customer.name', output: 'greeting', transform: 'Dear {{ value }}' },
          { action: 'map', input: 'order.total', output: 'total' },
          { action: 'combine', inputs: ['first', 'last'], output: 'full', separator: ' ' },
        ],
      },
      input: { customer: { name: 'Ada' }, order: { total: 9.5 }, first: 'Ada', last: 'Lovelace' },
      outputs: { out: { greeting: 'Dear Ada', total: 9.5, full: 'Ada Lovelace' } },
    },
    {
      title: 'Handle a missing value, and nest the result',
      config: {
        operations: [
          { action: 'map', input: 'vat', output: 'price.vat', transform: '{{ value | default: 19 }}' },
          { action: 'map', input: 'net', output: 'price.net' },
        ],
      },
      input: { net: 100 },
      outputs: { out: { price: { vat: 19, net: 100 } } },
    },
    {
      title: 'A missing value without a default',
      config: { operations: [{ action: 'map', input: 'a.b', output: 'c' }] },
      input: { a: {} },
      failure: 'validation',
    },
  ],
});

/** Writes the value of one operation to `result`. Returns a failure or null. */
function operate(
  ctx: NodeContext,
  operation: Operation,
  i: number,
  input: Json,
  result: JsonObject,
): Outcome | null {
  let value: Json | undefined;
  if (operation.action === 'map') {
    const reading = readPath(compileCachedPath(operation.input), input);
    value = reading.isFound ? reading.value : undefined;
    if (value === undefined && operation.transform === undefined)
      return invalid(`operations[${i}].input`, `the input has no value at ${operation.input}`);
  } else {
    const parts: string[] = [];
    for (const [k, path] of operation.inputs.entries()) {
      const reading = readPath(compileCachedPath(path), input);
      if (!reading.isFound)
        return invalid(`operations[${i}].inputs[${k}]`, `the input has no value at ${path}`);
      parts.push(print(reading.value));
    }
    value = parts.join(operation.separator ?? ' ');
  }
  try {
    writePath(compileCachedPath(operation.output), result, transformed(ctx, operation.transform, value));
    return null;
  } catch (error) {
    if (error instanceof PathError) return invalid(`operations[${i}].output`, error.message);
    throw error;
  }
}

/** A template is passed as its evaluator; a string without placeholders may be passed unchanged. */
function transformed(ctx: NodeContext, transform: string | undefined, value: Json | undefined): Json {
  if (transform === undefined) return value ?? null;
  const template = transform as string | DeferredTemplate;
  if (typeof template === 'string') return template;
  return ctx.evaluate(template, { value });
}

/** Prints as a template does: strings unchanged, null as nothing, objects and lists as JSON. */
function print(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}
