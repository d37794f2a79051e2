import type { Json } from '../../lib/json/json.ts';
import { printed } from './data-fields.ts';

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

/** A value as a literal of SOQL (Salesforce's query language): nothing in a text can end it. */
export function soqlLiteral(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = printed(value);
  return `'${text.replaceAll(/[\\'"\n\r\t\b\f]/g, (char) => ESCAPES[char] ?? '')}'`;
}
