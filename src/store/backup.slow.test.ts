import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../ports/store.ts';
import { copyBackup, restoreFrom } from './backup.ts';
import { openDiskFiles, type DiskFiles } from './files.ts';
import { openSqliteStore } from './sqlite/open-store.ts';
import { creation, workflow } from './conformance/samples.ts';

let base: string;
let dataDir: string;
let target: string;
let store: Store;
let files: DiskFiles;
const now = Date.now();
beforeEach(async () => {
  base = mkdtempSync(path.join(tmpdir(), 'weft-backup-'));
  dataDir = path.join(base, 'data');
  target = path.join(base, 'backups', 'today');
  store = await openSqliteStore({ dataDir, now: () => now });
  files = await openDiskFiles(dataDir, () => now);
  await store.workflows.save(workflow('wf_a'));
  writeFileSync(path.join(dataDir, 'secret.key'), 'key');
});
afterEach(async () => {
  await store.close();
  rmSync(base, { recursive: true, force: true });
});

async function run(n: number): Promise<void> {
  const hash = await files.put(Buffer.from(`content ${n}`));
  await store.executions.commit([creation(`ex_${n}`, { blobs: [hash] })]);
}

test('a backup during writes restores a consistent state, with all referenced content', async () => {
  for (let i = 0; i < 20; i++) await run(i);
  const signal = { done: false };
  const work = (async () => {
    for (let i = 20; !signal.done; i++) await run(i);
  })();
  const steps: string[] = [];
  const manifest = await copyBackup(target, dataDir, now, (step) => void steps.push(step.what));
  signal.done = true;
  await work;
  expect(new Set(steps)).toEqual(new Set(['database', 'files']));
  expect(manifest.counts.executions).toBeGreaterThanOrEqual(20);
  expect(manifest.counts).toMatchObject({ users: 0, workflows: 1, files: manifest.counts.executions });
  expect(statSync(path.join(target, 'weft.db')).mode & 0o777).toBe(0o600);

  const restored = path.join(base, 'restored');
  await restoreFrom(target, restored);
  expect(readFileSync(path.join(restored, 'secret.key'), 'utf8')).toBe('key');
  expect(existsSync(path.join(restored, '.restoring'))).toBe(false);
  const copy = await openSqliteStore({ dataDir: restored, now: () => now });
  const contents = await openDiskFiles(restored, () => now);
  const { total } = await copy.executions.list('usr_a', {}, 0, 1);
  expect(total).toBe(manifest.counts.executions);
  for (let i = 0; i < total; i++) {
    expect(await copy.executions.get('usr_a', `ex_${i}`)).not.toBeNull();
    const hash = await contents.put(Buffer.from(`content ${i}`));
    expect(await contents.get(hash)).not.toBeNull();
  }
  expect(await contents.sweep(async (asked) => await copy.files.filterUnreferenced(asked))).toBe(0);
  await copy.maintenance.check();
  await copy.close();
});

test('the store copies its database during writes', async () => {
  const work = (async () => {
    for (let i = 0; i < 200; i++) await run(i);
  })();
  const file = path.join(base, 'copy.db');
  await store.maintenance.backup(file);
  await work;
  await expect(store.maintenance.backup(file)).rejects.toThrow('EEXIST');
  const folder = path.join(base, 'opened');
  const copy = await openSqliteStore({ dataDir: folder, now: () => now });
  await copy.close();
  writeFileSync(path.join(folder, 'weft.db'), readFileSync(file));
  const again = await openSqliteStore({ dataDir: folder, now: () => now });
  expect(await again.workflows.get('usr_a', 'wf_a')).not.toBeNull();
  await again.close();
});

test('a backup never overwrites a folder, and requires data', async () => {
  await copyBackup(target, dataDir, now);
  await expect(copyBackup(target, dataDir, now)).rejects.toThrow('already exists');
  await expect(copyBackup(`${target}-2`, path.join(base, 'nothing'), now)).rejects.toThrow(
    'There is no data',
  );
  expect(existsSync(`${target}-2`)).toBe(false);
});

test('a missing content fails the backup, which is removed', async () => {
  await run(1);
  await store.executions.commit([creation('ex_2', { blobs: ['ab'.repeat(32)] })]);
  await expect(copyBackup(target, dataDir, now)).rejects.toThrow('ENOENT');
  expect(existsSync(target)).toBe(false);
});

test('a restore rejects a target that is not empty and an unfinished, damaged or incomplete backup, and leaves no files', async () => {
  await run(1);
  await copyBackup(target, dataDir, now);
  await expect(restoreFrom(target, dataDir)).rejects.toThrow('is not empty');
  await expect(restoreFrom(dataDir, path.join(base, 'x'))).rejects.toThrow('is not a finished backup');
  const goal = path.join(base, 'goal');
  const hash = await files.put(Buffer.from('content 1'));
  const content = path.join(target, 'files', hash.slice(0, 2), hash.slice(2));
  const original = readFileSync(content);
  writeFileSync(content, 'content 2');
  await expect(restoreFrom(target, goal)).rejects.toThrow('is damaged');
  rmSync(content);
  await expect(restoreFrom(target, goal)).rejects.toThrow(
    `The backup is damaged: the content ${hash} is missing`,
  );
  expect(readdirSync(goal)).toEqual([]);
  rmdirSync(goal);
  writeFileSync(content, original);
  appendFileSync(path.join(target, 'secret.key'), 'x');
  await expect(restoreFrom(target, goal)).rejects.toThrow('secret.key does not match its manifest');
  writeFileSync(path.join(target, 'secret.key'), 'key');
  await restoreFrom(target, goal);
  expect(existsSync(path.join(goal, 'weft.db'))).toBe(true);
});
