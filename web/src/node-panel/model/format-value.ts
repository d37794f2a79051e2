import { t, tPlural } from '../../i18n/index.ts';

/** Any JSON as a person writes it: a text stands as it is, unless it would be read as something else. */
export function formatValue(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  return typeof parseValue(value) === 'string' && parseValue(value) === value ? value : JSON.stringify(value);
}

/** What a person wrote: JSON where it is JSON, a text everywhere else. */
export function parseValue(text: string): unknown {
  if (!/^\s*(?:[[{"\d-]|true\b|false\b|null\b)/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Whether a text was meant as JSON and is none, so that it will be taken as a text. */
export function isBrokenJson(text: string): boolean {
  const trimmed = text.trim();
  if (!/^(?:\{(?!\{)|\[)/.test(trimmed)) return false;
  return parseValue(text) === text;
}

const KINDS: Readonly<Record<string, string>> = {
  number: t('number'),
  boolean: t('boolean'),
  object: t('object'),
};

/** What kind of value it is, in a word. */
export function describeKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return tPlural(value.length, 'list of {{count}}', 'list of {{count}}');
  if (typeof value === 'string') return t('text');
  return KINDS[typeof value] ?? typeof value;
}
