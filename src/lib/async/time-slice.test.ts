import { expect, test } from 'vitest';
import { runSliced, runToEnd, type SlicedWork } from './time-slice.ts';

const SLICE_MS = 8;

/** A clock that advances by `step` ms at each read and counts how often the work paused. */
function counting(step: number) {
  let now = 0;
  const clock = {
    pauses: 0,
    now: () => (now += step),
    soon(run: () => void) {
      clock.pauses++;
      setImmediate(run);
    },
  };
  return clock;
}

function* sum(count: number): SlicedWork<number> {
  let total = 0;
  for (let i = 1; i <= count; i++) {
    yield;
    total += i;
  }
  return total;
}

test('short work runs in one slice, long work in slices of equal length', async () => {
  const quick = counting(0);
  expect(await runSliced(quick, SLICE_MS, sum(50))).toBe(1_275);
  expect(quick.pauses).toBe(0);
  // Work with many steps pauses once, however fast they are.
  expect(await runSliced(quick, SLICE_MS, sum(1_000))).toBe(500_500);
  expect(quick.pauses).toBe(1);
  const slow = counting(1);
  expect(await runSliced(slow, SLICE_MS, sum(1_000))).toBe(runToEnd(sum(1_000)));
  // The read that ends a slice and the read that starts the next one both advance the clock.
  expect(slow.pauses).toBe(Math.floor(1_000 / SLICE_MS));
});

test('errors of the work reach the caller', async () => {
  const failing = function* (): SlicedWork<never> {
    yield;
    throw new RangeError('no');
  };
  await expect(runSliced(counting(100), SLICE_MS, failing())).rejects.toThrow(RangeError);
  expect(() => runToEnd(failing())).toThrow(RangeError);
});
