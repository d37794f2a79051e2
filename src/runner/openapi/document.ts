import { upgrade } from '@scalar/openapi-upgrader';
import { parseDocument } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { JsonBoundError, requireJsonBounds } from '../../lib/json/parse-json.ts';
import { truncateText } from '../../lib/text/truncate.ts';

/** Values of a document, where a YAML alias counts as a copy of its values. */
const MAX_VALUES = 3_000_000;
const MAX_DEPTH = 100;
const MAX_NAMES = 500_000;
const MAX_ALIASES = 10_000;
const MAX_DETAIL_LENGTH = 300;

/** The document cannot be used. `place`: a JSON pointer in the document, or null for the whole document. */
export class DocumentError extends Error {
  readonly place: string | null;
  constructor(issue: string, location: string | null = null) {
    super(location === null ? issue : `${issue} (at ${location})`);
    this.place = location;
  }
}

/** Parses a document and converts it to OpenAPI 3.1. @throws {DocumentError} */
export function loadDocument(text: string): JsonObject {
  const parsed = parseText(text);
  if (!isObject(parsed)) throw new DocumentError('must be an object with the field openapi or swagger');
  requireBounds(parsed);
  requireVersion(parsed);
  removeUnused(parsed);
  let upgraded: unknown;
  try {
    upgraded = upgrade(parsed, '3.1');
  } catch (error) {
    // The library expects valid documents, and its own errors say nothing about the place.
    const detail = error instanceof TypeError ? 'a part of it has an invalid form' : getErrorDetail(error);
    throw new DocumentError(`cannot be converted to OpenAPI 3.1: ${detail}`);
  }
  if (!isObject(upgraded)) throw new DocumentError('cannot be converted to OpenAPI 3.1');
  if (!isObject(upgraded['paths']) || Object.keys(upgraded['paths']).length === 0)
    throw new DocumentError('must have the field paths with at least one path');
  return upgraded;
}

/** Removes what no operation needs. In large documents, examples are half of the text. */
function removeUnused(document: JsonObject): void {
  delete document['webhooks'];
  delete document['x-webhooks'];
  const { components } = document;
  if (!isObject(components)) return;
  for (const name of ['examples', 'headers', 'links', 'callbacks']) delete components[name];
}

function parseText(text: string): unknown {
  const start = text.trimStart();
  if (start === '') throw new DocumentError('must not be empty');
  if (start.startsWith('{')) {
    try {
      requireJsonBounds(text, { values: MAX_VALUES, depth: MAX_DEPTH, names: MAX_NAMES });
      return JSON.parse(text);
    } catch (error) {
      if (error instanceof JsonBoundError) throw new DocumentError(error.message);
      // Text that starts with a brace may still be YAML in its flow style.
      const asYaml = parseYaml(text);
      if ('value' in asYaml) return asYaml.value;
      throw new DocumentError(`is not JSON: ${getErrorDetail(error)}`);
    }
  }
  const read = parseYaml(text);
  if ('value' in read) return read.value;
  throw new DocumentError(`is neither JSON nor YAML: ${read.issue}`);
}

function parseYaml(text: string): { value: unknown } | { issue: string } {
  try {
    const document = parseDocument(text, {
      version: '1.2',
      merge: true,
      // Names that occur twice are common in published documents; the last one counts, as in JSON.
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const [problem] = document.errors;
    if (problem?.code === 'RESOURCE_EXHAUSTION')
      return { issue: `it must not be nested deeper than ${MAX_DEPTH} levels` };
    if (problem !== undefined) return { issue: getErrorDetail(problem) };
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    return { issue: getErrorDetail(error) };
  }
}

function getErrorDetail(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return truncateText(message.split('\n', 1)[0]?.replace(/:$/, '') ?? '', MAX_DETAIL_LENGTH);
}

function requireVersion(document: JsonObject): void {
  const { openapi, swagger } = document;
  // Both fields are often numbers in YAML.
  const version = openapi ?? swagger;
  if (version === undefined) throw new DocumentError('must have the field openapi or swagger');
  const isKnown =
    openapi === undefined ? /^2(\.0)?$/.test(print(version)) : /^3\.[01](\.|$)/.test(print(version));
  if (!isKnown)
    throw new DocumentError(`must be OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0, not ${print(version)}`);
  if (openapi === undefined) document['swagger'] = '2.0';
  else document['openapi'] = print(openapi);
}

function print(value: Json): string {
  return typeof value === 'string' ? truncateText(value, 40) : truncateText(JSON.stringify(value), 40);
}

/** Bounds depth and size, including repeated aliases, before any recursive code reads the document. */
function requireBounds(document: JsonObject): void {
  type Open = { value: object; parent: Open | null; key: string; depth: number };
  const formatPointer = (at: Open | null): string => {
    const keys: string[] = [];
    for (let one = at; one !== null && one.parent !== null; one = one.parent) keys.unshift(one.key);
    return toPointer(keys.slice(0, 8));
  };
  let count = 0;
  const open: Open[] = [{ value: document, parent: null, key: '', depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_DEPTH)
      throw new DocumentError(`must not be nested deeper than ${MAX_DEPTH} levels`, formatPointer(next));
    const keys = Object.keys(next.value);
    count += keys.length;
    if (count > MAX_VALUES)
      throw new DocumentError(
        `must have at most ${MAX_VALUES} values, with every alias expanded`,
        formatPointer(next),
      );
    for (const key of keys) {
      if (key === '__proto__')
        throw new DocumentError('must not have a field named __proto__', formatPointer(next));
      const value = (next.value as JsonObject)[key];
      if (typeof value === 'object' && value !== null)
        open.push({ value, parent: next, key, depth: next.depth + 1 });
    }
  }
}

/** `#/paths/~1pets/get`. */
export function toPointer(keys: readonly string[]): string {
  return `#${keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
}
