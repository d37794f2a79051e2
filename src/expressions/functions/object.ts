import { isForbiddenKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Call, TemplateFunction } from '../function.ts';
import { readObjectArg, createTypeError } from '../function.ts';

export const OBJECT_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'default',
    usage: 'default: value',
    description: 'The value, or another one where it is missing, null or an empty string; false and 0 stay.',
    example: { template: '{{ input.name | default: "friend" }}', input: {}, result: 'friend' },
    min: 2,
    max: 2,
    // The compiler makes a call of its own of it, since the value may be missing and the other one is not
    // always computed.
    run: (args) => (isBlank(args[0]) ? (args[1] ?? null) : (args[0] ?? null)),
  },
  {
    name: 'keys',
    usage: 'keys',
    description: 'The keys of an object, in their order.',
    example: { template: '{{ input | keys }}', input: { a: 1, b: 2 }, result: ['a', 'b'] },
    min: 1,
    max: 1,
    run: (args, call) => Object.keys(readObjectArg('keys', args, 0, call)),
  },
  {
    name: 'values',
    usage: 'values',
    description: 'The values of an object, in the order of its keys.',
    example: { template: '{{ input | values }}', input: { a: 1, b: 2 }, result: [1, 2] },
    min: 1,
    max: 1,
    run: (args, call) => Object.values(readObjectArg('values', args, 0, call)),
  },
  {
    name: 'pick',
    usage: 'pick: key, key, …',
    description:
      'An object with only these keys, given one by one or as a list; a key that is not there is left out.',
    example: {
      template: '{{ input | pick: "a", "c" }}',
      input: { a: 1, b: 2, c: 3 },
      result: { a: 1, c: 3 },
    },
    min: 2,
    max: 32,
    run: (args, call) => {
      const object = readObjectArg('pick', args, 0, call);
      const picked: JsonObject = {};
      for (const key of keyArgs('pick', args, call)) {
        if (!isForbiddenKey(key) && Object.hasOwn(object, key)) picked[key] = object[key] as Json;
      }
      return picked;
    },
  },
  {
    name: 'omit',
    usage: 'omit: key, key, …',
    description: 'An object without these keys, given one by one or as a list.',
    example: {
      template: '{{ input | omit: "password" }}',
      input: { name: 'Ann', password: 'x' },
      result: { name: 'Ann' },
    },
    min: 2,
    max: 32,
    run: (args, call) => {
      const object = readObjectArg('omit', args, 0, call);
      const omitted = new Set(keyArgs('omit', args, call));
      const rest: JsonObject = {};
      for (const key of Object.keys(object)) {
        if (key !== '__proto__' && !omitted.has(key)) rest[key] = object[key] as Json;
      }
      return rest;
    },
  },
];

/** Whether `default` replaces the value. */
export function isBlank(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function keyArgs(name: string, args: readonly Json[], call: Call): string[] {
  const keys: string[] = [];
  for (const arg of args.slice(1)) {
    for (const key of Array.isArray(arg) ? arg : [arg]) {
      if (typeof key !== 'string') throw createTypeError(name, 'a string', key);
      keys.push(key);
    }
    call.spend(keys.length);
  }
  return keys;
}
