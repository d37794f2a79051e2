import { expect, test } from 'vitest';
import { storeSuite } from '../conformance/store.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';

storeSuite('SQLite', createTempStore);

test('a lease on tokens ends with its process, because no other process uses the folder', async () => {
  const tested = await createTempStore();
  try {
    const at = { ownerId: 'usr_a', slot: 'request:x' };
    const lease = (worker: string, now: number) =>
      tested.store.connections.lease(at, 0, { worker, now, until: now + 30_000 }, 10);
    await lease('before', 1_000);
    expect((await lease('beside', 1_001)).kind).toBe('busy');
    await tested.reopen();
    expect(await lease('after', 1_002)).toEqual({ kind: 'leased', uncertainSince: 1_000 });
  } finally {
    await tested.close();
  }
});
