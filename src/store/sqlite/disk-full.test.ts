import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDiskFiles } from '../files.ts';
import { creation, workflow } from '../conformance/samples.ts';
import { openSqliteStore } from './open-store.ts';

/* A separate file system of 12 MB; requires the permission to mount one. */
let mount = '';
let isMounted = false;
beforeAll(() => {
  mount = mkdtempSync(path.join(tmpdir(), 'weft-full-'));
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', mount]).status === 0;
});
afterAll(() => {
  if (isMounted) spawnSync('umount', [mount]);
  rmSync(mount, { recursive: true, force: true });
});

test('a full disk fails writes with STORAGE_FULL, loses no data, still reads, and recovers automatically', async (context) => {
  if (!isMounted) context.skip('no right to mount a small file system');
  const dataDir = path.join(mount, 'data');
  const filler = path.join(mount, 'filler');
  const fatal: Error[] = [];
  const store = await openSqliteStore({ dataDir, now: Date.now, onFatal: (error) => void fatal.push(error) });
  await store.workflows.save(workflow('wf_a'));
  let written = 0;
  let refused = 0;
  for (let round = 0; round < 3; round++) {
    writeFileSync(filler, Buffer.alloc((7 - round * 2) * 1024 * 1024));
    for (let failures = 0; failures < 5;) {
      const events = JSON.stringify([written, 'x'.repeat(10_000)]);
      try {
        await store.executions.commit([creation(`ex_${written}`, { events })]);
        written++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORAGE_FULL' });
        failures++;
        refused++;
      }
    }
    expect((await store.executions.list('usr_a', {}, 0, 1)).total).toBe(written);
    expect(await store.executions.get('usr_a', `ex_${written}`)).toBeNull();
    rmSync(filler);
    await store.maintenance.check();
  }
  expect(refused).toBe(15);
  expect(fatal).toEqual([]);
  await store.close();
  const again = await openSqliteStore({ dataDir, now: Date.now });
  for (const i of [0, written - 1]) {
    expect(await again.executions.journal('usr_a', `ex_${i}`, 0, 1)).toMatchObject([{ seq: 0 }]);
  }
  expect((await again.executions.list('usr_a', { from: 0 }, 0, 1)).total).toBe(written);
  await again.close();
});

test('a start on a full disk reports it, and succeeds when space is available', async (context) => {
  if (!isMounted) context.skip('no right to mount a small file system');
  const filler = path.join(mount, 'filler');
  const dataDir = path.join(mount, 'late');
  const open = () => openSqliteStore({ dataDir, now: Date.now });
  // The folder itself uses no space.
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']);
  await expect(open()).rejects.toThrow(`The data folder ${dataDir} cannot be used: its disk is full.`);
  truncateSync(filler, statSync(filler).size - 24 * 1024);
  await expect(open()).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  rmSync(filler);
  await (await open()).close();
});

test('a content that does not fit fails with STORAGE_FULL and leaves no files', async (context) => {
  if (!isMounted) context.skip('no right to mount a small file system');
  rmSync(path.join(mount, 'data'), { recursive: true, force: true });
  const dataDir = path.join(mount, 'contents');
  mkdirSync(dataDir);
  const files = await openDiskFiles(dataDir, Date.now);
  await expect(files.put(Buffer.alloc(16 * 1024 * 1024, 1))).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  await expect(files.write(megabytes(16))).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  expect(readdirSync(path.join(dataDir, 'files', 'new'))).toEqual([]);
  const hash = await files.put(Buffer.alloc(8 * 1024 * 1024, 2));
  expect(await files.get(hash)).toHaveLength(8 * 1024 * 1024);
});

async function* megabytes(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1024 * 1024, i);
}
