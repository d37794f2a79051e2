import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDiskFiles } from './files.ts';

const HOUR_MS = 3_600_000;
let dataDir: string;
let now: number;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'weft-files-'));
  now = Date.UTC(2026, 1, 1);
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});
const open = () => openDiskFiles(dataDir, () => now);
const getFilePath = (hash: string): string => path.join(dataDir, 'files', hash.slice(0, 2), hash.slice(2));

test('the same bytes are stored once, under their hash, readable only by the owner', async () => {
  const files = await open();
  const bytes = randomBytes(16 * 1024 * 1024);
  const hash = createHash('sha256').update(bytes).digest('hex');
  expect(await Promise.all([files.put(bytes), files.put(bytes), files.put(bytes)])).toEqual([
    hash,
    hash,
    hash,
  ]);
  expect(Buffer.compare((await files.get(hash))!, bytes)).toBe(0);
  expect(statSync(getFilePath(hash)).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.join(dataDir, 'files', 'new'))).toEqual([]);
  const empty = await files.put(new Uint8Array());
  expect(await files.get(empty)).toHaveLength(0);
});

test('only a hash becomes a path', async () => {
  const files = await open();
  writeFileSync(path.join(dataDir, 'key'), 'secret');
  expect(await files.get('../../key')).toBeNull();
  expect(await files.get('0'.repeat(64))).toBeNull();
  await files.remove(['../../key', '', '0'.repeat(64)]);
  expect(readdirSync(dataDir)).toContain('key');
});

test('a content is removed only when it was not stored again within the last hour', async () => {
  const files = await open();
  const old = await files.put(Buffer.from('old'));
  const renewed = await files.put(Buffer.from('renewed'));
  now += HOUR_MS;
  await files.put(Buffer.from('renewed'));
  await files.remove([old, renewed]);
  expect(await files.get(old)).toBeNull();
  expect(await files.get(renewed)).not.toBeNull();
  now += HOUR_MS;
  const [, again] = await Promise.all([files.remove([renewed]), files.put(Buffer.from('renewed'))]);
  expect(await files.get(again)).not.toBeNull();
});

test('a damaged content is rewritten', async () => {
  const files = await open();
  const hash = await files.put(Buffer.from('whole'));
  writeFileSync(getFilePath(hash), 'ha');
  await files.put(Buffer.from('whole'));
  expect(Buffer.from((await files.get(hash))!).toString()).toBe('whole');
});

test('the sweep removes unreferenced contents and unfinished files', async () => {
  const files = await open();
  const hashes = await Promise.all(
    Array.from({ length: 250 }, (_, i) => files.put(Buffer.from(`content ${i}`))),
  );
  const kept = new Set(hashes.slice(0, 50));
  const unfinished = path.join(dataDir, 'files', 'new', 'left-over');
  writeFileSync(unfinished, 'half');
  utimesSync(unfinished, now / 1000, now / 1000);
  const sweep = () => files.sweep(async (asked) => asked.filter((hash) => !kept.has(hash)));
  expect(await sweep()).toBe(0);
  now += HOUR_MS;
  const young = await files.put(Buffer.from('young'));
  expect(await sweep()).toBe(200);
  expect(readdirSync(path.join(dataDir, 'files', 'new'))).toEqual([]);
  for (const hash of [...kept, young]) expect(await files.get(hash)).not.toBeNull();
});

async function* generateChunks(count: number, size: number, end?: () => void): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(size, i);
  end?.();
}

async function collect(chunks: AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunks!) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a content written in pieces equals one written at once, and can be read whole or by range', async () => {
  const files = await open();
  const whole = await collect(generateChunks(7, 100_000));
  const hash = await files.put(whole);
  const inode = statSync(getFilePath(hash)).ino;
  expect(await files.write(generateChunks(7, 100_000))).toEqual({ hash, size: 700_000 });
  expect(statSync(getFilePath(hash)).ino).toBe(inode);
  const other = await files.write(generateChunks(8, 100_000));
  expect(other.size).toBe(800_000);
  const content = (await files.open(other.hash))!;
  for (const _ of [1, 2]) expect((await collect(content)).subarray(0, 700_000).equals(whole)).toBe(true);
  const ranges: [number, number][] = [
    [0, 1],
    [65_535, 65_537],
    [99_999, 300_001],
    [700_000, 800_000],
    [799_999, 900_000],
    [5, 5],
  ];
  for (const [start, end] of ranges) {
    const piece = await collect(await files.open(other.hash, { start, end }));
    expect(piece.equals((await files.get(other.hash))!.slice(start, end))).toBe(true);
  }
  expect(await files.open('../../key')).toBeNull();
  expect(await files.open('0'.repeat(64))).toBeNull();
  expect((await files.write(generateChunks(0, 0))).size).toBe(0);
  expect(readdirSync(path.join(dataDir, 'files', 'new'))).toEqual([]);
});

test('an interrupted write leaves no files', async () => {
  const files = await open();
  const broken = generateChunks(3, 70_000, () => {
    expect(readdirSync(path.join(dataDir, 'files', 'new'))).toHaveLength(1);
    throw new Error('the sender disconnected');
  });
  await expect(files.write(broken)).rejects.toThrow('the sender disconnected');
  expect(readdirSync(path.join(dataDir, 'files'))).toEqual(['new']);
  expect(readdirSync(path.join(dataDir, 'files', 'new'))).toEqual([]);
});

test('a reader that stops early leaves no file open', async () => {
  const files = await open();
  const { hash } = await files.write(generateChunks(20, 100_000));
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  for (let i = 0; i < 50; i++) {
    for await (const piece of (await files.open(hash))!) {
      expect(piece.byteLength).toBeGreaterThan(0);
      break;
    }
  }
  expect(opened()).toBeLessThan(before + 10);
});
