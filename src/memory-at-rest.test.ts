import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { giveMemoryBackAtRest, memoryOf, watchMemory } from './memory-at-rest.ts';

const MIB = 1024 * 1024;

test.each([
  ['at rest, and grown', 0.01, 500, 16 * MIB, true, false],
  ['at work', 0.2, 500, 16 * MIB, false, true],
  ['at rest, and small', 0.01, 500, MIB, false, true],
  ['at rest, and warm', 0.01, 5_000, 16 * MIB, false, false],
])('%s', (_title, busy, worked, young, collects, looksAgain) => {
  let collected = 0;
  const look = watchMemory({
    busy: () => busy,
    worked: () => worked,
    young: () => young,
    collect: () => void collected++,
  });
  expect([look(), collected]).toEqual([looksAgain, collects ? 1 : 0]);
});

test('what is free is given back, and what is in use stays', () => {
  const file = pathToFileURL(path.join(import.meta.dirname, 'memory-at-rest.ts')).href;
  const program = `
    const { memoryOf } = await import('${file}');
    const memory = memoryOf();
    const kept = Array.from({ length: 1_000 }, (_, i) => ({ i }));
    // What survives makes it grow.
    const survivors = [];
    for (let i = 0; memory.young() < ${4 * MIB} && i < 5e6; i++) survivors[i % 200_000] = { i };
    const before = memory.young();
    memory.collect();
    console.log(JSON.stringify([before, memory.young(), kept.every(({ i }, at) => i === at)]));`;
  const flags = ['--max-semi-space-size=8', '--expose-gc', '--input-type=module'];
  const out = execFileSync(process.execPath, [...flags, '-e', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [before, after, isKept] = JSON.parse(out) as [number, number, boolean];
  expect(before).toBeGreaterThanOrEqual(4 * MIB);
  expect(after).toBeLessThan(4 * MIB);
  expect(isKept).toBe(true);
});

test('it tells how busy this thread was since it was last asked', async () => {
  const memory = memoryOf();
  await new Promise((resolve) => setTimeout(resolve, 50));
  memory.busy();
  const until = performance.now() + 100;
  while (performance.now() < until);
  // The turn that is under way counts when it is over.
  await new Promise((resolve) => setImmediate(resolve));
  expect(memory.busy()).toBeGreaterThan(0.5);
  expect(memory.worked()).toBeGreaterThan(50);
});

test('without leave to do so it does nothing', () => {
  expect('gc' in globalThis).toBe(false);
  giveMemoryBackAtRest()();
});
