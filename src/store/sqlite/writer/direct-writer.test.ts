import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDirectWriter } from './direct-writer.ts';
import { migrate } from '../migrate.ts';
import { MainThreadWriteBudget } from './main-thread-write-budget.ts';

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

test('a direct write is visible to every other connection', () => {
  const direct = createDirectWriter(file, new MainThreadWriteBudget());
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).toEqual({ value: undefined });
  expect(db.prepare('SELECT id, lease_until FROM workers').all()).toEqual([
    { id: 'wrk_1', lease_until: 9_000 },
  ]);
  direct.close();
});

test('while another connection holds the lock, the write goes to the thread immediately', () => {
  const direct = createDirectWriter(file, new MainThreadWriteBudget());
  db.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).toBeNull();
  // A connection that waited for the lock would wait for five seconds.
  expect(performance.now() - started).toBeLessThan(4_000);
  db.exec('ROLLBACK');
  expect(direct.run('heartbeat', ['wrk_1', 9_000])).not.toBeNull();
  direct.close();
});

test('occasional slow writes have no effect; on a slow disk, direct writes take at most a twentieth of the time', () => {
  let now = 0;
  /** The time that passes before each reading of the clock: one before a write, one after it. */
  let passing: number[] = [];
  const direct = createDirectWriter(file, new MainThreadWriteBudget(() => (now += passing.shift() ?? 0)));
  const wrote = (ms: number): boolean => {
    passing = [0, ms];
    return direct.run('heartbeat', ['wrk_1', now]) !== null;
  };
  expect(wrote(40)).toBe(true);
  expect(wrote(1)).toBe(true);
  expect(wrote(40)).toBe(true);
  // 80 minus a twentieth of the elapsed time: more than 50.
  expect(wrote(1)).toBe(false);
  now += 500;
  expect(wrote(1)).toBe(false);
  now += 100;
  expect(wrote(1)).toBe(true);

  let slow = 0;
  const began = now;
  for (let i = 0; i < 1_000; i++) {
    if (wrote(10)) slow += 10;
    now += 10;
  }
  expect(slow).toBeGreaterThan(0.04 * (now - began));
  expect(slow).toBeLessThan(50 + 10 + 0.05 * (now - began));
  direct.close();
});
