import type { Json } from '../../lib/json/json.ts';

/** A value of a document as text: texts as they are, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
