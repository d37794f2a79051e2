import type { SeededRandom } from '../support/seeded-random.ts';

/** JSON text that no value can represent, such as a duplicate key or a number beyond a double. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** The members of an object as written, in order. */
export class ObjectMembers {
  readonly list: [string, unknown][];
  constructor(list: [string, unknown][]) {
    this.list = list;
  }
}

/** Serializes a value with `Raw` and `Members`. Only `Raw` makes values deep. */
export function serialize(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof ObjectMembers)
    return `{${value.list.map(([key, item]) => `${JSON.stringify(key)}:${serialize(item)}`).join(',')}}`;
  if (Array.isArray(value)) return `[${value.map(serialize).join(',')}]`;
  if (typeof value === 'object' && value !== null) return serialize(new ObjectMembers(Object.entries(value)));
  return JSON.stringify(value) ?? 'null';
}

/** Values that are error-prone for parsers. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  new RawJson('-0'),
  new RawJson('1e400'),
  new RawJson('-1e400'),
  new RawJson('1e-400'),
  new RawJson('9007199254740993'),
  new RawJson('123456789012345678901234567890'),
  new RawJson('1.0'),
  2 ** 53,
  -(2 ** 53),
  -1,
  0.5,
  1e308,
  '',
  ' ',
  '0',
  'null',
  'true',
  'NaN',
  '\u0000',
  'a\u0000b',
  new RawJson('"\\ud800"'),
  new RawJson('"\\udfff\\ud800"'),
  new RawJson('"\\u0000"'),
  '\u202egnp.exe',
  '\ufeff',
  '../../../etc/passwd',
  '%00',
  "' OR 1=1 --",
  '{{ secrets.OWN }}',
  '{{ constructor.constructor("return process")() }}',
  '{{ input.__proto__ }}',
  '${7*7}',
  '<script>alert(1)</script>',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00.000Z',
  'P1Y',
  '1e9d',
  '-1s',
  '99999999999999d',
  'x'.repeat(201),
  'x'.repeat(10_001),
  'é'.repeat(255),
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  { toString: 1 },
  { toJSON: 'x' },
  { $file: { id: 'file_x' } },
  new RawJson('{"then":"x"}'),
];

const protoNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'id',
  'owner_id',
];
const deep = [
  new RawJson(`${'['.repeat(65)}${']'.repeat(65)}`),
  new RawJson(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`),
  new RawJson(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
];

type JsonPosition = { get(): unknown; set(value: unknown): void; remove(): void };

/** Every position in a tree that can be changed, except the root. */
function listPositions(root: unknown): JsonPosition[] {
  const found: JsonPosition[] = [];
  const open: unknown[] = isOpen(root) ? [root] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const keys = Array.isArray(next)
      ? next.keys()
      : typeof next === 'object' && next !== null
        ? Object.keys(next)
        : [];
    const holder = next as Record<string | number, unknown>;
    for (const key of keys) {
      found.push({
        get: () => holder[key],
        set: (value) => void (holder[key] = value),
        remove: () => (Array.isArray(next) ? next.splice(Number(key), 1) : delete holder[key]),
      });
      if (isOpen(holder[key])) open.push(holder[key]);
    }
  }
  return found;
}

function isOpen(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof RawJson) &&
    !(value instanceof ObjectMembers)
  );
}

/** Odd values are used repeatedly, and positions in them may be changed. */
function odd(random: SeededRandom): unknown {
  const value = random.pick(oddValues);
  return isOpen(value) ? structuredClone(value) : value;
}

/** A copy of the value with one to three errors. */
export function mutate(value: unknown, random: SeededRandom): unknown {
  let bent: unknown = structuredClone(value);
  for (let times = 1 + random.int(3); times > 0; times--) bent = mutateOnce(bent, random);
  return bent;
}

function mutateOnce(value: unknown, random: SeededRandom): unknown {
  const places = listPositions(value);
  if (places.length === 0 || random.is(0.05))
    return random.pick<unknown>([odd(random), random.pick(deep), [value], { value }]);
  const location = random.pick(places);
  const at = location.get();
  switch (random.int(9)) {
    case 0:
      location.remove();
      break;
    case 1:
      location.set([at]);
      break;
    case 2:
      location.set(random.text(60));
      break;
    case 3:
      if (isOpen(at) && !Array.isArray(at)) {
        const members = Object.entries(at);
        const name = random.is(0.5) ? random.pick(protoNames) : (members[0]?.[0] ?? 'a');
        location.set(new ObjectMembers([...members, [name, odd(random)]]));
      } else location.set(odd(random));
      break;
    case 4:
      if (Array.isArray(at)) location.set([...(at as unknown[]), ...(at as unknown[])]);
      else location.set(random.pick(deep));
      break;
    case 5:
      if (isOpen(value) && !Array.isArray(value))
        return new ObjectMembers([
          ...Object.entries(value),
          [random.is(0.5) ? random.pick(protoNames) : random.text(20), odd(random)],
        ]);
      location.set(odd(random));
      break;
    default:
      location.set(odd(random));
  }
  return value;
}
