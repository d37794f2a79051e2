import type { Json } from '../../../lib/json/json.ts';

export const COMPARISONS = ['auto', 'text', 'natural', 'number'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * Collators with a fixed locale, so that the order is the same on every machine. Created on first use,
 * because loading the locale data takes 20 ms.
 */
let dictionary: Intl.Collator | undefined;
let natural: Intl.Collator | undefined;

function compareTexts(a: string, b: string, comparison: Comparison): number {
  if (comparison === 'natural') return (natural ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
  return (dictionary ??= new Intl.Collator('en')).compare(a, b);
}

/** The value that items are sorted by; null sorts last. */
export type SortKey = string | number | boolean | null;

/** A decimal number as people write it; not `0x10`, `NaN`, `Infinity` or an empty string. */
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?\s*$/i;

/** Parses a number in a string; null if the string is not a number. */
export function parseNumber(text: string): number | null {
  if (text.length > 400 || !NUMBER.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The sort key of a value, or undefined if the value cannot be sorted by this comparison. */
export function createSortKey(value: Json | undefined, comparison: Comparison): SortKey | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return undefined;
  switch (comparison) {
    case 'auto':
      return value;
    case 'number':
      return typeof value === 'number'
        ? value
        : typeof value === 'string'
          ? (parseNumber(value) ?? undefined)
          : undefined;
    default:
      return String(value);
  }
}

/** Describes the values that a comparison accepts, for messages. */
export function describeAccepted(comparison: Comparison): string {
  return comparison === 'number' ? 'a number, or a string with a number' : 'a string, number or boolean';
}

/**
 * Compares two keys other than null; negative if `a` comes first. Numbers sort before strings, strings before
 * booleans.
 */
export function compareKeys(a: SortKey, b: SortKey, comparison: Comparison): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b, comparison);
  if (typeof a === typeof b) return a === b ? 0 : a! < b! ? -1 : 1;
  return rank(a) - rank(b);
}

function rank(key: SortKey): number {
  return typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2;
}
