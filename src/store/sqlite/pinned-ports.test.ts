import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { workflow } from '../conformance/samples.ts';
import { openSqliteStore } from './open-store.ts';

const at = Date.UTC(2026, 0, 2);

test('an output that an older program pins has no ports', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'weft-pins-'));
  const open = () => openSqliteStore({ dataDir, now: () => at });
  try {
    let store = await open();
    await store.workflows.save(workflow('wf_1'));
    for (const nodeId of ['kept', 'replaced'])
      await store.pinnedOutputs.put('usr_a', 'wf_1', { nodeId, output: 1, ports: ['true'], pinnedAt: at });
    await store.close();
    const db = new Database(path.join(dataDir, 'weft.db'));
    const put = db.prepare(
      `INSERT INTO pinned_outputs (workflow_id, node_id, output, bytes, pinned_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (workflow_id, node_id) DO UPDATE SET output = excluded.output, bytes = excluded.bytes,
          pinned_at = excluded.pinned_at`,
    );
    put.run('wf_1', 'replaced', '2', 1, at + 1);
    put.run('wf_1', 'new', '3', 1, at + 1);
    db.close();
    store = await open();
    expect(await store.pinnedOutputs.list('usr_a', 'wf_1')).toEqual([
      { nodeId: 'kept', output: 1, ports: ['true'], pinnedAt: at },
      { nodeId: 'new', output: 3, ports: null, pinnedAt: at + 1 },
      { nodeId: 'replaced', output: 2, ports: null, pinnedAt: at + 1 },
    ]);
    await store.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
