import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { isNoRoom } from './failure.ts';

/*
 * A file of a fixed size that stands beside the database. A record is on the disk when `append` returns, with one write and one
 * sync; it is put into the database later, and its room is used again.
 *
 * A record begins at a multiple of BLOCK and shares no block with another one, so a write that is cut off by a power loss harms
 * nothing but itself. It is:
 *
 *   0   01 'r' 'd'. Texts are JSON, which holds no byte below 0x20: nothing in a text looks like the beginning of a record.
 *   3   the format of the text: see `packBatch`
 *   4   CRC-32 of all that follows
 *   8   the epoch, 8 bytes: which run of the program wrote it
 *   16  the number, 6 bytes: 1, 2, 3 … within the epoch
 *   24  how many bytes of text follow
 *   32  the text, UTF-8
 */
const MAGIC = 0x64_72_01;
export const FORMAT = 1;
const HEADER = 32;
const BLOCK = 4096;
const SIZE = 1024 * 1024;
/** Bytes of the longest text. */
export const LONGEST = 64 * 1024;

export type RedoRecord = { format: number; epoch: string; number: number; text: string };

export type RedoLog = {
  /** Numbers grow by one. False: it does not fit, now or at all, and was not written. Throws when the disk failed. */
  append(number: number, text: string): boolean;
  /** All records up to this one are in the database. */
  release(number: number): void;
  close(): void;
};

/** The log of a database file. */
export function redoFileOf(databaseFile: string): string {
  return `${databaseFile}-redo`;
}

/** Makes the file, unless it is there, and has it on disk. Where that fails there is none: it saves time, nothing rests on it. */
export function makeRedoLog(file: string): void {
  try {
    if (!isRedoLog(file)) {
      rmSync(file, { force: true });
      // Written, not only as long: a write into it later needs no new room.
      writeFileSync(file, Buffer.alloc(SIZE), { mode: 0o600 });
    }
    sync(file);
    sync(path.dirname(file));
  } catch {
    try {
      rmSync(file, { force: true });
    } catch {
      // Then it is of another size, or cannot be opened either.
    }
  }
}

function isRedoLog(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === SIZE;
}

function sync(name: string): void {
  const fd = openSync(name, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** For new records of an epoch. Null: there is no such file, or the system cannot write and sync in one. */
export function openRedoLog(file: string, epoch: string): RedoLog | null {
  const { O_RDWR, O_DSYNC } = constants;
  if (O_DSYNC === undefined) return null;
  let fd: number;
  try {
    if (!isRedoLog(file)) return null;
    fd = openSync(file, O_RDWR | O_DSYNC);
  } catch {
    return null;
  }
  const buffer = Buffer.alloc(HEADER + LONGEST);
  buffer.writeUIntLE(MAGIC, 0, 3);
  buffer.writeUInt8(FORMAT, 3);
  buffer.write(epoch, 8, 'hex');
  /** Records that are not in the database, the oldest first. */
  const kept: { number: number; from: number; to: number }[] = [];
  let next = 0;

  /** Where so many bytes may go, or null. */
  const placeFor = (bytes: number): number | null => {
    const from = next + bytes > SIZE ? 0 : next;
    const oldest = kept[0];
    // Records lie in the order of their writing, so the oldest is the first that would be written over.
    const isFree = oldest === undefined || from >= oldest.to || from + bytes <= oldest.from;
    return isFree ? from : null;
  };

  return {
    append(number, text) {
      if (text.length > LONGEST) return false;
      const length = Buffer.byteLength(text);
      if (length > LONGEST) return false;
      const end = HEADER + length;
      const room = Math.ceil(end / BLOCK) * BLOCK;
      const from = placeFor(room);
      if (from === null) return false;
      buffer.write(text, HEADER);
      buffer.writeUIntLE(number, 16, 6);
      buffer.writeUInt32LE(length, 24);
      buffer.writeUInt32LE(crc32(buffer.subarray(8, end)), 4);
      try {
        // What was written in part is written over by the next one.
        if (writeSync(fd, buffer, 0, end, from) < end) return false;
      } catch (error) {
        if (isNoRoom(error)) return false;
        throw error;
      }
      next = from + room;
      kept.push({ number, from, to: next });
      return true;
    },
    release(last) {
      const first = kept.findIndex((record) => record.number > last);
      kept.splice(0, first < 0 ? kept.length : first);
    },
    close: () => closeSync(fd),
  };
}

/**
 * All records that are whole, of whatever epoch; an epoch's own in the order of their numbers. Throws an error fit for the terminal
 * when the file cannot be read.
 */
export function readRedoLog(file: string): RedoRecord[] {
  const bytes = contentsOf(file);
  const records: RedoRecord[] = [];
  for (let at = 0; at + HEADER <= bytes.length; at += BLOCK) {
    if (bytes.readUIntLE(at, 3) !== MAGIC) continue;
    const end = at + HEADER + bytes.readUInt32LE(at + 24);
    if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) continue;
    records.push({
      format: bytes.readUInt8(at + 3),
      epoch: bytes.toString('hex', at + 8, at + 16),
      number: bytes.readUIntLE(at + 16, 6),
      text: bytes.toString('utf8', at + HEADER, end),
    });
  }
  return records.toSorted((a, b) => a.number - b.number);
}

function contentsOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw new Error(`${file}, which may hold what the database lacks, cannot be read (${message}).`, {
      cause: error,
    });
  }
}
