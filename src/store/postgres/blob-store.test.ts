import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PostgresStore } from './open-store.ts';
import { openForTest } from '../../../test/support/open-postgres-store.ts';
import { startProxy } from '../../../test/support/servers/tcp-proxy.ts';
import { needPostgres, startServer, type TestServer } from '../../../test/support/servers/postgres-server.ts';

const programs = needPostgres();
const HOUR_MS = 3_600_000;
const PART_BYTES = 256 * 1024;

describe.skipIf(programs === null)('contents in PostgreSQL', () => {
  let server: TestServer;
  let url: string;
  let now: number;
  let opened: PostgresStore;
  beforeAll(async () => {
    server = await startServer(programs!);
    url = await server.database();
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    now = Date.UTC(2026, 1, 1);
    opened = await openForTest(url, { now: () => now });
    await server.empty(url);
  });
  afterEach(() => opened.store.close());

  const computeHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  async function read(hash: string, range?: { start: number; end: number }): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await opened.files.open(hash, range))!) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  const rows = async () =>
    (
      await server.sql(
        url,
        'SELECT (SELECT count(*) FROM contents)::int AS contents, (SELECT count(*) FROM content_parts)::int AS parts',
      )
    )[0];

  test('returns bytes of any length, whole and by range', async () => {
    const { files } = opened;
    for (const length of [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 17]) {
      const bytes = randomBytes(length);
      expect(await files.put(bytes)).toBe(computeHash(bytes));
      expect(Buffer.compare((await files.get(computeHash(bytes)))!, bytes)).toBe(0);
      expect(Buffer.compare(await read(computeHash(bytes)), bytes)).toBe(0);
    }
    const bytes = randomBytes(3 * PART_BYTES);
    expect(await files.write(inPieces(bytes, 70_001))).toEqual({
      hash: computeHash(bytes),
      size: bytes.length,
    });
    for (const [start, end] of [
      [0, 10],
      [PART_BYTES - 5, PART_BYTES + 5],
      [PART_BYTES, 2 * PART_BYTES],
      [3 * PART_BYTES - 1, 3 * PART_BYTES + 100],
      [7, 7],
    ] as const)
      expect(Buffer.compare(await read(computeHash(bytes), { start, end }), bytes.subarray(start, end))).toBe(
        0,
      );
    expect(await files.get('0'.repeat(64))).toBeNull();
    expect(await files.open('0'.repeat(64))).toBeNull();
  });

  test('stores the same bytes once when several processes write them, and other processes read them', async () => {
    const bytes = randomBytes(2 * PART_BYTES + 1);
    const put = [1, 2, 3].map(() => opened.files.put(bytes));
    const written = [1, 2, 3].map(async () => (await opened.files.write(inPieces(bytes, PART_BYTES))).hash);
    expect(new Set(await Promise.all([...put, ...written]))).toEqual(new Set([computeHash(bytes)]));
    expect(await rows()).toEqual({ contents: 1, parts: 3 });
    await opened.store.close();
    opened = await openForTest(url, { now: () => now });
    expect(Buffer.compare((await opened.files.get(computeHash(bytes)))!, bytes)).toBe(0);
  });

  test('an interrupted write leaves no visible content and no rows', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield randomBytes(PART_BYTES + 1);
      throw new Error('the sender disconnected');
    }
    await expect(opened.files.write(broken())).rejects.toThrow('the sender disconnected');
    expect(await rows()).toEqual({ contents: 0, parts: 0 });
  });

  test('a content is removed only when it was not stored again within the last hour; the sweep removes unreferenced contents', async () => {
    const { files } = opened;
    const old = await files.put(Buffer.from('old'));
    const renewed = await files.put(Buffer.from('renewed'));
    now += HOUR_MS;
    await files.put(Buffer.from('renewed'));
    await files.remove([old, renewed]);
    expect(await files.get(old)).toBeNull();
    expect(await files.get(renewed)).not.toBeNull();
    const hashes = await Promise.all(
      Array.from({ length: 150 }, (_, i) => files.put(Buffer.from(`content ${i}`))),
    );
    await server.sql(url, `INSERT INTO contents (id, hash, size, put_at) VALUES ('left over', NULL, 0, 0)`);
    const kept = new Set(hashes.slice(0, 30));
    now += HOUR_MS;
    expect(await files.sweep(async (asked) => asked.filter((hash) => !kept.has(hash)))).toBe(121);
    expect(await rows()).toEqual({ contents: 30, parts: 30 });
  });

  test('survives lost connections', async () => {
    const proxy = await startProxy(url);
    await opened.store.close();
    opened = await openForTest(proxy.url, { now: () => now });
    const bytes = randomBytes(6 * PART_BYTES);
    async function* cut(): AsyncGenerator<Buffer> {
      for await (const piece of inPieces(bytes, PART_BYTES)) {
        proxy.cutOff();
        proxy.heal();
        yield piece;
      }
    }
    expect(await opened.files.write(cut())).toEqual({ hash: computeHash(bytes), size: bytes.length });
    proxy.cutOff();
    proxy.heal();
    expect(Buffer.compare(await read(computeHash(bytes)), bytes)).toBe(0);
    expect(proxy.cuts).toBeGreaterThan(6);
    await opened.store.close();
    await proxy.close();
  });
});
