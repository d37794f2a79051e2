import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { workflow } from '../conformance/samples.ts';
import { openSqliteStore } from './open-store.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'weft-crash-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});
const open = () => openSqliteStore({ dataDir, now: Date.now });

/** Commits batch after batch and prints the last number of each when it is acknowledged. */
const child = (from: number) => `
  const { writeSync } = await import('node:fs');
  const { openSqliteStore } = await import(${JSON.stringify(new URL('./open-store.ts', import.meta.url).href)});
  const { creation } = await import(${JSON.stringify(new URL('../conformance/samples.ts', import.meta.url).href)});
  const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now });
  for (let n = ${from}; ; ) {
    const batch = Array.from({ length: 20 }, () => creation('ex_' + n, { events: JSON.stringify([n++]) }));
    const results = await store.executions.commit(batch);
    if (results.some((r) => r.kind !== 'written')) throw new Error(JSON.stringify(results));
    writeSync(1, n - 1 + '\\n');
  }`;

/** Runs the child until it acknowledges `batches`, then kills it. Returns the last acknowledged number. */
async function killAfter(from: number, batches: number): Promise<number> {
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', child(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  process_.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > batches) process_.kill('SIGKILL');
  });
  const signal = await new Promise((resolve) => process_.once('close', (_code, s) => resolve(s)));
  expect(signal).toBe('SIGKILL');
  return Number(printed.split('\n').at(-2));
}

async function stored(): Promise<number> {
  const store = await open();
  const { total, rows } = await store.executions.list('usr_a', {}, 0, 1);
  expect((await store.executions.list('usr_a', { from: 0 }, 0, 1)).total).toBe(total);
  const last = rows[0] === undefined ? [] : await store.executions.journal('usr_a', rows[0].id, 0, 9);
  expect(last).toEqual(total === 0 ? [] : [{ seq: 0, events: `[${total - 1}]` }]);
  await store.close();
  return total;
}

test('acknowledged writes survive repeated kill -9', async () => {
  const store = await open();
  await store.workflows.save(workflow('wf_a'));
  await store.close();
  let total = 0;
  for (let round = 0; round < 4; round++) {
    const acknowledged = await killAfter(total, 3 + round * 40);
    total = await stored();
    expect(total).toBeGreaterThan(acknowledged);
    // A batch is stored completely or not at all.
    expect(total % 20).toBe(0);
  }
});

test('a truncated or corrupt tail of the log loses only its own content', async () => {
  const store = await open();
  await store.workflows.save(workflow('wf_a'));
  await store.close();
  const acknowledged = await killAfter(0, 30);
  const log = path.join(dataDir, 'weft.db-wal');
  expect(existsSync(log)).toBe(true);
  const original = `${dataDir}-original`;
  cpSync(dataDir, original, { recursive: true });
  try {
    const size = statSync(log).size;
    appendFileSync(log, Buffer.alloc(10_000, 0xa5));
    expect(await stored()).toBeGreaterThan(acknowledged);
    let last = Infinity;
    for (const cut of [1, 512, 4_096 + 24, 50_000, 200_000, size - 10, size]) {
      rmSync(dataDir, { recursive: true });
      cpSync(original, dataDir, { recursive: true });
      truncateSync(log, Math.max(0, size - cut));
      if (size - cut <= 0) rmSync(path.join(dataDir, 'weft.db-shm'), { force: true });
      const total = await stored();
      expect(total).toBeLessThanOrEqual(last);
      expect(total % 20).toBe(0);
      last = total;
      const db = new Database(path.join(dataDir, 'weft.db'), { readonly: true });
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      db.close();
    }
  } finally {
    rmSync(original, { recursive: true });
  }
});
