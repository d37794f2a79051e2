import { buffer } from 'node:stream/consumers';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { isServerError, WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Files } from '../../services/executions/files.service.ts';

/** Maximum characters of a result's text: as many bytes in ASCII, up to three times as many otherwise. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;
/** Bytes of a file that is part of a result; a larger one is a link. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Files of a result, in the order of the output; the others are only references in it. */
const MAX_FILES = 20;

type FileReference = { id: string; name: string; content_type: string; size: number };

/** Reads the files of outputs for clients. */
export type FileReader = { readonly files: Pick<Files, 'get'>; readonly baseUrl: string };

export function createTextResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** A value of Weft's own tools, as text and as structured content. */
export function createValueResult(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** An error of the caller as a result of the tool. @throws errors of the service */
export function toErrorResult(error: unknown): CallToolResult {
  if (!(error instanceof WeftError) || isServerError(error.code)) throw error;
  const { code, message, details } = error;
  return createTextResult(JSON.stringify({ error: { code, message, details } }), true);
}

/**
 * The output of an execution: its text, its files, and the output itself as structured content if it is an
 * object. A file is an image, audio, or an embedded resource; a large one is a link.
 */
export async function createOutputResult(
  principal: Principal,
  output: Json,
  reader: FileReader,
): Promise<CallToolResult> {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  if (text.length > MAX_TEXT_LENGTH)
    return createTextResult(
      `The output has ${text.length} characters. A result of a tool has at most ${MAX_TEXT_LENGTH}.`,
      true,
    );
  const notes = findFiles(output);
  const files = await Promise.all(
    notes.slice(0, MAX_FILES).map((note) => toContent(principal, note, reader)),
  );
  return {
    content: [...(isOnlyFiles(output) ? [] : [{ type: 'text' as const, text }]), ...files],
    ...(isObject(output) && { structuredContent: output }),
  };
}

function readFileReference(value: Json): FileReference | null {
  const note = isObject(value) ? value['$file'] : undefined;
  return isObject(note) && typeof note['id'] === 'string' ? (note as FileReference) : null;
}

function isOnlyFiles(output: Json): boolean {
  const values = Array.isArray(output) ? output : [output];
  return values.length > 0 && values.every((value) => readFileReference(value) !== null);
}

/** The files of a value, in its order. */
function findFiles(value: Json): FileReference[] {
  const found: FileReference[] = [];
  const work: Json[] = [value];
  for (let one = work.pop(); one !== undefined; one = work.pop()) {
    const file = readFileReference(one);
    if (file !== null) found.push(file);
    else if (Array.isArray(one)) for (let i = one.length - 1; i >= 0; i--) work.push(one[i]!);
    else if (isObject(one)) work.push(...Object.values(one).toReversed());
  }
  return found;
}

async function toContent(
  principal: Principal,
  note: FileReference,
  reader: FileReader,
): Promise<ContentBlock> {
  const { id, name, content_type: mimeType, size } = note;
  const uri = `${reader.baseUrl}/files/${encodeURIComponent(id)}`;
  const file = size > MAX_FILE_BYTES ? null : await reader.files.get(principal, id).catch(ignoreMissing);
  if (file === null) return { type: 'resource_link', uri, name, mimeType, size };
  const bytes = await buffer(file.bytes);
  const data = bytes.toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  const isText = /^(?:text\/|application\/(?:json|xml)\b)/.test(mimeType);
  return {
    type: 'resource',
    resource: { uri, mimeType, ...(isText ? { text: bytes.toString('utf8') } : { blob: data }) },
  };
}

/** The file was deleted, or the credential may not read it. */
function ignoreMissing(error: unknown): null {
  if (error instanceof WeftError && !isServerError(error.code)) return null;
  throw error;
}
