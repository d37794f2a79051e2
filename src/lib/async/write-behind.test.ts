import { expect, test } from 'vitest';
import { createWriteBehind } from './write-behind.ts';

function bench() {
  const timers: (() => void)[] = [];
  const writes: string[][] = [];
  const errors: unknown[] = [];
  let egress: Promise<void> = Promise.resolve();
  const made = createWriteBehind({
    delay: 10,
    after(ms, run) {
      expect(ms).toBe(10);
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
    async write(keys) {
      await egress;
      writes.push([...keys]);
    },
    failed: (error) => errors.push(error),
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 2));
  return {
    mark: (key: string) => made.mark(key),
    close: () => made.close(),
    timers,
    writes,
    errors,
    settle,
    hold: (until: Promise<void>) => {
      egress = until;
    },
    ring: async () => {
      expect(timers).toHaveLength(1);
      timers.shift()!();
      await settle();
    },
  };
}

test('many changes become one write; without a change there is no timer', async () => {
  const { mark, ring, writes, timers } = bench();
  expect(timers).toHaveLength(0);
  for (let i = 0; i < 50; i++) mark(`k${i % 3}`);
  expect(timers).toHaveLength(1);
  await ring();
  expect(writes).toEqual([['k0', 'k1', 'k2']]);
  expect(timers).toHaveLength(0);
});

test('changes during a write are part of the next one, which never overlaps', async () => {
  const { mark, writes, timers, hold, settle, ring } = bench();
  let letGo = (): void => {};
  hold(new Promise((resolve) => (letGo = resolve)));
  mark('a');
  timers.shift()!();
  mark('a');
  mark('b');
  expect(timers).toHaveLength(0);
  letGo();
  await settle();
  expect(writes).toEqual([['a']]);
  await ring();
  expect(writes).toEqual([['a'], ['a', 'b']]);
});

test('a failed write is repeated together with later changes', async () => {
  const { mark, ring, writes, errors, hold } = bench();
  const full = Promise.reject(new Error('full'));
  full.catch(() => {});
  hold(full);
  mark('a');
  await ring();
  expect([writes, errors]).toEqual([[], [new Error('full')]]);
  hold(Promise.resolve());
  mark('b');
  await ring();
  expect(writes).toEqual([['a', 'b']]);
});

test('thousands of keys are written in batches', async () => {
  const { mark, ring, writes } = bench();
  for (let i = 0; i < 2_500; i++) mark(`${i}`);
  await ring();
  expect(writes.map((keys) => keys.length)).toEqual([1_000, 1_000, 500]);
});

test('closing writes the rest, waits for a write in progress, and never rejects', async () => {
  const { mark, close, writes, timers, hold, errors } = bench();
  let letGo = (): void => {};
  hold(new Promise((resolve) => (letGo = resolve)));
  mark('a');
  timers.shift()!();
  mark('b');
  const closed = close();
  mark('c');
  letGo();
  await closed;
  expect([writes, timers]).toEqual([[['a'], ['b']], []]);
  const other = bench();
  const full = Promise.reject(new Error('full'));
  full.catch(() => {});
  other.hold(full);
  other.mark('a');
  await other.close();
  expect([other.errors.length, errors.length]).toEqual([1, 0]);
});
