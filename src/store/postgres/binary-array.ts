import type { Scalar } from '../statement.ts';
import { toText } from './text.ts';

/**
 * Arrays in PostgreSQL's binary format, which needs no quoting and no parsing. One array is one column of a
 * batch, so a batch of any size is one statement.
 */
export type ColumnKind = 'text' | 'bigint' | 'float8';

const OID: Record<ColumnKind, number> = { text: 25, bigint: 20, float8: 701 };
const HEADER_BYTES = 20;

/** Column `at` of these rows. */
export function encodeColumn(kind: ColumnKind, rows: readonly (readonly Scalar[])[], at: number): Buffer {
  return kind === 'text' ? texts(rows, at) : numbers(kind, rows, at);
}

function texts(rows: readonly (readonly Scalar[])[], at: number): Buffer {
  const values: (string | null)[] = [];
  const lengths: number[] = [];
  let size = HEADER_BYTES;
  let hasNull = false;
  for (const row of rows) {
    const value = row[at] ?? null;
    const text = value === null ? null : toText(String(value));
    const length = text === null ? -1 : Buffer.byteLength(text);
    if (length < 0) hasNull = true;
    values.push(text);
    lengths.push(length);
    size += 4 + Math.max(0, length);
  }
  const buffer = Buffer.allocUnsafe(size);
  let offset = header(buffer, 'text', rows.length, hasNull);
  for (let i = 0; i < values.length; i++) {
    const text = values[i]!;
    offset = buffer.writeInt32BE(lengths[i]!, offset);
    if (text !== null) offset += buffer.write(text, offset);
  }
  return buffer;
}

function numbers(kind: ColumnKind, rows: readonly (readonly Scalar[])[], at: number): Buffer {
  let nulls = 0;
  for (const row of rows) if ((row[at] ?? null) === null) nulls++;
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + rows.length * 12 - nulls * 8);
  let offset = header(buffer, kind, rows.length, nulls > 0);
  for (const row of rows) {
    const value = row[at] ?? null;
    if (value === null) {
      offset = buffer.writeInt32BE(-1, offset);
      continue;
    }
    const number = Number(value);
    offset = buffer.writeInt32BE(8, offset);
    if (kind === 'float8') offset = buffer.writeDoubleBE(number, offset);
    else {
      if (!Number.isSafeInteger(number))
        throw new RangeError(`${number} is not an integer that can be stored.`);
      offset = buffer.writeInt32BE(Math.floor(number / 2 ** 32), offset);
      offset = buffer.writeUInt32BE(number - Math.floor(number / 2 ** 32) * 2 ** 32, offset);
    }
  }
  return buffer;
}

/** One dimension, with lower bound 1. */
function header(buffer: Buffer, kind: ColumnKind, length: number, hasNull: boolean): number {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(hasNull ? 1 : 0, 4);
  buffer.writeInt32BE(OID[kind], 8);
  buffer.writeInt32BE(length, 12);
  return buffer.writeInt32BE(1, 16);
}
