import type { Json } from '../../lib/json/json.ts';
import { printValue } from './data-fields.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Escapes a value as a SOQL (Salesforce query language) literal, so that a string cannot end it. */
export function formatSoqlLiteral(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = printValue(value);
  return `'${text.replaceAll(/[\\'"\n\r\t\b\f]/g, (char) => ESCAPES[char] ?? '')}'`;
}
