import { Type } from 'typebox';
import type { Outcome } from '../../contract/node-type.ts';
import { PathError, writePath } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { done } from '../outcome.ts';
import { compileCachedPath } from '../path-cache.ts';
import { inputPath } from '../schema.ts';
import { DataError } from './data-error.ts';
import { describeType } from './items.ts';

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
export function readValue(config: { value?: Json }, input: Json): Json {
  return config.value === undefined ? input : config.value;
}

/** @throws {DataError} if the value is not a string. */
export function readText(config: { value?: Json }, input: Json): string {
  const value = readValue(config, input);
  if (typeof value === 'string') return value;
  throw new DataError('value', `must be a string, not ${describeType(value)}`);
}

/** Completes with the result only, or with the input object including the result. @throws {DataError} */
export function createOutcome(config: { output?: string }, input: Json, result: Json): Outcome {
  if (config.output === undefined) return done(result);
  if (!isObject(input))
    throw new DataError('output', `requires the input to be an object, not ${describeType(input)}`);
  const whole = { ...input };
  try {
    writePath(compileCachedPath(config.output), whole, result);
  } catch (error) {
    if (error instanceof PathError) throw new DataError('output', error.message);
    throw error;
  }
  return done(whole);
}
