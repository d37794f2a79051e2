import { domainToASCII } from 'node:url';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/**
 * Internationalized formats (idn-*, iri): validated as their ASCII counterparts after conversion to ASCII.
 */
export const unicodeFormats: Record<string, (text: string) => boolean> = {
  iri: (text) => fits('uri', percentEncoded(text)),
  'iri-reference': (text) => fits('uri-reference', percentEncoded(text)),
  'idn-hostname': isHostname,
  'idn-email': (text) => {
    const at = text.lastIndexOf('@');
    return at > 0 && /^[^\s@]+$/u.test(text.slice(0, at)) && isHostname(text.slice(at + 1));
  },
};

function isHostname(text: string): boolean {
  const ascii = domainToASCII(text);
  return ascii !== '' && fits('hostname', ascii);
}

function percentEncoded(text: string): string {
  return text.toWellFormed().replaceAll(/[\u{80}-\u{10ffff}]+/gu, (part) => encodeURIComponent(part));
}

function fits(name: 'uri' | 'uri-reference' | 'hostname', text: string): boolean {
  const format = fullFormats[name];
  if (format instanceof RegExp) return format.test(text);
  return typeof format === 'function' && format(text);
}
