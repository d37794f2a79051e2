import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDiskFiles } from '../files.ts';
import { migrations } from '../migrations/migrations.ts';
import { creation, workflow } from '../conformance/samples.ts';
import { migrate } from './migrate.ts';
import { openSqliteStore } from './open-store.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'weft-open-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});
const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const open = () => openSqliteStore({ dataDir, now: () => at });
const href = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

function runNode(code: string) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
}

test('a folder has one owner; the error of a second process names it', async () => {
  const store = await open();
  const message = `is in use by process ${process.pid} (since 2026-01-02T03:04:05.000Z)`;
  await expect(open()).rejects.toThrow(message);
  const second = runNode(`
    const { openSqliteStore } = await import(${href('./open-store.ts')});
    await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now }).catch((e) => console.log(e.message));`);
  expect(second.stdout).toContain(message);
  await store.maintenance.check();
  await store.close();
  await (await open()).close();
});

test.each(['/dev/null', '/dev/null/deep', '/proc/self/none/deep'])(
  'reports that %s is not a folder',
  async (dataDir) => {
    const input = `"${dataDir}" is not a folder`;
    await expect(openSqliteStore({ dataDir, now: () => at })).rejects.toThrow(input);
  },
);

test('a path that is too long for SQLite is rejected', async () => {
  const long = path.join(dataDir, 'a'.repeat(200), 'b'.repeat(200), 'c'.repeat(60));
  await expect(openSqliteStore({ dataDir: long, now: () => at })).rejects.toThrow('at most 460');
  const longest = path.join(dataDir, 'a'.repeat(200), 'b'.repeat(200)).padEnd(459, 'c');
  await (await openSqliteStore({ dataDir: longest, now: () => at })).close();
});

test('only the owner may read the folder', async () => {
  const folder = path.join(dataDir, 'new', 'deep');
  const store = await openSqliteStore({ dataDir: folder, now: () => at });
  await store.maintenance.check();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) {
    expect([name, statSync(path.join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  await store.close();
});

test('a closed store rejects calls, and can be closed twice', async () => {
  const store = await open();
  await Promise.all([store.close(), store.close()]);
  await expect(store.maintenance.check()).rejects.toThrow('The store is closed.');
  await expect(store.accounts.countUsers()).rejects.toThrow('The store is closed.');
  await expect(store.workflows.list('usr_a', { search: 'x' }, 0, 1)).rejects.toThrow('The store is closed.');
});

test('a schema newer than the program is rejected and not changed', async () => {
  await (await open()).close();
  const db = new Database(path.join(dataDir, 'weft.db'));
  db.prepare('INSERT INTO migrations (number, name, applied_at) VALUES (99, ?, 0)').run('later');
  db.close();
  await expect(open()).rejects.toThrow(
    `written by a newer version of Weft: its schema is 99, this program supports up to ${migrations.length}`,
  );
});

test('a file that is not a database is rejected', async () => {
  await (await open()).close();
  const file = path.join(dataDir, 'weft.db');
  spawnSync('sh', ['-c', 'head -c 20000 /dev/zero | tr "\\0" "x" > "$0"', file]);
  await expect(open()).rejects.toThrow('damaged');
});

test.each(['gone', 'empty'])(
  'a database that is %s is rejected while other files of the folder exist',
  async (how) => {
    await (await open()).close();
    await openDiskFiles(dataDir, () => at);
    const file = path.join(dataDir, 'weft.db');
    rmSync(file);
    if (how === 'empty') writeFileSync(file, '');
    for (let again = 0; again < 2; again++)
      await expect(open()).rejects.toThrow(`${file} is missing or empty`);
    rmSync(path.join(dataDir, 'files'), { recursive: true });
    await (await open()).close();
  },
);

test('keys and clients with the scope workflows:write get the scope secrets:use', () => {
  const db = new Database(':memory:');
  const at = migrations.findIndex(({ name }) => name === '0015-secrets-use');
  migrate(db, 0, migrations.slice(0, at));
  const key = db.prepare(
    `INSERT INTO api_keys (id, owner_id, name, hash, prefix, scopes, created_at) VALUES (?, 'u', 'k', ?, 'p', ?, 0)`,
  );
  const keys: [string, string | null, string | null][] = [
    ['all', null, null],
    ['reader', '["workflows:read"]', '["workflows:read"]'],
    ['writer', '["workflows:write","admin"]', '["workflows:write","secrets:use","admin"]'],
  ];
  for (const [id, before] of keys) key.run(id, id, before);
  const client = db.prepare(
    `INSERT INTO oauth_clients (id, owner_id, name, metadata, created_at) VALUES (?, ?, 'c', ?, 0)`,
  );
  client.run('own', 'u', '{"scope":"workflows:read workflows:write"}');
  client.run('app', null, '{"scope":"workflows:write"}');
  const record = db.prepare(
    `INSERT INTO oauth_records (model, id, bucket, payload, scope, created_at, expires_at) VALUES (?, ?, '', '', 'workflows:write', 0, 1)`,
  );
  for (const model of ['AccessToken', 'ClientCredentials', 'RefreshToken']) record.run(model, model);
  migrate(db, 0);
  expect(db.prepare('SELECT id, scopes FROM api_keys ORDER BY id').raw().all()).toEqual(
    keys.map(([id, , after]) => [id, after]),
  );
  expect(db.prepare('SELECT id, metadata FROM oauth_clients ORDER BY id').raw().all()).toEqual([
    ['app', '{"scope":"workflows:write"}'],
    ['own', '{"scope":"workflows:read workflows:write secrets:use"}'],
  ]);
  expect(db.prepare('SELECT id, scope FROM oauth_records ORDER BY id').raw().all()).toEqual([
    ['AccessToken', 'workflows:write secrets:use'],
    ['ClientCredentials', 'workflows:write secrets:use'],
    ['RefreshToken', 'workflows:write'],
  ]);
  db.close();
});

test('migrations continue from any version, each completely or not at all', () => {
  const db = new Database(path.join(dataDir, 'm.db'));
  migrate(db, 5);
  const two = [...migrations, { name: 'x', sql: 'CREATE TABLE extra (a); INSERT INTO meta VALUES (1, 2)' }];
  const broken = [...migrations, { name: 'x', sql: 'CREATE TABLE extra (a); CREATE TABLE extra (a)' }];
  expect(() => migrate(db, 6, broken)).toThrow('already exists');
  migrate(db, 7, two);
  migrate(db, 8, two);
  expect(db.prepare('SELECT number, applied_at FROM migrations').raw().all()).toEqual([
    ...migrations.map((_, i) => [i + 1, 5]),
    [migrations.length + 1, 7],
  ]);
  expect(() => migrate(db, 9)).toThrow('newer version of Weft');
  db.close();
});

test('a process killed during a migration leaves the previous version', () => {
  const file = JSON.stringify(path.join(dataDir, 'm.db'));
  const code = (kill: boolean) => `
    const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
    const { migrate } = await import(${href('./migrate.ts')});
    const { migrations } = await import(${href('../migrations/migrations.ts')});
    const db = new Database(${file});
    db.pragma('journal_mode = WAL');
    db.function('die', () => (${kill} && process.kill(process.pid, 'SIGKILL'), 1));
    migrate(db, 1, [...migrations, { name: 'x', sql: 'CREATE TABLE extra (a); INSERT INTO extra SELECT die()' }]);`;
  expect(runNode(code(true)).signal).toBe('SIGKILL');
  const db = new Database(path.join(dataDir, 'm.db'));
  expect(db.prepare('SELECT max(number) FROM migrations').pluck().get()).toBe(migrations.length);
  expect(db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'extra'`).pluck().get()).toBe(0);
  db.close();
  expect(runNode(code(false)).status).toBe(0);
});

test('waits for a foreign lock, up to a limit', async () => {
  const store = await open();
  const foreign = new Database(path.join(dataDir, 'weft.db'));
  foreign.exec('BEGIN IMMEDIATE');
  const patient = store.maintenance.check();
  setTimeout(() => foreign.exec('COMMIT; BEGIN IMMEDIATE'), 300);
  await Promise.race([patient, new Promise((resolve) => setTimeout(resolve, 400))]);
  foreign.exec('COMMIT');
  await patient;
  foreign.exec('BEGIN IMMEDIATE');
  const began = performance.now();
  await expect(store.maintenance.check()).rejects.toThrow('Another process has locked the database');
  expect(performance.now() - began).toBeGreaterThan(4_000);
  expect(await store.accounts.countUsers()).toBe(0);
  foreign.exec('COMMIT');
  foreign.close();
  await store.maintenance.check();
  await store.close();
});

test('the file shrinks after a prune, and the log is truncated when idle', async () => {
  const store = await open();
  const size = (name: string): number => statSync(path.join(dataDir, name)).size;
  await store.workflows.save(workflow('wf_a'));
  const events = JSON.stringify(['x'.repeat(20_000)]);
  for (let i = 0; i < 1_000; i += 100) {
    await store.executions.commit(Array.from({ length: 100 }, (_, k) => creation(`ex_${i + k}`, { events })));
  }
  expect((await store.maintenance.prune(at * 2, 10_000)).executions).toBe(1_000);
  while (await store.maintenance.shrink());
  // A short log remains, and part of the shrinking may have happened after the log was truncated.
  const isShort = (): boolean => size('weft.db-wal') < 1024 * 1024;
  for (const until = performance.now() + 30_000; !isShort() && performance.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(isShort()).toBe(true);
  const other = new Database(path.join(dataDir, 'weft.db'), { readonly: true });
  expect(Number(other.pragma('page_count', { simple: true })) * 4096).toBeLessThan(1_000_000);
  other.close();
  await store.close();
  // On a busy machine the rest of the shrinking may have been in that short log until now.
  expect(size('weft.db')).toBeLessThan(1_000_000);
  expect(readFileSync(path.join(dataDir, 'weft.db')).subarray(0, 15).toString()).toBe('SQLite format 3');
});
