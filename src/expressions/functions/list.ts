import { countCharacters, sliceCharacters } from '../../lib/text/code-points.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { JsonPath } from '../../lib/json/json-path.ts';
import { compilePath, PathError, walk } from '../../lib/json/json-path.ts';
import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Call, TemplateFunction } from '../function.ts';
import {
  describeKind,
  listArg,
  readOptionalTextArg,
  spendText,
  readTextArg,
  readWholeArg,
  createTypeError,
} from '../function.ts';
import { MAX_VALUE_LENGTH } from '../limits.ts';
import { print } from '../result-limits.ts';

export const LIST_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'join',
    usage: 'join: separator?',
    description: 'The elements of a list as one string, with a separator (a space) between them.',
    example: { template: '{{ input.tags | join: ", " }}', input: { tags: ['a', 'b'] }, result: 'a, b' },
    min: 1,
    max: 2,
    run: (args, call) => {
      const list = listArg('join', args, 0, call);
      const separator = readOptionalTextArg('join', args, 1, ' ');
      let length = 0;
      const parts: string[] = [];
      for (const element of list) {
        const part = print(element, MAX_VALUE_LENGTH);
        length += part.length + separator.length;
        spendText(call, part.length);
        spendText(call, length);
        parts.push(part);
      }
      return parts.join(separator);
    },
  },
  {
    name: 'size',
    usage: 'size',
    description: 'The number of characters of a string, elements of a list, or keys of an object.',
    example: { template: '{{ input.items | size }}', input: { items: [1, 2, 3] }, result: 3 },
    min: 1,
    max: 1,
    run: (args, call) => {
      const value = args[0];
      if (Array.isArray(value)) return value.length;
      if (isObject(value)) return Object.keys(value).length;
      if (typeof value !== 'string') throw createTypeError('size', 'a string, a list or an object', value);
      spendText(call, value.length);
      return countCharacters(value);
    },
  },
  {
    name: 'slice',
    usage: 'slice: start, length?',
    description:
      'A part of a string or a list: this many (1) from a position; a negative position counts from the end.',
    example: { template: '{{ "workflow" | slice: 4, 4 }}', result: 'flow' },
    min: 2,
    max: 3,
    run: (args, call) => {
      const value = args[0];
      const start = readWholeArg('slice', args, 1, 0);
      const length = Math.max(0, readWholeArg('slice', args, 2, 1));
      if (typeof value !== 'string' && !Array.isArray(value))
        throw createTypeError('slice', 'a string or a list', value);
      if (typeof value === 'string') {
        spendText(call, value.length);
        return sliceCharacters(value, start, length);
      }
      const from = start < 0 ? Math.max(0, value.length + start) : start;
      const part = value.slice(from, from + length);
      call.spend(part.length);
      return part;
    },
  },
  {
    name: 'first',
    usage: 'first',
    description: 'The first element of a list; null when it is empty.',
    example: { template: '{{ input.items | first }}', input: { items: ['a', 'b'] }, result: 'a' },
    min: 1,
    max: 1,
    run: (args) => readEnd('first', args[0], 0),
  },
  {
    name: 'last',
    usage: 'last',
    description: 'The last element of a list; null when it is empty.',
    example: { template: '{{ input.items | last }}', input: { items: ['a', 'b'] }, result: 'b' },
    min: 1,
    max: 1,
    run: (args) => readEnd('last', args[0], -1),
  },
  {
    name: 'map',
    usage: 'map: path',
    description: 'What is at a path in each element of a list; null where nothing is.',
    example: {
      template: '{{ input.users | map: "name" }}',
      input: { users: [{ name: 'Ann' }, { name: 'Bo' }] },
      result: ['Ann', 'Bo'],
    },
    min: 2,
    max: 2,
    run: (args, call) => {
      const path = pathArg('map', args, 1, call);
      return listArg('map', args, 0, call).map((element) => walk(path.steps, element) ?? null);
    },
  },
  {
    name: 'where',
    usage: 'where: path, value?',
    description:
      'The elements of a list that have this value at a path; without a value, anything but null and false.',
    example: {
      template: '{{ input.users | where: "role", "admin" }}',
      input: {
        users: [
          { name: 'Ann', role: 'admin' },
          { name: 'Bo', role: 'guest' },
        ],
      },
      result: [{ name: 'Ann', role: 'admin' }],
    },
    min: 2,
    max: 3,
    run: (args, call) => {
      const path = pathArg('where', args, 1, call);
      const wanted = args[2];
      return listArg('where', args, 0, call).filter((element) => {
        const value = walk(path.steps, element) ?? null;
        return wanted === undefined ? value !== null && value !== false : isEqual(value, wanted, call);
      });
    },
  },
  {
    name: 'sort',
    usage: 'sort: path?',
    description:
      'A list of numbers or of strings in ascending order, or of objects by what is at a path; nulls come last.',
    example: {
      template: '{{ input.users | sort: "age" }}',
      input: { users: [{ age: 30 }, { age: 4 }] },
      result: [{ age: 4 }, { age: 30 }],
    },
    min: 1,
    max: 2,
    run: (args, call) => {
      const list = listArg('sort', args, 0, call);
      const path = args.length > 1 ? pathArg('sort', args, 1, call) : undefined;
      const keyed = list.map((element) => ({
        element,
        key: path ? (walk(path.steps, element) ?? null) : element,
      }));
      const sample = keyed.find(({ key }) => key !== null)?.key;
      for (const { key } of keyed) {
        if (key === null) continue;
        if ((typeof key !== 'number' && typeof key !== 'string') || typeof key !== typeof sample) {
          throw new TemplateEvaluationError(
            `sort: elements must be numbers or strings, got ${describeKind(sample)} and ${describeKind(key)}`,
          );
        }
      }
      keyed.sort((a, b) => {
        call.spend(1);
        return order(a.key, b.key);
      });
      return keyed.map(({ element }) => element);
    },
  },
  {
    name: 'uniq',
    usage: 'uniq: path?',
    description:
      'The elements of a list without repetitions, or without repetitions of what is at a path; the first one stays.',
    example: { template: '{{ [3, 1, 3] | uniq }}', result: [3, 1] },
    min: 1,
    max: 2,
    run: (args, call) => {
      const path = args.length > 1 ? pathArg('uniq', args, 1, call) : undefined;
      const scalars = new Set<Json>();
      const containers = new Map<string, Json[]>();
      return listArg('uniq', args, 0, call).filter((element) => {
        const key = path ? (walk(path.steps, element) ?? null) : element;
        if (typeof key !== 'object' || key === null) {
          if (scalars.has(key)) return false;
          scalars.add(key);
          return true;
        }
        const digest = computeDigest(key, call);
        const alike = containers.get(digest);
        if (alike === undefined) containers.set(digest, [key]);
        else if (alike.some((seen) => isEqual(seen, key, call))) return false;
        else alike.push(key);
        return true;
      });
    },
  },
  {
    name: 'compact',
    usage: 'compact',
    description: 'A list without its nulls.',
    example: { template: '{{ [1, null, 2] | compact }}', result: [1, 2] },
    min: 1,
    max: 1,
    run: (args, call) => listArg('compact', args, 0, call).filter((element) => element !== null),
  },
  {
    name: 'concat',
    usage: 'concat: list',
    description: 'Two lists, one behind the other.',
    example: { template: '{{ [1, 2] | concat: [3] }}', result: [1, 2, 3] },
    min: 2,
    max: 2,
    run: (args, call) => [...listArg('concat', args, 0, call), ...listArg('concat', args, 1, call)],
  },
  {
    name: 'flatten',
    usage: 'flatten: depth?',
    description: 'A list with the elements of the lists in it in their place. Default: one level deep.',
    example: { template: '{{ [[1, 2], [3, [4]]] | flatten }}', result: [1, 2, 3, [4]] },
    min: 1,
    max: 2,
    run: (args, call) => {
      const depth = Math.min(Math.max(0, readWholeArg('flatten', args, 1, 1)), 32);
      let list = listArg('flatten', args, 0, call);
      for (let level = 0; level < depth && list.some((element) => Array.isArray(element)); level++) {
        const flat: Json[] = [];
        for (const element of list) {
          const elements = Array.isArray(element) ? element : [element];
          call.spend(elements.length + 1);
          for (const inner of elements) flat.push(inner);
        }
        list = flat;
      }
      return list.slice();
    },
  },
  {
    name: 'contains',
    usage: 'contains: value',
    description: 'Whether a string contains a string, a list an element, or an object a key.',
    example: { template: '{{ input.tags | contains: "new" }}', input: { tags: ['new', 'eu'] }, result: true },
    min: 2,
    max: 2,
    run: (args, call) => {
      const [value, part = null] = args;
      if (Array.isArray(value)) return value.some((element) => isEqual(element, part, call));
      if (typeof part !== 'string') throw createTypeError('contains', 'a string to look for', part);
      if (typeof value === 'string') return readTextArg('contains', args, 0, call).includes(part);
      if (isObject(value)) return part !== '__proto__' && Object.hasOwn(value, part);
      throw createTypeError('contains', 'a string, a list or an object', value);
    },
  },
];

function readEnd(name: string, list: Json | undefined, at: number): Json {
  if (!Array.isArray(list)) throw createTypeError(name, 'a list', list);
  return list.at(at) ?? null;
}

/**
 * A text that equal lists and objects share, made of the scalars in them, so that only a few have to be
 * compared in depth.
 */
function computeDigest(value: readonly Json[] | { readonly [key: string]: Json }, call: Call): string {
  const entries = Object.entries(value);
  call.spend(entries.length);
  const parts = entries.map(
    ([key, part]) => `${key}:${typeof part === 'object' ? '' : String(part).slice(0, 40)}`,
  );
  return (Array.isArray(value) ? '[' : '{') + parts.sort((a, b) => (a < b ? -1 : 1)).join(',');
}

/** Deep equality that counts every compared pair. */
export function isEqual(a: Json, b: Json, call: Call): boolean {
  call.spend(1);
  return isJsonEqual(a, b, () => call.spend(1));
}

function order(a: Json, b: Json): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

function pathArg(name: string, args: readonly Json[], at: number, call: Call): JsonPath {
  const text = readTextArg(name, args, at, call);
  try {
    return compilePath(text);
  } catch (error) {
    if (error instanceof PathError) throw new TemplateEvaluationError(`${name}: ${error.message}`);
    throw error;
  }
}
