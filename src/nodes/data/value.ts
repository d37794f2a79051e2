import { Type } from 'typebox';
import type { Outcome } from '../../contract/node-type.ts';
import { PathError, writePath } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { done } from '../outcome.ts';
import { pathOf } from '../path-cache.ts';
import { inputPath } from '../schema.ts';
import { DataFault } from './data-error.ts';
import { kindOf } from './items.ts';

/** The field `value` of nodes that work on a single value. */
export function valueField(what: string) {
  return Type.Optional(
    Type.Unsafe<Json>({
      description: `${what}: a template such as {{ input.body }}. Default: the input.`,
    }),
  );
}

/** The field `output` of nodes that produce a single value. */
export function outputField() {
  return Type.Optional(
    inputPath({
      description:
        'A path in the input object at which to add the result, such as order.total. Default: the output is the result only.',
    }),
  );
}

/** Returns the value to work on. */
export function valueOf(config: { value?: Json }, input: Json): Json {
  return config.value === undefined ? input : config.value;
}

/** @throws {DataFault} if the value is not a string. */
export function textOf(config: { value?: Json }, input: Json): string {
  const value = valueOf(config, input);
  if (typeof value === 'string') return value;
  throw new DataFault('value', `must be a string, not ${kindOf(value)}`);
}

/** Completes with the result only, or with the input object including the result. @throws {DataFault} */
export function resulting(config: { output?: string }, input: Json, result: Json): Outcome {
  if (config.output === undefined) return done(result);
  if (!isObject(input))
    throw new DataFault('output', `requires the input to be an object, not ${kindOf(input)}`);
  const whole = { ...input };
  try {
    writePath(pathOf(config.output), whole, result);
  } catch (error) {
    if (error instanceof PathError) throw new DataFault('output', error.message);
    throw error;
  }
  return done(whole);
}
