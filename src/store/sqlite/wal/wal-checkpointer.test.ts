import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openForWriting } from '../connection.ts';
import { startWalCheckpointer } from './wal-checkpointer.ts';

// Terminating a thread while it loads the driver crashes the process: "FATAL ERROR: Error::New
// napi_get_last_error_info".
test('a checkpointer stopped at any moment closes its connection and exits', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-carrier-'));
  const file = path.join(folder, 'x.db');
  const { db } = openForWriting(file);
  const workers: Worker[] = [];
  const onWorker = (message: unknown): void => void workers.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', onWorker);
  try {
    const codes: unknown[] = [];
    for (let delay = 0; delay < 100; delay += 5) {
      const errors: unknown[] = [];
      const carrier = startWalCheckpointer(file, (error) => errors.push(error));
      const exited = once(workers.at(-1)!, 'exit');
      carrier.startCheckpoint();
      await sleep(delay);
      carrier.stop();
      codes.push(...(await exited), ...errors.filter((error) => error !== null));
    }
    expect(codes).toEqual(codes.map(() => 0));
    expect(workers).toHaveLength(20);
    // Closing the last connection deletes the log file.
    db.close();
    expect(() => rmSync(`${file}-wal`)).toThrow('ENOENT');
  } finally {
    unsubscribe('worker_threads', onWorker);
    rmSync(folder, { recursive: true });
  }
});
