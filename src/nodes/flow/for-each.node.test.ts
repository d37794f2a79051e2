import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import type { BodyControl, BodyResult, BodyStep, Outcome } from '../../contract/node-type.ts';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../../test/support/seeded-random.ts';
import { forEach } from './for-each.node.ts';

const LENGTH = 2_500;

const create = (): BodyControl => {
  const items = Array.from({ length: LENGTH }, (_, index) => index);
  const config = { items, nodes: ['x'], concurrency: 7, onError: 'continue' };
  return forEach.control!(config as never, null, { isConnected: () => false });
};

const resultOf = (index: number): BodyResult =>
  index % 900 === 5
    ? { status: 'failed', error: { type: 'validation', message: `no ${index}` } }
    : { status: 'completed', output: { index, text: `item ${index}` } };

/** Runs all items; `change` replaces the control after each. `results`: of the items that have ended. */
function runAll(
  random: SeededRandom,
  change: (control: BodyControl, results: unknown[]) => BodyControl,
): Outcome | undefined {
  let control = create();
  const results: unknown[] = [];
  const open: number[] = [];
  let step: BodyStep = control.begin(0);
  for (;;) {
    open.push(...(step.start ?? []).map(({ index }) => index!));
    if (step.outcome !== undefined) return step.outcome;
    const [index] = open.splice(random.int(open.length), 1);
    const result = resultOf(index!);
    step = control.settled(String(index), result, 0);
    results[index!] = result.status === 'completed' ? result.output : null;
    control = change(control, results);
  }
}

function restore(saved: unknown): BodyControl {
  const control = create();
  control.restore(deserialize(serialize(saved)));
  return control;
}

const expected = {
  kind: 'done',
  outputs: {
    out: {
      results: Array.from({ length: LENGTH }, (_, index) =>
        index % 900 === 5 ? null : { index, text: `item ${index}` },
      ),
      errors: [5, 905, 1805].map((index) => ({
        index,
        error: { type: 'validation', message: `no ${index}` },
      })),
    },
  },
};

test('a loop that is restored from snapshots at random positions has the same results', () => {
  const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
  let restored = 0;
  const outcome = runAll(random, (control) => {
    if (!random.is(0.01)) return control;
    restored++;
    return restore(control.save());
  });
  expect(outcome).toEqual(expected);
  expect(restored).toBeGreaterThan(3);
});

test('a loop is restored from a snapshot of version 2, in which the results are a list', () => {
  const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
  let restored = 0;
  const outcome = runAll(random, (control, results) => {
    if (!random.is(0.01)) return control;
    restored++;
    return restore({ ...(control.save() as object), results });
  });
  expect(outcome).toEqual(expected);
  expect(restored).toBeGreaterThan(3);
});
