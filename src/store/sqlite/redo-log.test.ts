import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FORMAT, makeRedoLog, openRedoLog, readRedoLog, type RedoLog } from './redo-log.ts';

const EPOCH = '00112233445566ff';
let folder: string;
let file: string;
let log: RedoLog;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-redo-'));
  file = path.join(folder, 'weft.db-redo');
  makeRedoLog(file);
  log = openRedoLog(file, EPOCH)!;
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true });
});
const numbers = (): number[] => readRedoLog(file).map(({ number }) => number);
const kilobytes = (n: number): string => JSON.stringify('x'.repeat(n * 1024));

test('what was appended is read back, in order, with the epoch that wrote it', () => {
  expect(readRedoLog(file)).toEqual([]);
  expect(log.append(1, '["a"]')).toBe(true);
  expect(log.append(2, '["größer – ", "漢字"]')).toBe(true);
  const later = openRedoLog(file, 'ffffffffffffffff')!;
  expect(later.append(1, '["of another run"]')).toBe(true);
  later.close();
  expect(readRedoLog(file)).toEqual([
    { format: FORMAT, epoch: 'ffffffffffffffff', number: 1, text: '["of another run"]' },
    { format: FORMAT, epoch: EPOCH, number: 2, text: '["größer – ", "漢字"]' },
  ]);
});

test('the file keeps its size and is for its owner alone; one of another size is made anew', () => {
  const { size, mode } = statSync(file);
  expect([size, mode & 0o777]).toEqual([1024 * 1024, 0o600]);
  log.append(1, '[]');
  makeRedoLog(file);
  expect(numbers()).toEqual([1]);
  writeFileSync(file, 'cut off');
  expect(openRedoLog(file, EPOCH)).toBeNull();
  expect(readRedoLog(file)).toEqual([]);
  makeRedoLog(file);
  expect(statSync(file).size).toBe(size);
  expect(readRedoLog(path.join(folder, 'none'))).toEqual([]);
});

test('a record that the database lacks is never written over; room that was given back is used again', () => {
  let next = 1;
  while (log.append(next, kilobytes(10))) next++;
  // 12 KB each, with their headers.
  expect(next - 1).toBe(Math.floor(1024 / 12));
  expect(numbers()).toHaveLength(next - 1);
  log.release(1);
  expect(log.append(next, kilobytes(20))).toBe(false);
  log.release(2);
  expect(log.append(next, kilobytes(20))).toBe(true);
  expect(log.append(next + 1, '[]')).toBe(false);
  expect(numbers()).toEqual([...Array.from({ length: next - 3 }, (_, i) => i + 3), next]);
  log.release(next);
  for (let n = next + 1; n < next + 1_000; n++) {
    expect(log.append(n, kilobytes(n % 30))).toBe(true);
    expect(numbers().at(-1)).toBe(n);
    log.release(n);
  }
});

test('what is too long for it is refused', () => {
  expect(log.append(1, kilobytes(70))).toBe(false);
  // Fewer characters than bytes.
  expect(log.append(1, JSON.stringify('漢'.repeat(30_000)))).toBe(false);
  expect(log.append(1, kilobytes(63))).toBe(true);
  expect(numbers()).toEqual([1]);
});

test('a record with a soiled or torn byte is none, and harms no other', () => {
  for (const n of [1, 2, 3]) log.append(n, kilobytes(5));
  const whole = readFileSync(file);
  for (const at of [8192, 8192 + 9, 8192 + 17, 8192 + 25, 8192 + 40, 8192 + 5_000]) {
    const soiled = Buffer.from(whole);
    soiled[at]! ^= 0x10;
    writeFileSync(file, soiled);
    expect(numbers(), `byte ${at}`).toEqual([1, 3]);
  }
  const torn = Buffer.from(whole);
  torn.fill(0, 8192 + 4096, 8192 + 5000);
  writeFileSync(file, torn);
  expect(numbers()).toEqual([1, 3]);
});

test('no text looks like a record, whatever a caller puts into it', () => {
  log.append(7, '["inner"]');
  const record = readFileSync(file).subarray(0, 4096).toString('latin1');
  log.append(
    8,
    JSON.stringify(
      Array.from({ length: 6 }, () => record)
        .join('')
        .slice(0, 8_000),
    ),
  );
  // At every place within a block.
  for (let shift = 0; shift < 64; shift++) {
    const text = JSON.stringify(' '.repeat(4096 - 33 + shift - 32) + record.slice(0, 100));
    log.append(9 + shift, text);
  }
  log.release(100);
  expect(numbers()).toEqual(Array.from({ length: 66 }, (_, i) => i + 7));
});
