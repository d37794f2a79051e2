import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDirectWriter } from './direct-writer.ts';
import { migrate } from './migrate.ts';

let folder: string;
let file: string;
let db: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-direct-'));
  file = path.join(folder, 'weft.db');
  db = new Database(file);
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  migrate(db, 0);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

test('a direct write is there for every other connection', () => {
  const direct = createDirectWriter(file);
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).toEqual({ value: undefined });
  expect(db.prepare('SELECT id, lease_until FROM workers').all()).toEqual([
    { id: 'wrk_1', lease_until: 9_000 },
  ]);
  direct.close();
});

test('while another connection holds the lock it leaves the work to the thread, at once', () => {
  const direct = createDirectWriter(file);
  db.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).toBeNull();
  expect(performance.now() - started).toBeLessThan(500);
  db.exec('ROLLBACK');
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).not.toBeNull();
  direct.close();
});

test('after a slow write the thread writes for twenty times as long', () => {
  let now = 0;
  let cost = 10;
  const direct = createDirectWriter(file, () => (now += cost));
  expect(direct.run('heartbeat', ['wrk_1', 1])).not.toBeNull();
  cost = 0;
  now += 199;
  expect(direct.run('heartbeat', ['wrk_1', 2])).toBeNull();
  now += 1;
  expect(direct.run('heartbeat', ['wrk_1', 3])).not.toBeNull();
  expect(direct.run('heartbeat', ['wrk_1', 4])).not.toBeNull();
  direct.close();
});
