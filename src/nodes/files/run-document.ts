import type { DocumentCall, DocumentContent } from '../../contract/documents.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { describeType } from '../data/items.ts';
import { StoppedError } from '../data/time-slice.ts';
import { isFileReference } from '../http/file-field.ts';
import { openFile } from './file-input.ts';

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const LINE_FEED = 10;

/** Reads a file of the execution, or base64 text. @throws {DataError} */
export async function openBinary(ctx: NodeContext, value: Json, field: string): Promise<DocumentContent> {
  if (isFileReference(value)) return await openFile(ctx, value, field);
  if (typeof value !== 'string')
    throw new DataError(field, `must be a file ({"$file": …}) or base64 text, not ${describeType(value)}`);
  if (!BASE64.test(value)) throw new DataError(field, 'must be a file ({"$file": …}) or base64 text');
  return Buffer.from(value, 'base64');
}

/** Runs a program for documents. Returns the bytes that it wrote. @throws {DataError} {StoppedError} */
export async function runDocument(ctx: NodeContext, call: DocumentCall): Promise<Buffer> {
  const { content } = call;
  let failure: { error: unknown } | null = null;
  async function* read(source: Exclude<DocumentContent, Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* source.read();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  const result = await ctx.documents.run(
    content instanceof Uint8Array ? call : { ...call, content: { ...content, read: () => read(content) } },
  );
  if (failure !== null) throw (failure as { error: unknown }).error;
  if (result.kind === 'done')
    return Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.length);
  if (result.type === 'stopped') throw new StoppedError();
  throw new DataError(result.field, result.issue, result.type);
}

/** Parses lines of JSON, and yields after each. */
export function* parseLines(bytes: Buffer, add: (value: Json) => void): Generator<undefined, void> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    add(JSON.parse(bytes.toString('utf8', start, end)) as Json);
    start = end + 1;
    yield;
  }
}
