/** Numbers as JSON writes them. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** A double keeps 15 significant digits. Longer numbers, such as account numbers, stay strings. */
const MAX_DIGITS = 15;

/**
 * Converts a string to a number, boolean or null (if empty); other strings (`007`, `1,5`, `NaN`) are returned
 * unchanged.
 */
export function convertText(text: string): string | number | boolean | null {
  if (text === '') return null;
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (text.length > 40 || !NUMBER.test(text)) return text;
  if (text.replace(/[eE].*$/, '').replace(/\D/g, '').length > MAX_DIGITS) return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
