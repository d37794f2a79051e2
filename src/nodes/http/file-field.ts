import { Type } from 'typebox';
import type { FileReference, StoredFile } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { closed } from '../schema.ts';

export const fileField = closed({
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  content: Type.Unsafe<Json>({ description: 'A string or a file ({"$file": …}).' }),
  content_type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

/** `content` is the bytes of a string, or a file that is read when needed. */
export type LoadedFile = {
  name: string | null;
  contentType: string | null;
  content: Uint8Array | StoredFile;
};

export function isFileReference(value: unknown): value is FileReference {
  return isObject(value) && isObject(value['$file']) && typeof value['$file']['id'] === 'string';
}

/** Loads a string or a file of this execution. Returns a string with the error if it cannot. */
export async function loadContent(ctx: NodeContext, content: Json | undefined): Promise<LoadedFile | string> {
  if (typeof content === 'string')
    return { name: null, contentType: null, content: new TextEncoder().encode(content) };
  if (!isFileReference(content)) return 'must be a string or a file ({"$file": …})';
  const file = await ctx.files.open(content);
  if (file !== null) return { name: file.name, contentType: file.contentType, content: file };
  return `must be a file of this execution, not ${content.$file.id}`;
}
