import { Type } from 'typebox';
import type { Outcome } from '../../contract/node-type.ts';
import { PathError, writePath } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { done } from '../outcome.ts';
import { pathOf } from '../path-cache.ts';
import { inputPath } from '../schema.ts';
import { DataFault } from './data-error.ts';
import { kindOf } from './items.ts';

/** The field `value` of a node that works on one value. */
export function valueField(what: string) {
  return Type.Optional(
    Type.Unsafe<Json>({
      description: `${what}: a template such as {{ input.body }}. Without it, what arrived.`,
    }),
  );
}

/** The field `output` of a node that makes one value. */
export function outputField() {
  return Type.Optional(
    inputPath({
      description:
        'Where the result goes in the object that arrived: a path such as order.total. Without it, the result alone goes on.',
    }),
  );
}

/** The value to work on. */
export function valueOf(config: { value?: Json }, input: Json): Json {
  return config.value === undefined ? input : config.value;
}

/** @throws {DataFault} when the value is no text. */
export function textOf(config: { value?: Json }, input: Json): string {
  const value = valueOf(config, input);
  if (typeof value === 'string') return value;
  throw new DataFault('value', `takes a text, and is ${kindOf(value)}`);
}

/** Done, with the result alone or within what arrived. @throws {DataFault} */
export function resulting(config: { output?: string }, input: Json, result: Json): Outcome {
  if (config.output === undefined) return done(result);
  if (!isObject(input))
    throw new DataFault('output', `needs an object that arrives, and ${kindOf(input)} did`);
  const whole = { ...input };
  try {
    writePath(pathOf(config.output), whole, result);
  } catch (error) {
    if (error instanceof PathError) throw new DataFault('output', error.message);
    throw error;
  }
  return done(whole);
}
