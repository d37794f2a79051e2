import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteStore } from './open-store.ts';

const hasTracer = spawnSync('strace', ['-V']).status === 0;
let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'weft-eio-'));
});
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Creates one user per input line, and prints the outcome. */
const child = () => `
  const { createInterface } = await import('node:readline');
  const { openSqliteStore } = await import(${JSON.stringify(new URL('./open-store.ts', import.meta.url).href)});
  const { user } = await import(${JSON.stringify(new URL('../conformance/samples.ts', import.meta.url).href)});
  const onFatal = (error) => console.log('fatal: ' + error.message);
  const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now, onFatal });
  console.log('ready');
  for await (const id of createInterface({ input: process.stdin })) {
    await store.accounts.createUser(user(id)).then((r) => console.log(id + ' ' + r), (e) => console.log(id + ' ' + e.message));
    console.log('count ' + (await store.accounts.countUsers()));
  }`;

function readLines(process_: ChildProcess, which: 'stdout' | 'stderr') {
  let text = '';
  process_[which]?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return async (pattern: RegExp): Promise<string> => {
    for (const until = performance.now() + 15_000; performance.now() < until;) {
      const found = pattern.exec(text);
      if (found !== null) return found[0];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${String(pattern)} did not come; there is: ${text}`);
  };
}

test('after a failed fsync the store stops writing and reports it, and a restart has the earlier data', async (context) => {
  if (!hasTracer) context.skip('strace is not installed');
  const service = spawn(process.execPath, ['--input-type=module', '-e', child()], { stdio: 'pipe' });
  const waitForLine = readLines(service, 'stdout');
  await waitForLine(/ready/);
  service.stdin.write('usr_1\n');
  await waitForLine(/count 1/);
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO:when=1'];
  const tracer = spawn('strace', ['-f', '-p', String(service.pid), ...inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await readLines(tracer, 'stderr')(/attached/);
  service.stdin.write('usr_2\n');
  expect(await waitForLine(/usr_2 .*/)).toContain('The disk failed');
  expect(await waitForLine(/fatal: .*/)).toContain('accepts no more writes');
  // Only the first fsync fails: a retry would seem to succeed.
  service.stdin.write('usr_3\n');
  expect(await waitForLine(/usr_3 .*/)).toContain('accepts no more writes');
  service.kill('SIGKILL');
  await new Promise((resolve) => tracer.once('close', resolve));
  const store = await openSqliteStore({ dataDir, now: Date.now });
  expect(await store.accounts.userById('usr_1')).not.toBeNull();
  expect(await store.accounts.userById('usr_3')).toBeNull();
  await store.maintenance.check();
  await store.close();
});
