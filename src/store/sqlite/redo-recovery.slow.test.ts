import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSource } from '../move/source.ts';
import { backupTo, restoreFrom } from '../backup.ts';
import { commit } from '../procedures/commit.ts';
import { beginning, creation, HOUR, T0, workflow } from '../suite/samples.ts';
import { openForWriting } from './connection.ts';
import { packBatch } from './packed-batch.ts';
import type { Job } from './protocol.ts';
import { currentEpoch } from './redo-recovery.ts';
import { createWriter } from './writer.ts';
import { openSqliteStore } from './open-store.ts';

const hasTracer = spawnSync('strace', ['-V']).status === 0;
let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-redo-'));
  dataDir = path.join(folder, 'data');
  const store = await open();
  await store.workflows.save(workflow('wf_a'));
  await store.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const open = (from = dataDir) => openSqliteStore({ dataDir: from, now: Date.now });
const href = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

/**
 * Acknowledges executions one by one within a turn of its event loop, and is gone before the next one. On a disk that is slow just
 * then the thread writes them, and not the log: then once more, from the folder as it was.
 */
function dieAfter(ids: readonly string[]): void {
  const before = path.join(folder, 'before');
  cpSync(dataDir, before, { recursive: true });
  for (let tries = 1; tries <= 10; tries++) {
    dieOnce(ids);
    if (!inDatabase().some((id) => ids.includes(id))) break;
    rmSync(dataDir, { recursive: true });
    cpSync(before, dataDir, { recursive: true });
  }
  rmSync(before, { recursive: true });
}

function dieOnce(ids: readonly string[]): void {
  const { signal, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
      const { openSqliteStore } = await import(${href('./open-store.ts')});
      const { creation } = await import(${href('../suite/samples.ts')});
      const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now });
      for (const id of ${JSON.stringify(ids)}) {
        const [{ kind }] = await store.executions.commit([creation(id, { events: JSON.stringify([id, 'ä']) })]);
        if (kind !== 'written') throw new Error(kind);
      }
      process.kill(process.pid, 'SIGKILL');`,
    ],
    { encoding: 'utf8' },
  );
  expect(signal, stderr).toBe('SIGKILL');
}

function inDatabase(of = dataDir): string[] {
  const db = new Database(path.join(of, 'weft.db'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM executions ORDER BY number').pluck().all();
  } finally {
    db.close();
  }
}

async function stored(of = dataDir): Promise<string[]> {
  const store = await open(of);
  try {
    const { rows, total } = await store.executions.list('usr_a', {}, 0, 100);
    expect(total).toBe(rows.length);
    for (const { id } of rows)
      expect(await store.executions.journal('usr_a', id, 0, 9)).toEqual([
        { seq: 0, events: JSON.stringify([id, 'ä']) },
      ]);
    return rows.map(({ id }) => id).toReversed();
  } finally {
    await store.close();
  }
}

test('what was acknowledged and not yet in the database is there after kill -9, once, whatever follows', async () => {
  dieAfter(['ex_1', 'ex_2', 'ex_3']);
  expect(inDatabase()).toEqual([]);
  expect(await stored()).toEqual(['ex_1', 'ex_2', 'ex_3']);
  expect(inDatabase()).toEqual(['ex_1', 'ex_2', 'ex_3']);
  const store = await open();
  expect((await store.upkeep.prune(T0 + 2 * HOUR, 1)).executions).toBe(1);
  await store.close();
  // The record of what was deleted is still in the file.
  expect(readFileSync(path.join(dataDir, 'weft.db-redo')).includes('ex_1')).toBe(true);
  expect(await stored()).toEqual(['ex_2', 'ex_3']);
  dieAfter(['ex_4']);
  dieAfter(['ex_5', 'ex_6']);
  expect(await stored()).toEqual(['ex_2', 'ex_3', 'ex_4', 'ex_5', 'ex_6']);
});

test('killed while it recovers, it recovers at the next start', async ({ skip }) => {
  skip(!hasTracer, 'strace is not installed');
  dieAfter(['ex_1', 'ex_2']);
  const kept = path.join(folder, 'kept');
  cpSync(dataDir, kept, { recursive: true });
  let killed = 0;
  for (const n of [1, 2, 3, 4, 5, 6]) {
    rmSync(dataDir, { recursive: true });
    cpSync(kept, dataDir, { recursive: true });
    const inject = ['-e', 'trace=fdatasync,fsync', '-e', `inject=fdatasync,fsync:signal=KILL:when=${n}`];
    const code = `
      const { openSqliteStore } = await import(${href('./open-store.ts')});
      await (await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now })).close();`;
    const program = [process.execPath, '--input-type=module', '-e', code];
    const { signal, status } = spawnSync('strace', [
      '-f',
      '-o',
      path.join(folder, 'trace'),
      ...inject,
      ...program,
    ]);
    if (signal === 'SIGKILL' || status === 137) killed++;
    expect(await stored(), `killed at sync ${n}`).toEqual(['ex_1', 'ex_2']);
  }
  expect(killed).toBeGreaterThan(0);
});

test('a backup holds what was acknowledged before it, and so does what is restored from it', async () => {
  dieAfter(['ex_1', 'ex_2']);
  const target = path.join(folder, 'backup');
  const { counts } = await backupTo(target, dataDir, T0);
  expect(counts.executions).toBe(2);
  expect(existsSync(path.join(target, 'weft.db-redo'))).toBe(false);
  expect(inDatabase(target)).toEqual(['ex_1', 'ex_2']);
  // It takes nothing from where it was made.
  expect(inDatabase()).toEqual([]);
  const restored = path.join(folder, 'restored');
  await restoreFrom(target, restored);
  expect(await stored(restored)).toEqual(['ex_1', 'ex_2']);
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
});

test('a backup of a running service holds all that was acknowledged', async () => {
  const store = await open();
  const target = path.join(folder, 'copy.db');
  for (let n = 1; n <= 5; n++) await store.executions.commit([creation(`ex_${n}`)]);
  await store.upkeep.backup(target);
  const db = new Database(target, { readonly: true });
  expect(db.prepare('SELECT count(*) FROM executions').pluck().get()).toBe(5);
  expect(db.prepare(`SELECT n FROM counters WHERE subject = 'all'`).pluck().get()).toBe(5);
  db.close();
  await store.close();
});

test('a folder is not moved while its database lacks something', async () => {
  dieAfter(['ex_1']);
  expect(() => openSource(dataDir)).toThrow('was ended while it wrote: start it once, stop it');
  await (await open()).close();
  const source = openSource(dataDir);
  expect(source.tables.find(({ name }) => name === 'executions')?.rows).toBe(1);
  source.close();
});

test('what is there already is not put in again', async () => {
  dieAfter(['ex_1', 'ex_2']);
  const connection = openForWriting(path.join(dataDir, 'weft.db'));
  connection.exec('BEGIN');
  connection.run(commit([creation('ex_1', { events: JSON.stringify(['ex_1', 'ä']) })]));
  connection.exec('COMMIT');
  connection.db.close();
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
});

test('a record that cannot be put in is named, and so is one of another version', async () => {
  dieAfter(['ex_1', 'ex_2']);
  const file = path.join(dataDir, 'weft.db-redo');
  const whole = readFileSync(file);
  const db = new Database(path.join(dataDir, 'weft.db'));
  db.exec(
    `CREATE TRIGGER poison BEFORE INSERT ON executions WHEN new.id = 'ex_2' BEGIN SELECT raise(ABORT, 'no'); END`,
  );
  db.close();
  await expect(open()).rejects.toThrow(/Record 2 of .*weft.db-redo cannot be put into the database/);
  const foreign = Buffer.from(whole);
  foreign[3] = 9;
  writeFileSync(file, foreign);
  await expect(open()).rejects.toThrow(/Another version of Weft wrote .*weft.db-redo/);
  writeFileSync(file, whole);
  const again = new Database(path.join(dataDir, 'weft.db'));
  again.exec('DROP TRIGGER poison');
  again.close();
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
  // Of what the database has, nobody needs to know the format.
  writeFileSync(file, foreign);
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
});

test('without a file that can be made or written everything goes the other way', async () => {
  const file = path.join(dataDir, 'weft.db-redo');
  rmSync(file);
  mkdirSync(path.join(file, 'not empty'), { recursive: true });
  await expect(open()).rejects.toThrow(
    /weft.db-redo, which may hold what the database lacks, cannot be read/,
  );
  rmSync(file, { recursive: true });
  const before = await open();
  rmSync(file);
  await before.close();
  const store = await open();
  expect(existsSync(file)).toBe(true);
  await store.executions.commit([creation('ex_1', { events: JSON.stringify(['ex_1', 'ä']) })]);
  await store.close();
  expect(await stored()).toEqual(['ex_1']);
});

test('what is acknowledged while another program holds the database is not lost, nor overtaken by what comes later', async () => {
  const fatal: Error[] = [];
  const store = await openSqliteStore({ dataDir, now: Date.now, onFatal: (error) => void fatal.push(error) });
  const foreign = new Database(path.join(dataDir, 'weft.db'));
  foreign.exec('BEGIN IMMEDIATE');
  expect(await store.executions.commit([creation('ex_1')])).toEqual([{ kind: 'written' }]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The thread has waited for long: this one is not acknowledged any more, nor is what is of another kind.
  const refused = await Promise.allSettled([
    store.executions.commit([creation('ex_2')]),
    store.executions.commit([beginning('ex_3')]),
    store.upkeep.check(),
  ]);
  expect(refused.map((one) => (one.status === 'rejected' ? String(one.reason) : one.value))).toEqual(
    Array(3).fill(expect.stringContaining('Another process holds the database locked')),
  );
  // Reads go on.
  expect((await store.executions.list('usr_a', {}, 0, 9)).total).toBe(0);
  foreign.exec('COMMIT');
  foreign.close();
  for (const until = performance.now() + 10_000; performance.now() < until;) {
    const done = await store.executions.commit([beginning('ex_4')]).catch(() => null);
    if (done !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rows } = await store.executions.list('usr_a', {}, 0, 9);
  expect(rows.map(({ id }) => id).toReversed()).toEqual(['ex_1', 'ex_4']);
  expect(fatal).toEqual([]);
  await store.close();
});

test('what could not be put in is owed: nothing else is written before it', () => {
  const file = path.join(dataDir, 'weft.db');
  const writer = createWriter({ role: 'writer', file, now: T0 }, () => {});
  const foreign = new Database(file);
  const epoch = currentEpoch(foreign);
  const records = (id: number, from: number, to: number): Job => {
    const all = Array.from({ length: to - from + 1 }, (_, i) => creation(`ex_${from + i}`));
    return { id, kind: 'redo', batch: packBatch(all), which: { epoch, from, to } };
  };
  const other = (id: number): Job => ({
    id,
    kind: 'procedure',
    name: 'writeMeta',
    args: ['other', String(id)],
  });
  const others = foreign.prepare<[], string>(`SELECT value FROM meta WHERE name = 'other'`).pluck();
  const locked = { message: expect.stringContaining('holds the database locked') as string };

  foreign.exec('BEGIN IMMEDIATE');
  expect(writer.run([records(1, 1, 2), other(2)])).toMatchObject([
    { id: 1, value: false },
    { id: 2, failure: locked },
  ]);
  foreign.exec('COMMIT');
  // Given before it was known that those before them had failed.
  expect(writer.run([records(3, 3, 3), other(4)])).toMatchObject([
    { id: 3, value: false },
    { id: 4, failure: locked },
  ]);
  expect([others.get(), inDatabase()]).toEqual([undefined, []]);
  expect(writer.run([other(5), records(6, 1, 3), other(7)])).toMatchObject([
    { id: 5, failure: locked },
    { id: 6, value: true },
    { id: 7, value: undefined },
  ]);
  expect([others.get(), inDatabase()]).toEqual(['7', ['ex_1', 'ex_2', 'ex_3']]);
  expect(writer.run([other(8)])).toMatchObject([{ id: 8, value: undefined }]);
  // Out of turn: the two have come apart, and nobody knows what is missing.
  expect(writer.run([records(9, 5, 5)])).toMatchObject([{ id: 9, failure: { fatal: true } }]);
  expect(inDatabase()).toEqual(['ex_1', 'ex_2', 'ex_3']);
  foreign.close();
  writer.close();
});

test('a workflow that is being deleted takes nothing, whatever else is answered meanwhile', async () => {
  const store = await open();
  const { executions, workflows } = store;
  let acknowledged = 0;
  for (let round = 0; round < 20; round++) {
    const id = `wf_${round}`;
    const of = (n: number) => creation(`ex_${round}_${n}`, { create: { workflowId: id } });
    await workflows.save(workflow(id));
    expect(await executions.commit([of(0)])).toEqual([{ kind: 'written' }]);
    // In one report of the thread come the records, the check, and perhaps the deletion.
    const late: Promise<unknown>[] = [];
    const one = store.upkeep.check().then(() => late.push(executions.commit([of(1)])));
    const removing = workflows.remove('usr_a', id).then(() => executions.commit([of(2)]));
    await one;
    for (const result of [...(await Promise.all(late)), await removing])
      if (JSON.stringify(result) === '[{"kind":"written"}]') acknowledged++;
      else expect(result).toEqual([{ kind: 'workflow_gone' }]);
    await store.upkeep.check();
  }
  expect(acknowledged).toBe(0);
  await store.close();
});

test('a record of another database is not taken over', async () => {
  dieAfter(['ex_1']);
  const other = path.join(folder, 'other');
  const store = await open(other);
  await store.workflows.save(workflow('wf_a'));
  await store.close();
  cpSync(path.join(dataDir, 'weft.db-redo'), path.join(other, 'weft.db-redo'));
  expect(await stored(other)).toEqual([]);
});

test('everything that was acknowledged is read at once, and other writes come after it', async () => {
  const store = await open();
  const { executions } = store;
  for (let n = 1; n <= 40; n++) {
    const id = `ex_${n}`;
    expect(await executions.commit([creation(id)])).toEqual([{ kind: 'written' }]);
    if (n % 4 === 0) expect((await executions.get('usr_a', id))?.id).toBe(id);
    if (n % 4 === 1) expect((await executions.list('usr_a', {}, 0, 1)).total).toBe(n);
    if (n % 4 === 2) expect((await executions.list('usr_a', { from: 0 }, 0, 1)).total).toBe(n);
    if (n % 4 === 3) expect((await executions.journal('usr_a', id, 0, 1)).length).toBe(1);
  }
  const kinds = await Promise.all([
    executions.commit([creation('ex_last')]),
    store.workflows.remove('usr_a', 'wf_a'),
    executions.commit([creation('ex_late')]),
  ]);
  expect(kinds).toEqual([[{ kind: 'written' }], true, [{ kind: 'workflow_gone' }]]);
  expect(await executions.commit([creation('ex_later')])).toEqual([{ kind: 'workflow_gone' }]);
  await store.close();
});

test('after a failed write into the log nothing more is written, and the owner is told', async ({ skip }) => {
  skip(!hasTracer, 'strace is not installed');
  const code = `
    const { openSqliteStore } = await import(${href('./open-store.ts')});
    const { creation } = await import(${href('../suite/samples.ts')});
    const { createInterface } = await import('node:readline');
    const onFatal = (error) => console.log('fatal: ' + error.message);
    const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now, onFatal });
    console.log('ready');
    for await (const id of createInterface({ input: process.stdin }))
      await store.executions.commit([creation(id, { events: JSON.stringify([id, 'ä']) })])
        .then(([r]) => console.log(id + ' ' + r.kind), (e) => console.log(id + ' ' + e.message));`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
  const said = textOf(service.stdout);
  await said('ready');
  const inject = ['-P', path.join(dataDir, 'weft.db-redo'), '-e', 'inject=pwrite64:error=EIO:when=1'];
  const tracer = spawn('strace', ['-f', '-p', String(service.pid), '-e', 'trace=pwrite64', ...inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await textOf(tracer.stderr)('attached');
  service.stdin.write('ex_1\n');
  await said('ex_1 The disk failed (EIO');
  await said('fatal: The disk failed (EIO');
  service.stdin.write('ex_2\n');
  await said('ex_2 The disk failed (EIO');
  service.kill('SIGKILL');
  await new Promise((resolve) => service.once('close', resolve));
  expect(await stored()).toEqual([]);
});

function textOf(stream: NodeJS.ReadableStream): (part: string) => Promise<void> {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return async (part) => {
    for (const until = performance.now() + 15_000; !text.includes(part);) {
      if (performance.now() > until) throw new Error(`${part} did not come; there is: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
}
