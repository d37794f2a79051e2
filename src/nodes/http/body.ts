import type { FieldError } from '../../contract/errors.ts';
import type { FormPart, HttpRequest, NodeContext } from '../../contract/node-type.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { isFileReference, loadContent } from './file-field.ts';
import type { HttpRequestConfig, RequestConfig } from './request-config.ts';

/** `holdsFile`: the body contains a file and may be as large as one. */
export type Encoded = {
  body: NonNullable<HttpRequest['body']> | null;
  contentType: string | null;
  holdsFile?: boolean;
};
type Result = Encoded | { fault: FieldError };

/** Encodes the request body and its content type. Synchronous if no file has to be read. */
export function encodeBody(ctx: NodeContext, config: RequestConfig): Result | Promise<Result> {
  const { body, files } = config;
  switch (readBodyType(config)) {
    case 'form-data':
      return encodeForm(ctx, body, files);
    case 'form-urlencoded':
      return encodeUrlForm(body);
    case 'text':
      return typeof body === 'object'
        ? bodyError('must be a string; use json for objects and lists')
        : { body: String(body ?? ''), contentType: 'text/plain; charset=utf-8' };
    case 'binary':
      return encodeBinary(ctx, body);
    case 'json':
      return { body: JSON.stringify(body ?? null), contentType: 'application/json' };
    default:
      return { body: null, contentType: null };
  }
}

/** The body type if body_type is not set; undefined if there is no body. */
function readBodyType(config: RequestConfig): HttpRequestConfig['body_type'] {
  if (config.body_type !== undefined) return config.body_type;
  if (config.files !== undefined) return 'form-data';
  if (config.body === undefined) return undefined;
  if (isFileReference(config.body)) return 'binary';
  return typeof config.body === 'string' ? 'text' : 'json';
}

function encodeUrlForm(body: Json | undefined): Result {
  if (!isObject(body)) return bodyError('must be an object of fields');
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null) form.append(name, print(one));
  }
  return { body: form.toString(), contentType: 'application/x-www-form-urlencoded' };
}

async function encodeForm(
  ctx: NodeContext,
  body: Json | undefined,
  files: HttpRequestConfig['files'],
): Promise<Result> {
  if (body !== undefined && !isObject(body)) return bodyError('must be an object of fields');
  const form: FormPart[] = [];
  for (const [name, value] of Object.entries(body ?? ({} as JsonObject))) {
    if (isFileReference(value))
      return bodyError('must not be a file; set files of a form in files', appendKey('body', name));
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null) form.push({ name, content: print(one) });
  }
  for (const [name, file] of Object.entries(files ?? {})) {
    const loaded = await loadContent(ctx, file.content);
    if (typeof loaded === 'string') return bodyError(loaded, appendKey(appendKey('files', name), 'content'));
    form.push({
      name,
      filename: file.filename ?? loaded.name ?? name,
      contentType: file.content_type ?? loaded.contentType ?? 'application/octet-stream',
      content: loaded.content,
    });
  }
  return { body: form, contentType: null, holdsFile: files !== undefined };
}

async function encodeBinary(ctx: NodeContext, body: Json | undefined): Promise<Result> {
  if (!isFileReference(body)) return bodyError('must be a file ({"$file": …}) for body_type binary');
  const loaded = await loadContent(ctx, body);
  if (typeof loaded === 'string') return bodyError(loaded);
  return {
    body: loaded.content,
    contentType: loaded.contentType ?? 'application/octet-stream',
    holdsFile: true,
  };
}

function print(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function bodyError(issue: string, field = 'body'): { fault: FieldError } {
  return { fault: { field, issue } };
}
