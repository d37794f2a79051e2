import { Type } from 'typebox';
import type { FileReference, NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { closed } from '../schema.ts';

export const fileField = closed({
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  content: Type.Unsafe<Json>({ description: 'A text, or a file ({"$file": …}).' }),
  content_type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

export type LoadedFile = { name: string | null; contentType: string | null; bytes: Uint8Array };

export function isFileReference(value: unknown): value is FileReference {
  return isObject(value) && isObject(value['$file']) && typeof value['$file']['id'] === 'string';
}

/** The bytes of a text or of a file of this execution; a text that says what is wrong otherwise. */
export async function loadContent(ctx: NodeContext, content: Json | undefined): Promise<LoadedFile | string> {
  if (typeof content === 'string')
    return { name: null, contentType: null, bytes: new TextEncoder().encode(content) };
  if (!isFileReference(content)) return 'takes a text or a file ({"$file": …})';
  const file = await ctx.files.load(content);
  return file ?? `names the file ${content.$file.id}, which is not a file of this execution`;
}
