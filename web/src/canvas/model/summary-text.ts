import { isObject, type Json } from './document.ts';
import { tPlural } from '../../i18n/index.ts';

const MAX_LENGTH = 120;
const MAX_LISTED = 3;

/** Templates in short form: `{{ input.items }}` is input.items, `a/{{ item.id }}` is a/{item.id}. */
export function formatPlainText(text: string): string {
  const whole = /^\s*\{\{\s*((?:(?!\}\}).)*?)\s*\}\}\s*$/s.exec(text)?.[1];
  const formatted = whole ?? text.replaceAll(/\{\{\s*((?:(?!\}\}).)*?)\s*\}\}/gs, '{$1}');
  return formatShortText(formatted);
}

/** Truncates a text to one line of a card. */
export function formatShortText(text: string): string {
  const line = text
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}

/** A short text for a value; empty if undefined. */
export function formatValueText(value: Json | undefined): string {
  if (value === undefined || value === '') return '';
  if (typeof value === 'string') return formatPlainText(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return isObject(value) ? countWords(Object.keys(value).length, 'field') : '';
  const listed = (value as readonly Json[]).slice(0, MAX_LISTED).map(formatValueText).join(', ');
  return value.length > MAX_LISTED ? `${listed} + ${value.length - MAX_LISTED}` : listed;
}

/** `POST api.shop.com/orders`: without scheme, credentials, query and fragment. */
export function formatAddress(method: string, url: Json | undefined): string {
  if (typeof url !== 'string' || url.trim() === '') return '';
  const address = formatPlainText(url)
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^[^/?#{]*@/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
  return method === '' ? address : `${method} ${address}`;
}

const COUNTS = {
  item: (count: number) => tPlural(count, '{{count}} item', '{{count}} items'),
  field: (count: number) => tPlural(count, '{{count}} field', '{{count}} fields'),
  branch: (count: number) => tPlural(count, '{{count}} branch', '{{count}} branches'),
  operation: (count: number) => tPlural(count, '{{count}} operation', '{{count}} operations'),
  schema: (count: number) => tPlural(count, '{{count}} schema', '{{count}} schemas'),
  tool: (count: number) => tPlural(count, '{{count}} tool', '{{count}} tools'),
};

export function countWords(count: number, what: keyof typeof COUNTS): string {
  return COUNTS[what](count);
}

export function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
