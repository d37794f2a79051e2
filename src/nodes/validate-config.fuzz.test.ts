import { expect, it } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../test/support/seeded-random.ts';
import type { NodeContext, NodeType } from '../contract/node-type.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import { validateConfig, validateValue } from './validate-config.ts';
import { builtinNodes } from './registry.ts';

const seed = chooseSeed('FUZZ_SEED');
const random = createSeededRandom(seed).int;

const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  '{{ x }}',
  '{{',
  'a {{ b }} c',
  '__proto__',
  'a.b[0]',
  '5s',
  '0 0 * * *',
  'manual',
  'x'.repeat(2000),
  [],
  {},
  [[]],
  [{}],
  ['{{ x }}'],
  { '{{ x }}': 1 },
  { constructor: { prototype: 1 } },
  { $ref: '#' },
  { field: 'a', operator: 'equals', value: 1 },
  { all: [{ not: { any: [] } }] },
  { type: 'oauth2' },
];
const odd = (): Json => structuredClone(ODD[random(ODD.length)] ?? null);

/** Puts something odd at a random place, takes something away, or adds an unknown field. */
function mutate(config: JsonObject): JsonObject {
  const copy = structuredClone(config);
  const places: { holder: Json[] | JsonObject; key: string }[] = [];
  const work: Json[] = [copy];
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      places.push({ holder: value, key });
      work.push(inner);
    }
  }
  const location = places[random(places.length)];
  if (location === undefined || random(10) === 0)
    copy[['url', 'body', 'unknown', 'files', 'retryPolicy', 'until'][random(6)] ?? ''] = odd();
  else if (random(5) === 0) Reflect.deleteProperty(location.holder, location.key);
  else Reflect.set(location.holder, location.key, odd());
  return copy;
}

const context = {
  now: () => 0,
  signal: new AbortController().signal,
  resumed: null,
  attempt: 1,
  idempotencyKey: 'k',
  deliveries: [{ from: 'a', port: 'in', value: [{ b: 1 }] }],
  orchestration: { signal: () => new Promise(() => {}), isConnected: () => true },
  code: { run: () => new Promise(() => {}) },
  documents: { run: () => new Promise(() => {}) },
} as unknown as NodeContext;

function tryAll(type: NodeType, config: JsonObject): void {
  const errors = validateConfig(type, config);
  for (const problem of errors) {
    expect(problem.issue).not.toBe('');
    expect(problem.issue).not.toMatch(/undefined|\[object/);
  }
  // An invalid configuration is never run, nor searched for connections.
  if (errors.length > 0) return;
  type.edges?.(config);
  type.regions?.(config);
  type.dynamicOutputs?.(config);
  // As at run time: only what passes the exact check reaches the node.
  if (type.effects === 'external' || type.isTrigger || validateValue(type, config).length > 0) return;
  if (type.control === undefined) void type.run(context, config as never, { a: { b: [1] } });
  else type.control(config as never, 1, { isConnected: () => false }).begin(0);
}

it('validates any configuration and never throws', () => {
  let clean = 0;
  for (let round = 0; round < 200; round++) {
    for (const type of builtinNodes) {
      const example = type.examples[random(type.examples.length)];
      let config = example?.config ?? {};
      for (let i = random(3); i >= 0; i--) config = mutate(config);
      try {
        tryAll(type, config);
      } catch (error) {
        throw new Error(`seed ${seed}: ${type.type} ${JSON.stringify(config)}`, { cause: error });
      }
      if (validateConfig(type, config).length === 0) clean++;
    }
  }
  // The mutations must leave some right, or they test only the refusals.
  expect(clean, `seed ${seed}`).toBeGreaterThan(60);
});
