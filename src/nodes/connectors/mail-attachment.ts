import type { FieldError } from '../../contract/errors.ts';
import type { MailAttachment } from '../../contract/mail.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { isFileReference, loadContent } from '../http/file-field.ts';

const FIELDS = new Set(['filename', 'content', 'content_type', 'encoding']);
const INVALID_NAME = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\t\x20-\x7e]*)?$/;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const MAX_NAME_LENGTH = 255;

/**
 * Validates `template.attachments` without loading files. `isOpen`: the value contains a placeholder and is
 * validated later.
 */
export function validateAttachments(
  attachments: Json | undefined,
  isOpen: (value: unknown) => boolean,
): FieldError[] {
  if (attachments === undefined || isOpen(attachments)) return [];
  const at = 'template.attachments';
  if (!Array.isArray(attachments)) return [{ field: at, issue: 'must be a list' }];
  return attachments.flatMap((one, i) => validateAttachment(one, `${at}[${i}]`, isOpen));
}

function validateAttachment(one: Json, at: string, isOpen: (value: unknown) => boolean): FieldError[] {
  if (isOpen(one) || isFileReference(one)) return [];
  if (!isObject(one))
    return [
      { field: at, issue: 'must be a file ({"$file": …}) or {filename, content, content_type, encoding}' },
    ];
  const unknown = Object.keys(one).find((name) => !FIELDS.has(name));
  if (unknown !== undefined)
    return [
      {
        field: `${at}.${unknown}`,
        issue: 'is not a known field; known are filename, content, content_type, encoding',
      },
    ];
  const { filename, content, content_type: type, encoding } = one;
  const errors: FieldError[] = [];
  const add = (name: string, issue: string): void => void errors.push({ field: `${at}.${name}`, issue });
  if (filename !== undefined && !isOpen(filename)) {
    if (
      typeof filename !== 'string' ||
      filename === '' ||
      filename.length > MAX_NAME_LENGTH ||
      INVALID_NAME.test(filename)
    )
      add(
        'filename',
        `must be a name of at most ${MAX_NAME_LENGTH} characters without line breaks or control characters`,
      );
  } else if (filename === undefined && typeof content === 'string' && !isOpen(content)) {
    add('filename', 'is required if content is a string');
  }
  if (content === undefined) add('content', 'is required: a string or a file ({"$file": …})');
  else if (typeof content !== 'string' && !isFileReference(content))
    add('content', 'must be a string or a file ({"$file": …})');
  if (type !== undefined && !isOpen(type) && (typeof type !== 'string' || !CONTENT_TYPE.test(type)))
    add('content_type', 'must be a media type such as application/pdf');
  if (encoding !== undefined && encoding !== 'utf-8' && encoding !== 'base64')
    add('encoding', 'must be utf-8 or base64');
  else if (encoding === 'base64' && isFileReference(content)) add('encoding', 'must not be set for a file');
  return errors;
}

/** Loads the attachments in order. Returns the first error. Assumes that `attachmentFaults` found none. */
export async function loadAttachments(
  ctx: NodeContext,
  attachments: readonly Json[],
): Promise<MailAttachment[] | FieldError> {
  const loaded: MailAttachment[] = [];
  for (const [i, one] of attachments.entries()) {
    const at = `template.attachments[${i}]`;
    const spec: Record<string, Json> = isFileReference(one)
      ? { content: one }
      : (one as Record<string, Json>);
    const file = await loadContent(ctx, spec['content']);
    if (typeof file === 'string') return { field: isFileReference(one) ? at : `${at}.content`, issue: file };
    const filename = (spec['filename'] as string | undefined) ?? file.name;
    if (filename === null) return { field: `${at}.filename`, issue: 'is required if content is a string' };
    const content = spec['encoding'] === 'base64' ? decodeBase64(spec['content'] as string) : file.content;
    if (content === null) return { field: `${at}.content`, issue: 'must be base64' };
    const contentType = (spec['content_type'] as string | undefined) ?? file.contentType;
    loaded.push({
      filename,
      contentType:
        contentType ??
        (spec['encoding'] === 'base64' ? 'application/octet-stream' : 'text/plain; charset=utf-8'),
      content,
    });
  }
  return loaded;
}

function decodeBase64(text: string): Uint8Array | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}
