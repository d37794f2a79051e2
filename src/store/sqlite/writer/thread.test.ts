import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../../test/support/service.ts';

const run = promisify(execFile);

test('a process whose last work is to close the store exits after the threads have closed', async () => {
  const folder = createTempFolder();
  const script = `
    import { openSqliteStore } from './open-store.ts';
    const store = await openSqliteStore({ dataDir: ${JSON.stringify(folder.path)}, now: Date.now });
    const work = [1, 2, 3].map((n) => store.executions.heartbeat('wrk_' + n, n));
    work.push(store.executions.list('usr_a', { from: 1 }, 0, 10));
    await store.close();
    await Promise.all(work);
    console.log('closed');`;
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: new URL('..', import.meta.url),
    });
    expect(stdout).toBe('closed\n');
  } finally {
    folder.remove();
  }
});
