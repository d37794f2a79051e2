import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../src/ports/limits.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

const INPUT_BYTES = 1024 * 1024;

let fixture: EngineFixture;
beforeEach(() => (fixture = new EngineFixture()));
afterEach(() => fixture.close());

test('an execution leaves memory when its wait is on disk before the next time slice', async () => {
  const { clock } = fixture;
  const readTime = clock.now.bind(clock);
  const runSoon = clock.soon.bind(clock);
  let passed = 0;
  let isWriting = false;
  let continueSlices: (() => void) | null = null;
  fixture.aroundFiles = (files) => ({
    ...files,
    put: (bytes) => {
      isWriting = true;
      return files.put(bytes);
    },
  });
  // The time slice that starts the wait is over at once. Because of the large input, its checkpoint is
  // written before the next slice.
  clock.now = () => readTime() + (isWriting ? passed : (passed += limits.timeSliceMs));
  clock.soon = (run) => {
    if (isWriting && continueSlices === null) continueSlices = run;
    else runSoon(run);
  };
  await fixture.open();
  const delay = { id: 'delay', type: 'delay', config: { duration: '1d' } };
  const workflow = await fixture.save([delay], ['start > delay']);
  const { id } = await fixture.start(workflow, { v: 'x'.repeat(INPUT_BYTES) });
  const [row] = await fixture.store.executions.journal(owner, id, 0, 1);
  expect(row?.events).toContain('"e":"wait"');
  expect(continueSlices).not.toBeNull();
  expect(fixture.engine.health().active).toBe(1);
  continueSlices!();
  await fixture.until('it has left memory', () => fixture.engine.health().active === 0, 0);
  expect(await fixture.status(id)).toBe('waiting');
  expect(fixture.reports).toEqual([]);
});
