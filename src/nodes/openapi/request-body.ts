import type { FieldError } from '../../contract/errors.ts';
import type { FormPart, NodeContext } from '../../contract/node-type.ts';
import type { PackBody } from '../../contract/packs/packs.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';
import type { Encoded } from '../http/body.ts';
import { isFileReference, loadContent } from '../http/file-field.ts';
import { printContent, serializeQuery } from './serialize.ts';

type Result = Encoded | { fault: FieldError };

/** Encodes a body in the media type of its operation. */
export function encodeOperationBody(ctx: NodeContext, body: PackBody, value: Json): Result | Promise<Result> {
  const type = parseMediaType(body.contentType);
  if (type === 'application/x-www-form-urlencoded') return encodeForm(body, value);
  if (type.startsWith('multipart/')) return encodeParts(ctx, body, value);
  if (isFileReference(value)) return encodeFile(ctx, body.contentType, value);
  if (classifyMediaType(type) === 'json')
    return { body: JSON.stringify(value), contentType: body.contentType };
  if (typeof value === 'object' && value !== null)
    return createError('body', `must be a string or a file ({"$file": …}) for ${type}`);
  return {
    body: String(value ?? ''),
    contentType: concreteType(body.contentType, 'application/octet-stream'),
  };
}

function encodeForm({ encoding }: PackBody, value: Json): Result {
  if (!isObject(value)) return createError('body', 'must be an object of fields');
  const pairs = Object.entries(value).flatMap(([name, one]) => {
    const {
      style = 'form',
      explode = true,
      allowReserved = false,
      contentType = null,
    } = encoding[name] ?? {};
    // The default of an object is JSON, and that of a list a pair for each value.
    const isPlainObject = isObject(one) && !Object.hasOwn(encoding, name);
    return serializeQuery(
      {
        name,
        style,
        explode,
        allowReserved,
        contentType: isPlainObject ? 'application/json' : contentType,
      },
      one,
    );
  });
  return {
    body: pairs.map((pair) => pair.replaceAll('%20', '+')).join('&'),
    contentType: 'application/x-www-form-urlencoded',
  };
}

async function encodeParts(ctx: NodeContext, body: PackBody, value: Json): Promise<Result> {
  if (!isObject(value)) return createError('body', 'must be an object of fields');
  const parts: FormPart[] = [];
  let holdsFile = false;
  for (const [name, given] of Object.entries(value)) {
    for (const one of Array.isArray(given) ? given : [given]) {
      if (one === null) continue;
      const wanted = getContentType(body, name);
      if (isFileReference(one)) {
        const loaded = await loadContent(ctx, one);
        if (typeof loaded === 'string') return createError(appendKey('body', name), loaded);
        parts.push({
          name,
          filename: loaded.name ?? name,
          contentType: concreteType(wanted ?? '', loaded.contentType ?? 'application/octet-stream'),
          content: loaded.content,
        });
        holdsFile = true;
      } else if (isFileField(body, name) && typeof one === 'string') {
        const type = concreteType(wanted ?? '', 'application/octet-stream');
        parts.push({ name, filename: name, contentType: type, content: new TextEncoder().encode(one) });
      } else parts.push(toPart(name, one, wanted));
    }
  }
  return { body: parts, contentType: null, holdsFile };
}

function toPart(name: string, value: Json, wanted: string | null): FormPart {
  const fallback = typeof value === 'object' ? 'application/json' : '';
  const contentType = concreteType(wanted ?? '', fallback);
  return {
    name,
    content: printContent(contentType, value),
    ...(contentType === '' ? {} : { contentType }),
  };
}

function getContentType({ encoding }: PackBody, name: string): string | null {
  return Object.hasOwn(encoding, name) ? (encoding[name]?.contentType ?? null) : null;
}

/** The first of several media types (`image/png, image/jpeg`); the other one if it has a wildcard. */
function concreteType(types: string, fallback: string): string {
  const [first = ''] = types.split(',', 1);
  return first.trim() === '' || first.includes('*') ? fallback : first.trim();
}

/** Whether a field of a form is a file, or a list of files. */
function isFileField({ schema }: PackBody, name: string): boolean {
  const { properties } = schema;
  const field = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isObject(field)) return false;
  const { items, contentMediaType } = field;
  return contentMediaType !== undefined || (isObject(items) && items['contentMediaType'] !== undefined);
}

async function encodeFile(ctx: NodeContext, contentType: string, value: Json): Promise<Result> {
  const loaded = await loadContent(ctx, value);
  if (typeof loaded === 'string') return createError('body', loaded);
  return {
    body: loaded.content,
    contentType: concreteType(contentType, loaded.contentType ?? 'application/octet-stream'),
    holdsFile: true,
  };
}

function createError(field: string, issue: string): { fault: FieldError } {
  return { fault: { field, issue } };
}
