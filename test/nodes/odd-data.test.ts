import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { runNode } from '../support/run-data-node.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';

const seed = chooseSeed('FUZZ_SEED');
const random = createSeededRandom(seed).int;

/** Own keys as a body of JSON may bring them. */
const read = (text: string): Json => JSON.parse(text) as Json;
const ODD: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => -0,
  () => 1e308,
  () => 'NaN',
  () => 'Infinity',
  () => '',
  () => '\u0000',
  () => '\uD800',
  () => '😀\u0301ﬃ\u202E',
  () => '{{ secrets.KEY }}',
  () => '=1+1',
  () => '9'.repeat(400),
  () => 'x'.repeat(10_000),
  () => [],
  () => ({}),
  () => [[[]]],
  () => read('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  () => read(`${'{"a":['.repeat(90)}1${']}'.repeat(90)}`),
  () => ({ toString: null, valueOf: 1, hasOwnProperty: 'x', length: -1, isArray: {} }),
  () => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
];
const odd = (): Json => ODD[random(ODD.length)]!();

/** Puts something odd into a copy, at one place or several; or in place of it all. */
function makeInvalid(value: Json): Json {
  if (random(8) === 0) return odd();
  const root: Json[] = [structuredClone(value)];
  for (let round = random(3); round >= 0; round--) {
    let holder = root as Json[] | JsonObject;
    for (let depth = 0; depth < 6; depth++) {
      const keys = Object.keys(holder);
      const key = keys[random(keys.length)];
      if (key === undefined) break;
      const inner = (holder as JsonObject)[key];
      if (typeof inner !== 'object' || inner === null || random(4) === 0) {
        if (random(6) === 0 && Array.isArray(holder)) holder.push(odd());
        else (holder as JsonObject)[key] = odd();
        break;
      }
      holder = inner;
    }
  }
  return root[0]!;
}

// These read documents in a process of their own. test/nodes/file-nodes.test.ts tests them on the service.
const DOCUMENT_NODES = ['html', 'pdf_text', 'spreadsheet', 'zip'];

test('for any input, a data node returns a result or a clear error, and leaves the input unchanged', async () => {
  const nodes = builtinNodes.filter(
    ({ category, type }) => category === 'data' && !DOCUMENT_NODES.includes(type),
  );
  expect(nodes.length).toBeGreaterThan(14);
  let done = 0;
  let failed = 0;
  for (let round = 0; round < 60; round++) {
    for (const type of nodes) {
      const example = type.examples[random(type.examples.length)]!;
      const input = makeInvalid(example.input);
      const before = JSON.stringify(input);
      const text = `seed ${seed}: ${type.type} ${JSON.stringify(example.config)} ${before.slice(0, 500)}`;
      try {
        const outcome = await runNode(type, example.config, input);
        if (outcome.kind === 'done') {
          done++;
          // Outputs can be stored.
          expect(JSON.stringify(outcome.outputs)).not.toBe('');
        } else {
          failed++;
          expect(outcome, text).toMatchObject({
            kind: 'failed',
            error: { message: expect.stringMatching(/./) },
          });
          expect(JSON.stringify(outcome), text).not.toMatch(/undefined|\[object/);
        }
      } catch (error) {
        // The runner reports a template that fails.
        if (!(error instanceof Error) || error.name !== 'TemplateEvaluationError')
          throw new Error(text, { cause: error });
        failed++;
      }
      expect(JSON.stringify(input), text).toBe(before);
      expect(({} as Record<string, unknown>)['polluted'], text).toBeUndefined();
    }
  }
  expect(done, `seed ${seed}`).toBeGreaterThan(100);
  expect(failed, `seed ${seed}`).toBeGreaterThan(100);
});
