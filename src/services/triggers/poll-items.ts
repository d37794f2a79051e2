import { createHash } from 'node:crypto';
import { compileTemplate } from '../../expressions/template.ts';
import { compilePath, walk } from '../../lib/json/json-path.ts';
import type { Json } from '../../lib/json/json.ts';
import type { NewFile } from '../../ports/store/files.ts';
import { computeFingerprint } from '../../lib/json/canonical-json.ts';

/** In characters. */
const MAX_KEY_LENGTH = 1_000;

/** `key` identifies the item; `digest` is stored. `files` become files of its execution. */
export type PolledItem = {
  item: Json;
  key: string;
  digest: string;
  files?: readonly NewFile[];
  /** Of an item that a service sent, epoch ms. */
  receivedAt?: number;
};

/** The items of a response have no usable keys. */
export class ItemKeyError extends Error {}

/** Reads the key of an item. @throws {ItemKeyError} {TemplateEvaluationError} */
export type KeyReader = (item: Json, index: number, now: number) => string;

/** `key` is a path, an expression over the item, or undefined for the whole item. */
export function createKeyReader(key: string | undefined): KeyReader {
  if (key === undefined) return computeFingerprint;
  if (!key.includes('{{')) {
    const { steps } = compilePath(key);
    return (item, index) => checked(walk(steps, item), index);
  }
  const template = compileTemplate(key);
  // A root name without another meaning refers to a field of the item.
  return (item, index, now) => checked(template.evaluate({ input: item, item, index, now }), index);
}

export function createPolledItem(item: Json, key: string): PolledItem {
  return { item, key, digest: createHash('sha256').update(key).digest('base64url') };
}

function checked(value: Json | undefined, index: number): string {
  if (value === undefined || value === null || value === '')
    throw new ItemKeyError(`The item at position ${index} of the list, counted from 0, has no key.`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length > MAX_KEY_LENGTH)
    throw new ItemKeyError(
      `The key of the item at position ${index} of the list, counted from 0, is longer than ${MAX_KEY_LENGTH} characters.`,
    );
  return text;
}
