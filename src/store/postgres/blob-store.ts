import { createHash, randomUUID } from 'node:crypto';
import { splitBytes } from '../../lib/async/split-bytes.ts';
import type { SweptFiles } from '../../ports/files.ts';
import type { Connection } from './connection.ts';
import type { Slot } from './pool.ts';
import { openSession } from './transaction.ts';

/** Bytes per part, the unit of writes and reads. */
const PART_BYTES = 256 * 1024;
/**
 * In ms: contents stored within this time are never removed, because the row that refers to them may not be
 * committed yet.
 */
const GRACE_PERIOD_MS = 3_600_000;
/** In ms: how long one step retries to reach the database. */
const RETRY_TIMEOUT_MS = 10_000;
const SWEEP_BATCH_SIZE = 100;
/** A write in progress renews its timestamp after this many parts. */
const RENEW_EVERY_PARTS = 64;

export type BlobStore = SweptFiles;

type WithConnection = <T>(
  use: 'write' | 'read',
  within: number,
  run: (slot: Slot) => Promise<T>,
) => Promise<T>;

/** As text: the client reads every column as text, and base64 is the shortest encoding. */
const SELECT_PART = {
  name: 'w_part',
  text: `SELECT encode(p.bytes, 'base64') AS bytes FROM contents c JOIN content_parts p ON p.content = c.id
    WHERE c.hash = $1 AND p.part = $2`,
};

/**
 * Stores contents as rows, so that every process can read them: parts of 256 KiB, each written and read
 * separately. An incomplete content has no hash and is not visible.
 */
export function openBlobStore(withConnection: WithConnection, now: () => number): BlobStore {
  /** Each statement is idempotent, because a retry may run it twice. */
  const run = (text: string, values: readonly unknown[]): ReturnType<typeof one> =>
    withConnection('write', RETRY_TIMEOUT_MS, async (slot) => one(await openSession(slot), text, values));

  const touch = async (hash: string): Promise<boolean> => {
    const { changes } = await run('UPDATE contents SET put_at = $2 WHERE hash = $1', [hash, now()]);
    return changes > 0;
  };

  const drop = (id: string): Promise<unknown> =>
    run(
      `WITH gone AS (DELETE FROM contents WHERE id = $1 AND hash IS NULL RETURNING id)
        DELETE FROM content_parts p USING gone WHERE p.content = gone.id`,
      [id],
    );

  /**
   * Turns the parts under a temporary id into the content, or deletes them when another process stored it
   * first.
   */
  const appear = async (id: string, hash: string, size: number): Promise<void> => {
    for (;;) {
      if (await touch(hash)) return void (await drop(id));
      // The second of two concurrent writers finds the row of the first, and retries.
      const { changes } = await run(
        `UPDATE contents SET hash = $2, size = $3, put_at = $4 WHERE id = $1 AND hash IS NULL
          AND NOT EXISTS (SELECT 1 FROM contents WHERE hash = $2)`,
        [id, hash, size, now()],
      );
      if (changes > 0) return;
    }
  };

  const write = async (chunks: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }> => {
    const id = randomUUID();
    const sum = createHash('sha256');
    let size = 0;
    let part = 0;
    await run(
      'INSERT INTO contents (id, hash, size, put_at) VALUES ($1, NULL, 0, $2) ON CONFLICT (id) DO NOTHING',
      [id, now()],
    );
    try {
      for await (const pieces of splitBytes(chunks, PART_BYTES)) {
        const bytes = Buffer.concat(pieces);
        sum.update(bytes);
        size += bytes.byteLength;
        await run(
          'INSERT INTO content_parts (content, part, bytes) VALUES ($1, $2, $3) ON CONFLICT (content, part) DO NOTHING',
          [id, part++, bytes],
        );
        // A write longer than the grace period is still in progress.
        if (part % RENEW_EVERY_PARTS === 0)
          await run('UPDATE contents SET put_at = $2 WHERE id = $1', [id, now()]);
      }
      const hash = sum.digest('hex');
      await appear(id, hash, size);
      return { hash, size };
    } catch (error) {
      // If this fails too, the sweep removes the rest.
      await drop(id).catch(() => {});
      throw error;
    }
  };

  const readSize = async (hash: string): Promise<number | null> => {
    const { rows } = await run('SELECT size FROM contents WHERE hash = $1', [hash]);
    return rows[0] === undefined ? null : Number(rows[0]['size']);
  };

  const readPart = (hash: string, part: number): Promise<Buffer> =>
    withConnection('read', RETRY_TIMEOUT_MS, async (slot) => {
      const connection = await openSession(slot);
      const [reply] = await connection.runPipeline([{ ...SELECT_PART, values: [hash, part] }]);
      const bytes = reply?.rows[0]?.['bytes'];
      if (typeof bytes !== 'string') throw new Error(`Part ${part} of the content ${hash} is missing.`);
      return Buffer.from(bytes, 'base64');
    });

  async function* pieces(
    hash: string,
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = start; at < end;) {
      const part = Math.floor(at / PART_BYTES);
      const bytes = await readPart(hash, part);
      const from = at - part * PART_BYTES;
      const piece = bytes.subarray(from, Math.min(bytes.length, from + end - at));
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  }

  const removeOld = async (hashes: readonly string[]): Promise<number> => {
    const { rows } = await run(
      `WITH gone AS (DELETE FROM contents WHERE hash = ANY($1::text[]) AND put_at <= $2 RETURNING id),
        parts AS (DELETE FROM content_parts p USING gone WHERE p.content = gone.id)
        SELECT count(*) AS n FROM gone`,
      [hashes, now() - GRACE_PERIOD_MS],
    );
    return Number(rows[0]?.['n'] ?? 0);
  };

  return {
    put: async (bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      if (!(await touch(hash))) await write(once(bytes));
      return hash;
    },
    write,
    get: async (hash) => {
      const size = await readSize(hash);
      if (size === null) return null;
      const whole = Buffer.allocUnsafeSlow(size);
      let at = 0;
      for await (const piece of pieces(hash, 0, size)) {
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
    open: async (hash, range) => {
      const size = await readSize(hash);
      if (size === null) return null;
      const { start, end } = range ?? { start: 0, end: size };
      return { [Symbol.asyncIterator]: () => pieces(hash, start, Math.min(end, size)) };
    },
    remove: async (hashes) => {
      if (hashes.length > 0) await removeOld(hashes);
    },
    sweep: async (unreferenced, isStopped = () => false) => {
      const before = now() - GRACE_PERIOD_MS;
      const { rows } = await run('SELECT id FROM contents WHERE hash IS NULL AND put_at <= $1', [before]);
      for (const row of rows) await drop(String(row['id']));
      let count = 0;
      for (let after = ''; ;) {
        const old = await run(
          'SELECT hash FROM contents WHERE hash > $1 AND put_at <= $2 ORDER BY hash LIMIT $3',
          [after, before, SWEEP_BATCH_SIZE],
        );
        const hashes = old.rows.map((row) => String(row['hash']));
        if (hashes.length === 0 || isStopped()) return count;
        const free = await unreferenced(hashes);
        if (free.length > 0) count += await removeOld(free);
        after = hashes.at(-1)!;
      }
    },
  };
}

async function one(connection: Connection, text: string, values: readonly unknown[]) {
  const [reply] = await connection.runPipeline([{ text, values }]);
  return reply!;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
