import { expect, test } from 'vitest';
import { creation, workflow } from '../conformance/samples.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';

test('within one turn of the event loop, a read sees every write that has resolved', async () => {
  const under = await createTempStore();
  const { executions, workflows } = under.store;
  try {
    await workflows.save(workflow('wf_a'));
    for (let i = 0; i < 200; i++) {
      const id = `ex_${i}`;
      // Opens the snapshot of this turn of the event loop.
      expect(await executions.get('usr_a', id)).toBe(null);
      // A single checkpoint is written on this thread, within the turn; a batch of three on another thread.
      const batch = i % 2 === 0 ? [creation(id)] : [creation(id), creation(`${id}b`), creation(`${id}c`)];
      await executions.commit(batch);
      expect((await executions.get('usr_a', id))?.id).toBe(id);
    }
  } finally {
    await under.close();
  }
});
