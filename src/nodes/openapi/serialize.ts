import type { PackParameter, Serialization } from '../../contract/packs/packs.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';

/*
 * Writes values as OpenAPI 3.1 describes in "Style Values". A null stands for no value, in a list or an
 * object too. Objects and lists inside a value, for which OpenAPI has no rule, are written as JSON, except
 * with deepObject.
 */

type Encode = (text: string) => string;

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Reserved characters that neither divide a query nor are forbidden in one. */
const KEPT = /(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;])/;

/** Keeps reserved characters and percent-encoded triples (`allowReserved`). */
export function encodeReserved(text: string): string {
  return text
    .split(KEPT)
    .map((part, i) => (i % 2 === 1 ? part : encodeStrictly(part)))
    .join('');
}

/** `[name, value]` pairs of an object without nulls, with values as text. */
function listEntries(value: { [key: string]: Json }): [string, string][] {
  return Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, printValue(one)]]));
}

function printValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The part of a path for a parameter; null for no value. */
export function serializePath(parameter: PackParameter, value: Json): string | null {
  const { name, style, explode, contentType } = parameter;
  if (contentType !== null) return value === null ? null : encodeStrictly(printContent(contentType, value));
  const key = encodeStrictly(name);
  if (isEmpty(value)) return null;
  if (style === 'matrix') return writeMatrix(key, value, explode);
  const separator = style === 'label' && explode ? '.' : ',';
  const text = join(value, explode, separator, encodeStrictly);
  return style === 'label' ? `.${text}` : text;
}

function writeMatrix(key: string, value: Json, explode: boolean): string {
  if (value === '') return `;${key}`;
  if (explode && Array.isArray(value))
    return printItems(value)
      .map((one) => `;${key}=${encodeStrictly(one)}`)
      .join('');
  if (explode && isObject(value))
    return listEntries(value)
      .map(([name, one]) => `;${encodeStrictly(name)}=${encodeStrictly(one)}`)
      .join('');
  return `;${key}=${join(value, false, ',', encodeStrictly)}`;
}

/** A header's value; null for no value. Headers are not percent-encoded. */
export function serializeHeader({ explode, contentType }: PackParameter, value: Json): string | null {
  if (isEmpty(value)) return null;
  return contentType === null ? join(value, explode, ',', (text) => text) : printContent(contentType, value);
}

/** The `name=value` pairs of a query or of a form body, encoded. */
export function serializeQuery(
  parameter: Serialization & { readonly name: string; readonly contentType: string | null },
  value: Json,
): string[] {
  const { name, style, explode, allowReserved, contentType } = parameter;
  const encode = allowReserved ? encodeReserved : encodeStrictly;
  const key = encodeStrictly(name);
  if (contentType !== null)
    return value === null ? [] : [`${key}=${encode(printContent(contentType, value))}`];
  if (isEmpty(value)) return [];
  if (style === 'deepObject' && typeof value === 'object') return writeDeep(name, value, encode);
  if (explode && Array.isArray(value)) return printItems(value).map((one) => `${key}=${encode(one)}`);
  if (explode && isObject(value))
    return listEntries(value).map(([part, one]) => `${encodeStrictly(part)}=${encode(one)}`);
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [`${key}=${join(value, false, separator, encode)}`];
}

/** `color[R]=100`, and `color[list][0]=1` for what lies deeper. */
function writeDeep(name: string, value: Json, encode: Encode): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [`${encodeStrictly(name)}=${encode(printValue(value))}`];
  return Object.entries(value).flatMap(([key, one]) => writeDeep(`${name}[${key}]`, one, encode));
}

/** The `name=value` pairs of a Cookie header. */
export function serializeCookie(parameter: PackParameter, value: Json): string[] {
  return serializeQuery(parameter, value);
}

function join(value: Json, explode: boolean, separator: string, encode: Encode): string {
  if (Array.isArray(value)) return printItems(value).map(encode).join(separator);
  if (!isObject(value)) return encode(printValue(value));
  return listEntries(value)
    .map(([key, one]) => `${encode(key)}${explode ? '=' : separator}${encode(one)}`)
    .join(separator);
}

function printItems(value: readonly Json[]): string[] {
  return value.filter((one) => one !== null).map(printValue);
}

/** No value: null, or a list or object without values. An empty string is a value. */
export function isEmpty(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every((one) => one === null);
}

/** A value in a media type: as JSON, or as text. */
export function printContent(contentType: string, value: Json): string {
  const isJson = classifyMediaType(parseMediaType(contentType)) === 'json';
  return isJson ? JSON.stringify(value) : printValue(value);
}
