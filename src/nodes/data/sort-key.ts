import type { Json } from '../../lib/json/json.ts';

export const COMPARISONS = ['auto', 'text', 'natural', 'number'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * The same order on every machine, whatever language it is set to. Made when they are needed: the first one reads the tables of
 * all languages, 20 ms that a start would wait for.
 */
let dictionary: Intl.Collator | undefined;
let natural: Intl.Collator | undefined;

function compareTexts(a: string, b: string, comparison: Comparison): number {
  if (comparison === 'natural') return (natural ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
  return (dictionary ??= new Intl.Collator('en')).compare(a, b);
}

/** A value by which elements are put in order; null comes last. */
export type SortKey = string | number | boolean | null;

/** A text that is a number in the way that people write one; not `0x10`, `NaN`, `Infinity` or an empty text. */
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?\s*$/i;

/** The number that a text holds; null when it is none. */
export function numberIn(text: string): number | null {
  if (text.length > 400 || !NUMBER.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The key of a value, or undefined when it cannot be put in order so. */
export function sortKey(value: Json | undefined, comparison: Comparison): SortKey | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return undefined;
  switch (comparison) {
    case 'auto':
      return value;
    case 'number':
      return typeof value === 'number'
        ? value
        : typeof value === 'string'
          ? (numberIn(value) ?? undefined)
          : undefined;
    default:
      return String(value);
  }
}

/** What the comparison takes, for people. */
export function takenBy(comparison: Comparison): string {
  return comparison === 'number' ? 'a number, or a text that is one' : 'a text, number or boolean';
}

/** Which of two keys that are not null comes first: negative for `a`. Numbers come before texts, and these before booleans. */
export function compareKeys(a: SortKey, b: SortKey, comparison: Comparison): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b, comparison);
  if (typeof a === typeof b) return a === b ? 0 : a! < b! ? -1 : 1;
  return rank(a) - rank(b);
}

function rank(key: SortKey): number {
  return typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2;
}
