import { readFileSync } from 'node:fs';
import type { ModelPrice, ModelPrices } from '../contract/ai/models.ts';
import { isObject, type Json } from '../lib/json/json.ts';

const FIELDS = new Set(['input', 'cached_input', 'output']);

/** Reads prices from JSON, or from the file at a path; null if they are not valid. */
export function readModelPrices(text: string): ModelPrices | null {
  try {
    const json = text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8');
    const prices = JSON.parse(json) as Json;
    if (!isObject(prices)) return null;
    return Object.entries(prices).every(([key, price]) => key.includes('/') && isPrice(price))
      ? (prices as unknown as ModelPrices)
      : null;
  } catch {
    return null;
  }
}

function isPrice(value: unknown): value is ModelPrice {
  if (!isObject(value) || value['input'] === undefined || value['output'] === undefined) return false;
  return Object.entries(value).every(
    ([name, price]) => FIELDS.has(name) && typeof price === 'number' && price >= 0,
  );
}
