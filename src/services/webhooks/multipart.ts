import { isUtf8 } from 'node:buffer';
import { createValidationError } from '../../contract/errors.ts';
import type { WeftError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { TakeFile } from './webhook-files.ts';

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const DISPOSITION = /^content-disposition:\s*form-data\s*;/im;
const CRLF2 = Buffer.from('\r\n\r\n');
const DASHES = 0x2d2d;
const LINE_END = 0x0d0a;

/** The offsets of one part in the body: from after its boundary line to before the next one. */
type Part = { from: number; to: number };

/**
 * Parses a multipart/form-data body (RFC 7578) into an object: fields as strings, files as `$file`, a
 * repeated name as an array. The runtime parses the parts; they are scanned first, to limit their number and
 * size before parsing and to report the position of an error.
 * @throws {WeftError} VALIDATION_ERROR
 */
export async function readMultipart(bytes: Buffer, contentType: string, take: TakeFile): Promise<JsonObject> {
  const named = BOUNDARY.exec(contentType);
  const boundary = named?.[1] ?? named?.[2];
  if (boundary === undefined)
    throw createValidationError([
      { field: 'content-type', issue: 'must name the boundary of its parts, of 1 to 70 characters' },
    ]);
  const parts = findParts(bytes, boundary);
  const form = await parse(bytes, boundary);
  if (form === null || count(form) !== parts.length) throw await firstUnreadable(bytes, parts, boundary);
  const fields = Object.create(null) as { [name: string]: Json };
  let number = 0;
  for (const [name, value] of form) {
    number++;
    if (name.length > limits.webhookFieldNameChars)
      throw createPartError(number, `has a name of more than ${limits.webhookFieldNameChars} characters`);
    const read = typeof value === 'string' ? value : await readFile(value, take);
    const before = fields[name];
    if (before === undefined) fields[name] = read;
    else if (Array.isArray(before)) before.push(read);
    else fields[name] = [before, read];
  }
  return { ...fields };
}

/** Returns null for a file field without a selected file: it has neither a name nor bytes. */
async function readFile(file: File, take: TakeFile): Promise<Json> {
  if (file.name === '' && file.size === 0) return null;
  return take(file.name, file.type, new Uint8Array(await file.arrayBuffer()));
}

/** @throws {WeftError} VALIDATION_ERROR */
function findParts(bytes: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const first = delimiter.subarray(2);
  const isAtStart = bytes.subarray(0, first.length).equals(first);
  // The first boundary needs no preceding line break.
  let at = isAtStart ? -2 : bytes.indexOf(delimiter);
  if (at === -1)
    throw createPartError(null, 'holds no part: the boundary that its content type names is not in it');
  const parts: Part[] = [];
  for (;;) {
    let from = at + delimiter.length;
    if (from + 2 <= bytes.length && bytes.readUInt16BE(from) === DASHES) return parts;
    const number = parts.length + 1;
    if (number > limits.webhookParts)
      throw createPartError(null, `must have at most ${limits.webhookParts} parts`);
    if (from + 2 > bytes.length || bytes.readUInt16BE(from) !== LINE_END)
      throw createPartError(number, 'has something behind its boundary, on the same line');
    from += 2;
    const next = bytes.indexOf(delimiter, from - 2);
    if (next === -1) throw createPartError(number, 'has no end: no boundary follows it');
    checkPart(bytes.subarray(from, next), number);
    parts.push({ from, to: next });
    at = next;
  }
}

function checkPart(part: Buffer, number: number): void {
  const end = part.subarray(0, limits.webhookPartHeaderBytes).indexOf(CRLF2);
  if (end === -1)
    throw createPartError(number, `has no end of its headers within ${limits.webhookPartHeaderBytes} bytes`);
  const headers = part.toString('utf8', 0, end);
  if (!DISPOSITION.test(headers))
    throw createPartError(number, 'needs the header Content-Disposition: form-data');
  if (!/;\s*filename\*?=/i.test(headers) && !isUtf8(part.subarray(end + CRLF2.length)))
    throw createPartError(number, 'must be text in UTF-8, or a file with a filename');
}

async function parse(bytes: Buffer, boundary: string): Promise<FormData | null> {
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  try {
    return await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    return null;
  }
}

/** Parses each part alone to find the malformed one, because the runtime does not report it. */
async function firstUnreadable(bytes: Buffer, parts: readonly Part[], boundary: string): Promise<WeftError> {
  for (const [i, { from, to }] of parts.entries()) {
    const alone = [Buffer.from(`--${boundary}\r\n`), bytes.subarray(from, to), `\r\n--${boundary}--\r\n`];
    const form = await parse(
      Buffer.concat(alone.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
      boundary,
    );
    if (form === null || count(form) !== 1)
      return createPartError(i + 1, 'cannot be read: its headers are malformed, or it holds the boundary');
  }
  return createPartError(null, 'is not multipart/form-data');
}

function count(form: FormData): number {
  let all = 0;
  for (const _ of form) all++;
  return all;
}

function createPartError(part: number | null, issue: string): WeftError {
  return createValidationError([{ field: 'body', issue: part === null ? issue : `part ${part} ${issue}` }]);
}
