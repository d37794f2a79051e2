import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import { beginning, creation, next } from '../suite/samples.ts';
import { unpackBatch } from './packed-batch.ts';
import { Patience } from './patience.ts';
import { makeRedoLog, openRedoLog, readRedoLog } from './redo-log.ts';
import type { Redone } from './redo-recovery.ts';
import { createRedoWriter, type RedoWriter } from './redo-writer.ts';

const EPOCH = '0011223344556677';
type Put = { ids: string[]; which: Redone; answer(value: boolean | Error): void };

let folder: string;
let file: string;
let writer: RedoWriter;
let puts: Put[];
/** Undefined: it cannot be asked. */
let isAlive: boolean | undefined = true;
let hasRoom: boolean | undefined = true;
let asked = 0;
let at = 0;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-redo-'));
  file = path.join(folder, 'weft.db-redo');
  makeRedoLog(file);
  const mine: Put[] = [];
  puts = mine;
  isAlive = true;
  hasRoom = true;
  asked = 0;
  writer = createRedoWriter({
    log: openRedoLog(file, EPOCH),
    epoch: EPOCH,
    patience: new Patience(() => 0),
    now: () => at,
    isAlive: () => {
      asked++;
      if (isAlive === undefined) throw new Error('The disk failed.');
      return isAlive;
    },
    hasRoom: () => {
      if (hasRoom === undefined) throw new Error('The folder is gone.');
      return hasRoom;
    },
    put: (batch, which) =>
      new Promise<boolean>((resolve, reject) => {
        const ids = unpackBatch(batch).map(({ executionId }) => executionId);
        mine.push({
          ids,
          which,
          answer: (value) => (value instanceof Error ? reject(value) : resolve(value)),
        });
      }),
  });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const take = (...batch: Checkpoint[]): boolean => writer.take(batch) !== null;
const which = (from: number, to: number): Redone => ({ epoch: EPOCH, from, to });

test('what was taken is on the disk at once and goes to the thread soon, many together', async () => {
  expect(writer.take([creation('ex_1')])).toEqual({ value: [{ kind: 'written' }] });
  expect(take(creation('ex_2'), creation('ex_3'))).toBe(true);
  expect(readRedoLog(file).map(({ number }) => number)).toEqual([1, 2]);
  expect(puts).toEqual([]);
  for (const until = performance.now() + 5_000; puts.length === 0 && performance.now() < until;)
    await sleep(1);
  expect(puts).toMatchObject([{ ids: ['ex_1', 'ex_2', 'ex_3'], which: which(1, 2) }]);
  expect(writer.isEmpty()).toBe(false);
  for (let n = 4; n < 36; n++) expect(take(creation(`ex_${n}`))).toBe(true);
  expect(puts[1]?.which).toEqual(which(3, 34));
});

test('whoever reads waits for what was taken before, not for what comes after', async () => {
  expect(writer.readable()).toBeNull();
  take(creation('ex_1'));
  let isReadable = false;
  void writer.readable()!.then(() => (isReadable = true));
  expect(puts[0]?.which).toEqual(which(1, 1));
  take(creation('ex_2'));
  await sleep(1);
  expect(isReadable).toBe(false);
  puts[0]!.answer(true);
  await sleep(1);
  expect(isReadable).toBe(true);
  void writer.readable();
  expect(puts[1]?.which).toEqual(which(2, 2));
  puts[1]!.answer(true);
  await sleep(1);
  expect(writer.readable()).toBeNull();
});

const dedupe = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: 9 };
const tick = { workflowId: 'wf_a', nodeId: 'n', due: 1, next: 2 };
const polled = { workflowId: 'wf_a', nodeId: 'n', fence: 1, key: 'k', number: 1 };
test.each<[string, Checkpoint]>([
  ['that goes on', beginning('ex_1')],
  ['that is a later one', next('ex_1', 1, 1)],
  ['with a key that may be there', creation('ex_1', { create: { dedupe } })],
  ['with a tick that another may have', creation('ex_1', { create: { tick } })],
  ['with an item that another may have', creation('ex_1', { create: { polled } })],
  ['with files', creation('ex_1', { create: { files: [] } })],
  ['with contents', creation('ex_1', { blobs: ['ab'] })],
  ['that wakes another', creation('ex_1', { wake: { executionId: 'ex_2', path: 'n' } })],
  ['that starts others', creation('ex_1', { follow: [] })],
  ['that takes it over', creation('ex_1', { takes: true })],
])('a checkpoint %s is not taken, nor what comes with it', (_, checkpoint) => {
  expect(take(creation('ex_0'), checkpoint)).toBe(false);
  expect(readRedoLog(file)).toEqual([]);
});

test('a workflow is asked for once, and again after every other write', () => {
  take(creation('ex_1'));
  take(creation('ex_2'));
  expect(asked).toBe(1);
  writer.yieldTo();
  // The other write comes behind what was taken.
  expect(puts).toMatchObject([{ ids: ['ex_1', 'ex_2'] }]);
  isAlive = false;
  expect(take(creation('ex_3'))).toBe(false);
  expect(asked).toBe(2);
});

test('on a disk that is nearly full nothing is taken', () => {
  hasRoom = false;
  expect(take(creation('ex_1'))).toBe(false);
});

test('what could not be put into the database is given again, in order; meanwhile nobody waits and nothing is taken', async () => {
  take(creation('ex_1'));
  writer.yieldTo();
  take(creation('ex_2'));
  writer.yieldTo();
  take(creation('ex_3'));
  expect(puts.map((put) => put.which)).toEqual([which(1, 1), which(2, 2)]);
  const reading = writer.readable()!;
  expect(puts).toHaveLength(3);
  puts[0]!.answer(false);
  await sleep(1);
  expect(take(creation('ex_4'))).toBe(false);
  expect(writer.readable()).toBeNull();
  expect(writer.isEmpty()).toBe(false);
  // The others are still under way, and come back.
  await sleep(1_100);
  expect(puts).toHaveLength(3);
  puts[1]!.answer(false);
  puts[2]!.answer(false);
  await reading;
  writer.yieldTo();
  expect(puts).toHaveLength(3);
  for (const n of [3, 4]) {
    for (const until = performance.now() + 5_000; puts.length <= n && performance.now() < until;)
      await sleep(20);
    expect(puts[n]).toMatchObject({ ids: ['ex_1', 'ex_2', 'ex_3'], which: which(1, 3) });
    puts[n]!.answer(n === 4);
  }
  await sleep(1);
  expect(writer.isEmpty()).toBe(true);
  expect(take(creation('ex_5'))).toBe(true);
  writer.yieldTo();
  expect(puts[5]).toMatchObject({ ids: ['ex_5'], which: which(4, 4) });
});

test('what was not yet given when those before it failed waits until all of them are back', async () => {
  for (const n of [1, 2]) {
    take(creation(`ex_${n}`));
    writer.yieldTo();
  }
  take(creation('ex_3'));
  puts[0]!.answer(false);
  // Longer than the thread is usually left without it.
  await sleep(50);
  expect(puts).toHaveLength(2);
  puts[1]!.answer(false);
  for (const until = performance.now() + 5_000; puts.length < 3 && performance.now() < until;)
    await sleep(20);
  expect(puts[2]?.which).toEqual(which(1, 3));
  puts[2]!.answer(true);
  await sleep(1);
  expect(writer.isEmpty()).toBe(true);
});

test('what never gets there is left to the next start', async () => {
  take(creation('ex_1'));
  writer.yieldTo();
  puts[0]!.answer(new Error('damaged'));
  await sleep(1);
  expect(take(creation('ex_2'))).toBe(false);
  await sleep(1_200);
  expect(puts).toHaveLength(1);
  expect(readRedoLog(file)).toHaveLength(1);
});

test('while the thread takes long for what it has nothing more is taken', async () => {
  take(creation('ex_1'));
  writer.yieldTo();
  at += 250;
  expect(take(creation('ex_2'))).toBe(true);
  at += 1;
  expect(take(creation('ex_3'))).toBe(false);
  puts[0]!.answer(true);
  await sleep(1);
  expect(take(creation('ex_3'))).toBe(true);
});

test('it is closed when the thread has done what it had', async () => {
  take(creation('ex_1'));
  let isClosed = false;
  const closing = writer.close().then(() => (isClosed = true));
  await sleep(20);
  expect([puts.length, isClosed]).toEqual([1, false]);
  puts[0]!.answer(true);
  await closing;
});

test.each<[string, Parameters<typeof creation>[1]]>([
  ['with a number that is none', { progress: NaN }],
  ['with one that JSON has not', { endTime: Infinity }],
  ['that is too long', { events: JSON.stringify('x'.repeat(70_000)) }],
])('a checkpoint %s is not taken', (_, sample) => {
  expect(take(creation('ex_1', sample))).toBe(false);
});

test('where nothing can be asked of the disk or the database, nothing is taken', () => {
  hasRoom = undefined;
  expect(take(creation('ex_1'))).toBe(false);
  hasRoom = true;
  isAlive = undefined;
  expect(take(creation('ex_1'))).toBe(false);
});
