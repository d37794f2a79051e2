import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import { copyBackup } from '../backup.ts';
import { openSource } from '../migrate-to-postgres/source.ts';
import { creation, T0, workflow } from '../conformance/samples.ts';
import { openSqliteStore } from './open-store.ts';
import { encodeBatch } from './writer/batch-codec.ts';

const EPOCH = '00112233445566ff';
let folder: string;
let dataDir: string;
let file: string;
let messages: string[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-redo-'));
  dataDir = path.join(folder, 'data');
  file = path.join(dataDir, 'weft.db-redo');
  messages = [];
  const store = await open();
  await store.workflows.save(workflow('wf_a'));
  await store.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const open = () =>
  openSqliteStore({ dataDir, now: () => T0, info: (message) => void messages.push(message) });

type Sample = { number: number; batch: Checkpoint[]; epoch?: string; format?: number };

/** The blocks of one record, as earlier versions wrote them; redo-log-migration.ts describes the format. */
function record({ number, batch, epoch = EPOCH, format = 1 }: Sample): Buffer {
  const text = Buffer.from(JSON.stringify(encodeBatch(batch)));
  const bytes = Buffer.alloc(Math.ceil((32 + text.length) / 4096) * 4096);
  bytes.writeUIntLE(0x64_72_01, 0, 3);
  bytes.writeUInt8(format, 3);
  bytes.write(epoch, 8, 'hex');
  bytes.writeUIntLE(number, 16, 6);
  bytes.writeUInt32LE(text.length, 24);
  text.copy(bytes, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(8, 32 + text.length)), 4);
  return bytes;
}

/** Creates the state in which an earlier version had moved the records up to `applied`. */
function writeRedoLog(applied: number, records: readonly Buffer[]): void {
  writeFileSync(file, Buffer.concat([Buffer.alloc(8192), ...records, Buffer.alloc(4096)]));
  changeDatabase(
    `INSERT INTO meta VALUES ('redo', '${EPOCH} ${applied}') ON CONFLICT DO UPDATE SET value = excluded.value`,
  );
}

function changeDatabase(sql: string): void {
  const db = new Database(path.join(dataDir, 'weft.db'));
  db.exec(sql);
  db.close();
}

const ended = (id: string): Checkpoint => creation(id, { events: JSON.stringify([id, 'größer – 漢字']) });

async function stored(): Promise<string[]> {
  const store = await open();
  try {
    const { rows, total } = await store.executions.list('usr_a', {}, 0, 100);
    expect(total).toBe(rows.length);
    for (const { id } of rows)
      expect(await store.executions.journal('usr_a', id, 0, 9)).toEqual([
        { seq: 0, events: JSON.stringify([id, 'größer – 漢字']) },
      ]);
    return rows.map(({ id }) => id).toReversed();
  } finally {
    await store.close();
  }
}

test('records that are missing in the database are moved in order, once', async () => {
  writeRedoLog(1, [
    // Blocks were reused, so later records may precede earlier ones.
    record({ number: 3, batch: [ended('ex_4')] }),
    record({ number: 1, batch: [ended('ex_1')] }),
    record({ number: 2, batch: [ended('ex_2'), ended('ex_3')] }),
    record({ number: 4, batch: [ended('ex_5')], epoch: 'ffffffffffffffff' }),
  ]);
  expect(await stored()).toEqual(['ex_2', 'ex_3', 'ex_4']);
  expect(messages).toEqual([
    'Moved 3 executions from the redo log of an earlier version to the database; removed the log.',
  ]);
  expect(existsSync(file)).toBe(false);
  expect(await stored()).toEqual(['ex_2', 'ex_3', 'ex_4']);
  expect(messages).toHaveLength(1);
});

test('a leftover log whose records were moved has no effect', async () => {
  writeRedoLog(0, [record({ number: 1, batch: [ended('ex_1')] })]);
  const log = readFileSync(file);
  expect(await stored()).toEqual(['ex_1']);
  changeDatabase(`DELETE FROM executions; DELETE FROM counters`);
  writeFileSync(file, log);
  expect(await stored()).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test('an execution that is already in the database is not moved again', async () => {
  const store = await open();
  await store.executions.commit([ended('ex_1')]);
  await store.close();
  writeRedoLog(0, [record({ number: 1, batch: [ended('ex_1'), ended('ex_2')] })]);
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
});

test('a corrupt record is ignored and does not affect the others', async () => {
  const records = [1, 2, 3].map((number) => record({ number, batch: [ended(`ex_${number}`)] }));
  for (const at of [0, 9, 17, 25, 40]) {
    const second = Buffer.from(records[1]!);
    second[at]! ^= 0x10;
    writeRedoLog(0, [records[0]!, second, records[2]!]);
    expect(await stored(), `byte ${at}`).toEqual(['ex_1', 'ex_3']);
    changeDatabase(`DELETE FROM executions; DELETE FROM counters`);
  }
});

test('the error names a record that cannot be moved, and the log is kept', async () => {
  writeRedoLog(0, [
    record({ number: 1, batch: [ended('ex_1')] }),
    record({ number: 2, batch: [ended('ex_2')] }),
  ]);
  changeDatabase(
    `CREATE TRIGGER poison BEFORE INSERT ON executions WHEN new.id = 'ex_2' BEGIN SELECT raise(ABORT, 'no'); END`,
  );
  await expect(open()).rejects.toThrow(/Record 2 of .*weft.db-redo cannot be moved to the database/);
  changeDatabase('DROP TRIGGER poison');
  expect(await stored()).toEqual(['ex_1', 'ex_2']);
  writeRedoLog(0, [record({ number: 1, batch: [ended('ex_3')], format: 9 })]);
  await expect(open()).rejects.toThrow(/weft.db-redo contains records in format 9/);
  expect(existsSync(file)).toBe(true);
});

test('a start that cannot write keeps the log, and the next start moves it', async () => {
  writeRedoLog(0, [record({ number: 1, batch: [ended('ex_1')] })]);
  const foreign = new Database(path.join(dataDir, 'weft.db'));
  foreign.exec('BEGIN IMMEDIATE');
  await expect(open()).rejects.toThrow('Another process has locked the database');
  foreign.exec('ROLLBACK');
  foreign.close();
  expect(await stored()).toEqual(['ex_1']);
});

test('a log that cannot be read stops the start', async () => {
  mkdirSync(path.join(file, 'not empty'), { recursive: true });
  await expect(open()).rejects.toThrow(/weft.db-redo cannot be read/);
});

test('a folder whose log has not been moved is neither backed up nor moved to another database', async () => {
  writeRedoLog(0, [record({ number: 1, batch: [ended('ex_1')] })]);
  const target = path.join(folder, 'backup');
  await expect(copyBackup(target, dataDir, T0)).rejects.toThrow('start this version on it once');
  expect(() => openSource(dataDir)).toThrow('start this version on it once');
  expect(await stored()).toEqual(['ex_1']);
  const { counts } = await copyBackup(target, dataDir, T0);
  expect(counts.executions).toBe(1);
  openSource(dataDir).close();
});
