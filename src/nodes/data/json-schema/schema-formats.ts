import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { unicodeFormats } from './unicode-formats.ts';

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ...Object.entries(fullFormats),
  ...Object.entries(unicodeFormats),
]);

/** Whether a format with this name is supported. */
export function isFormat(name: string): boolean {
  return formats.has(name);
}

/** Whether a value matches the format. Values of other types always match. */
export function isInFormat(name: string, value: unknown): boolean {
  const format = formats.get(name);
  if (typeof value === 'string') {
    if (format instanceof RegExp) return format.test(value);
    if (typeof format === 'function') return format(value);
  }
  if (typeof format !== 'object' || format instanceof RegExp) return true;
  if (format.async === true || (format.type ?? 'string') !== typeof value) return true;
  const { validate } = format;
  if (validate instanceof RegExp) return validate.test(String(value));
  return typeof validate === 'function' ? (validate as (value: unknown) => boolean)(value) : true;
}
