import type { Json } from '../../lib/json/json.ts';

/** Converts a value of a document to text: strings unchanged, other values as JSON. */
export function formatJson(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
